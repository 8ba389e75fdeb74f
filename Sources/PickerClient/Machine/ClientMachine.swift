import JSONText

/// A client of one session, without I/O: events in, effects out. No socket, clock or random of its
/// own, so that a test is a list of events, and any transport will do.
///
/// Times are milliseconds of any clock that never goes back. After each event, arrange for
/// ``ClientEvent/tick`` at ``nextTick``.
///
/// - Source: protocol.md, "WebSocket".
public struct ClientMachine: Sendable {
  /// What there is to show.
  public internal(set) var state = PickerState()
  public internal(set) var profile: ClientProfile
  /// What makes a later machine the same member; `nil` before the first welcome and after the end.
  public internal(set) var identity: ClientIdentity?

  var pending: PendingCommands
  var timers = ClientTimers()
  var effects: [ClientEffect] = []
  var hasChanged = false
  var now: Int64 = 0
  let jitter: @Sendable () -> Double

  /// Attempts since the last steady connection.
  var attempt = 0
  /// When to come back to a server that is going away.
  var drainMilliseconds: Int64?
  var hasTriedIdentity = false
  /// Months in view, sent with every join.
  var looking: Looking?
  /// The months that the last join was sent with.
  var joinedLooking: Looking?
  var asked: Set<RowWindow> = []
  var waitingTouch: PickerTouch??

  struct Looking: Hashable, Sendable {
    var from: PickerMonth
    var count: Int
    func contains(_ month: PickerMonth) -> Bool { (0..<count).contains(month.months(since: from)) }
  }

  struct RowWindow: Hashable, Sendable {
    let column: Int
    let generation: Int
    let from: Int
  }

  /// - Parameters:
  ///   - profile: Who joins.
  ///   - identity: Of an earlier machine, to come back as the same member.
  ///   - jitter: RandomSource for the back-off, 0 ..< 1; the system's unless given.
  public init(
    _ profile: ClientProfile = ClientProfile(), identity: ClientIdentity? = nil,
    jitter: @escaping @Sendable () -> Double = { Double.random(in: 0..<1) }
  ) {
    self.profile = profile
    self.identity = identity
    self.jitter = jitter
    pending = PendingCommands(ref: identity?.ref ?? 0)
  }

  /// When the next ``ClientEvent/tick`` is due; `nil` if never.
  public var nextTick: Int64? { timers.next }

  /// The ref that the next command will get.
  public var nextRef: Int { pending.ref + 1 }

  /// Takes an event.
  ///
  /// - Returns: What is to be done, in this order.
  public mutating func handle(_ event: ClientEvent, at now: Int64) -> [ClientEffect] {
    self.now = max(self.now, now)
    switch event {
    case .start, .retry: if !isConnected { dial() }
    case .stop:
      hangUp()
      turn(.idle)
    case .leave: leave()
    case .opened: if state.connection == .connecting { join() }
    case .received(let bytes): receive(bytes)
    case .closed(let code, let reason): closed(code, reason)
    case .tick: while let timer = timers.takeDue(at: self.now) { fired(timer) }
    case .token(let token):
      profile.token = token
      if !isConnected { dial() }
    case .command(let command): give(command)
    case .look(let from, let count): look(from: from, count: count)
    case .want(let column, let rows): want(rows, of: column)
    case .touch(let touch): tell(touch)
    }
    return takeEffects()
  }

  /// Whether a connection is there or under way.
  var isConnected: Bool {
    switch state.connection {
    case .connecting, .joining, .live: true
    case .idle, .waiting, .needsCredentials, .away, .left: false
    }
  }

  private mutating func takeEffects() -> [ClientEffect] {
    if hasChanged {
      state.predict(pending.entries)
      identity?.ref = pending.ref
      effects.append(.changed)
    }
    defer { (effects, hasChanged) = ([], false) }
    return effects
  }

  mutating func turn(_ phase: PickerPhase) {
    if state.connection != phase { hasChanged = true }
    state.connection = phase
  }

  mutating func start(_ timer: ClientTimer) {
    if let milliseconds = timer.milliseconds { timers.set(timer, at: now + milliseconds) }
  }
}
