/// What a node remembers between sweeps.
struct SweepState {
  var isRunning = false
  /// When nodes that have stopped were first found.
  private var stoppedSince: [Int: ContinuousClock.Instant] = [:]
  /// The nodes whose sessions may have been adopted without an answer: the hubs do not know them.
  var unanswered: Set<Int> = []
  /// When sessions are next read to find those that have expired.
  private(set) var nextReading = ContinuousClock.now
  /// Where the reading of all sessions goes on: after this number.
  private(set) var readThrough = 0
  private var reading = Duration.zero
  private var lastReading = Duration.zero

  /// When the sessions for which this node is responsible were last looked for.
  var lastRestoring = ContinuousClock.now
  /// Whether the sessions that no node served, as after `pickerd move`, were adopted.
  var hasAdopted = false

  /// Whether it is time to look for sessions for which this node is responsible.
  mutating func restoresServed(at now: ContinuousClock.Instant) -> Bool {
    guard now - lastRestoring > .seconds(60) else { return false }
    lastRestoring = now
    return true
  }

  /// How long a node must seem to have stopped before its sessions are adopted: after a failover
  /// all nodes do until they have connected again.
  static let adoptionDelay = Duration.seconds(6)
  /// How long a node that has stopped can find the outcome of its last batch.
  static let rowLifetime = Duration.seconds(60)

  /// Some nodes seem to have stopped.
  ///
  /// Their sessions are adopted several times: a node that has just registered, and does not hold
  /// its lock yet, seems to have stopped. It may then stop, with sessions, before the next sweep,
  /// which may be much later on a busy machine. A node without a row cannot append, so the last
  /// time is with its deletion.
  /// - Returns: The nodes whose sessions must be adopted, and those of them whose rows must be
  ///   deleted.
  mutating func noteStopped(
    _ nodes: [Int], at now: ContinuousClock.Instant
  ) -> (adopted: [Int], forgotten: [Int]) {
    stoppedSince = stoppedSince.filter { nodes.contains($0.key) }
    for node in nodes where stoppedSince[node] == nil { stoppedSince[node] = now }
    let forgotten = stoppedSince.filter { $0.value < now - SweepState.rowLifetime }.keys
    let adopted = stoppedSince.filter {
      let time = now - $0.value
      return time >= SweepState.adoptionDelay && time < SweepState.adoptionDelay + .seconds(30)
    }
    return (Array(adopted.keys) + forgotten, Array(forgotten))
  }

  /// The database was not reachable: other nodes may not have connected again, either.
  mutating func forgetStopped() { stoppedSince = [:] }

  /// Sessions were read. With millions of them, reading all takes seconds: no more than 2 % of the
  /// time is spent on it. An index of the time of expiry would make appends slower, because each
  /// changes that.
  ///
  /// - Parameter last: The number of the last one; `nil` after all sessions.
  mutating func haveRead(through last: Int?, in duration: Duration) {
    reading += duration
    readThrough = last ?? 0
    guard last == nil else { return }
    // A single slow reading may be that of a busy machine.
    nextReading = .now + min(reading, lastReading) * 49
    (lastReading, reading) = (reading, .zero)
  }
}
