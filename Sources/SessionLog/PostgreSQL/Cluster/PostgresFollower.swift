import Foundation
import PickerHub
import PickerSession
import Synchronization

/// Follows the other nodes, on a thread of its own with one connection: it listens to their
/// notifications, sends those of this node, and reads the entries that other nodes have appended.
///
/// A lost notification costs time only: the last entries of the sessions in memory are compared
/// with the database every few seconds.
final class PostgresFollower: @unchecked Sendable {
  let address: PostgresAddress
  let name: String
  /// The number of this node.
  let incarnation: Int
  var node: NodeIncarnation { NodeIncarnation("\(incarnation)") }
  let clock = PostgresClock()
  let reports: PostgresReports
  let definitions: StoredDefinitions
  let feed: PostgresFeed
  let confirmer: PostgresConfirmer
  let notify: @Sendable (StoreNotice) -> Void
  let wake = WakeSignal()
  let outgoing = Mutex(Outgoing())
  private let aloneness = Atomic(true)
  /// Why the others cannot be followed, if that has failed for as long as a batch waits.
  let problem = Mutex<PostgresError?>(nil)
  /// Set before the thread starts.
  private weak var log: PostgresSessionLog?
  private var first: PostgresConnection?

  // Used on the thread only.
  var others = OtherNodes()
  /// Members of announcements whose last parts have not arrived.
  var parts: [SessionID: [Int: [MemberID]]] = [:]
  var messageNumber = 0
  var feedEpoch: String
  /// Whether the database can have every text in a notification.
  var sendsEntries = false
  /// When everything was sent and read last.
  private var lastTurn = ContinuousClock.now
  private var lastBeat = ContinuousClock.now
  private var lastComparison = ContinuousClock.now

  /// What other threads want to be sent or read.
  struct Outgoing {
    var facts: [NodeFact] = []
    /// Whether facts were dropped at their maximum.
    var hasDropped = false
    var entries: [NodeFact] = []
    var heads: [SessionID: Int?] = [:]
    /// The last batch that has some of these entries, heads and facts.
    var batch: Int?
    var catchUps: [CatchUp] = []
    var isStopped = false

    var isEmpty: Bool { facts.isEmpty && heads.isEmpty && catchUps.isEmpty }
  }

  struct CatchUp {
    let session: SessionID
    let completion: @Sendable () -> Void
  }

  /// A node that is silent for this time has stopped.
  static let silence = Duration.seconds(5)
  private static let beatInterval = Duration.seconds(1)
  /// How long an answer is waited for. A server that hangs is given up after that and
  /// ``beatInterval``, so that the next one still stores the commands that wait for it.
  private static let seconds = 7
  private static let comparisonInterval = Duration.seconds(3)
  /// The maximum of facts that wait to be sent, about 100 bytes each. After
  /// ``StoreNotice/announcementsLost`` each session in memory has two.
  static let factCountMax = 1_000_000
  /// The maximum of entries that wait to be sent. The other nodes read further ones.
  static let entryCountMax = 1000

  /// Connects, and measures the clock.
  init(
    _ address: PostgresAddress, name: String, incarnation: Int, _ reports: PostgresReports,
    _ definitions: StoredDefinitions, _ feed: PostgresFeed, confirming reader: PostgresReader,
    witness: NodeBatches
  ) throws(PostgresError) {
    self.address = address
    self.name = name
    self.incarnation = incarnation
    self.reports = reports
    self.definitions = definitions
    self.feed = feed
    notify = reports.notify
    confirmer = PostgresConfirmer(reader, reports, feed, witness, wake: wake)
    feedEpoch = feed.epoch
    first = try connect()
  }

  /// Starts the thread, which calls `log` every few seconds while the database answers.
  func start(for log: PostgresSessionLog) {
    self.log = log
    let thread = Thread { self.run() }
    thread.name = "pickerd.follower"
    thread.start()
  }

  /// Whether no other node is known.
  var isAlone: Bool { aloneness.load(ordering: .relaxed) }

  /// Ends the thread and its connection.
  func stop() {
    outgoing.withLock { $0.isStopped = true }
    wake.set()
  }

  var isStopped: Bool { outgoing.withLock { $0.isStopped } }

  private func connect() throws(PostgresError) -> PostgresConnection {
    let connection = try PostgresConnection(address, name: name, seconds: PostgresFollower.seconds)
    // A notification waits neither for the disk nor for the standbys: all nodes send theirs one
    // after the other, and a lost one costs time only.
    try connection.run(
      """
      SELECT set_config('application_name', $1, false),
        set_config('plan_cache_mode', 'force_generic_plan', false),
        set_config('synchronous_commit', 'off', false)
      """, [.text(name)])
    try connection.run(
      """
      SELECT count(pg_terminate_backend(pid, 1000)) FROM pg_stat_activity
      WHERE application_name = $1 AND pid <> pg_backend_pid()
      """, [.text(name)])
    let encoding = try connection.run("SELECT current_setting('server_encoding')").text(0, 0)
    sendsEntries = encoding == "UTF8" || encoding == "SQL_ASCII"
    try connection.run("LISTEN pickerd")
    try PostgresFollower.lock(incarnation, connection)
    clock.forget()
    try clock.measure(connection)
    let nodes = try connection.run(
      """
      SELECT incarnation FROM node JOIN pg_locks ON locktype = 'advisory' AND objsubid = 1
        AND classid::bigint << 32 | objid::bigint = incarnation AND granted
      WHERE incarnation <> $1
      """, [.int(incarnation)])
    for row in 0..<nodes.count { others.noteMessage(of: nodes.int(row, 0) ?? 0) }
    others.renew()
    noteOthers()
    return connection
  }

  /// Takes the lock that shows that this node is alive. A sweep of another node holds it for a
  /// moment, and a connection of this one until its end.
  private static func lock(
    _ incarnation: Int, _ connection: PostgresConnection
  ) throws(PostgresError) {
    let deadline = ContinuousClock.now + .seconds(3)
    while try !connection.run("SELECT pg_try_advisory_lock($1)", [.int(incarnation)]).bool(0, 0) {
      guard .now < deadline else {
        throw PostgresError(lost: "the lock of this node is held by another connection")
      }
      Thread.sleep(forTimeInterval: 0.05)
    }
  }

  private func run() {
    var connection = first
    first = nil
    while !isStopped {
      do throws(PostgresError) {
        if connection == nil {
          connection = try connect()
          notify(.announcementsLost)
          log?.checkHistory()
          log?.forgetStoppedNodes()
        }
        if let connection { try follow(connection) }
      } catch {
        connection = nil
        dropOutgoing()
        if error.isCutOff { log?.checkReachability() }
        // Another node may have started since: then a session lacks its entries.
        let isNeeded = !isAlone || reports.use { !$0.gaps().isEmpty }
        if isNeeded && .now - lastTurn > .seconds(PostgresSessionLog.waitSeconds) {
          problem.withLock { $0 = error }
          log?.cannotFollow()
        }
        Thread.sleep(forTimeInterval: 0.2)
      }
    }
    dropOutgoing()
  }

  private func follow(_ connection: PostgresConnection) throws(PostgresError) {
    lastBeat = .now - PostgresFollower.beatInterval
    lastComparison = .now - PostgresFollower.comparisonInterval
    var turn = ContinuousClock.now
    while !isStopped {
      wake.reset()
      receive(connection.takeNotifications())
      if .now - turn > .seconds(2) { others.excuse(.now - turn) }
      turn = .now
      for node in others.silent(for: PostgresFollower.silence) {
        reports.use { $0.unshareAll(with: node) }
        notify(.nodeLost(NodeIncarnation("\(node)")))
      }
      try send(connection)
      try readGaps(connection)
      if .now - lastBeat >= PostgresFollower.beatInterval { try beat(connection) }
      if .now - lastComparison >= PostgresFollower.comparisonInterval { try compare(connection) }
      noteOthers()
      lastTurn = .now
      problem.withLock { $0 = nil }
      let rest = min(
        lastBeat + PostgresFollower.beatInterval - .now,
        lastComparison + PostgresFollower.comparisonInterval - .now)
      try connection.waitForInput(
        or: wake.descriptor, milliseconds: Int32(clamping: Int(rest / .milliseconds(1)) + 1))
    }
  }

  /// Notifies the other nodes that this one is alive, and measures the clock.
  private func beat(_ connection: PostgresConnection) throws(PostgresError) {
    try send([], connection)
    // The others may have assumed that this node has stopped.
    if .now - lastBeat > PostgresFollower.silence - .seconds(1) { notify(.announcementsLost) }
    lastBeat = .now
    try clock.measure(connection)
  }

  private func compare(_ connection: PostgresConnection) throws(PostgresError) {
    try compareHeads(connection)
    confirmer.confirmDoubts()
    lastComparison = .now
    log?.sweepLater()
  }

  func noteOthers() { aloneness.store(others.isEmpty, ordering: .relaxed) }
}

/// The other nodes, by the times of their last messages.
struct OtherNodes {
  private var lastMessageAt: [Int: ContinuousClock.Instant] = [:]

  var isEmpty: Bool { lastMessageAt.isEmpty }

  mutating func noteMessage(of node: Int) { lastMessageAt[node] = .now }

  /// This node could not listen for a while: the silence of the others begins now.
  mutating func renew() { lastMessageAt = lastMessageAt.mapValues { _ in .now } }

  /// This node did not receive for a time, which is not a part of the others' silence.
  mutating func excuse(_ time: Duration) {
    let now = ContinuousClock.now
    lastMessageAt = lastMessageAt.mapValues { min($0 + time, now) }
  }

  /// Removes the nodes that have been silent.
  mutating func silent(for time: Duration) -> [Int] {
    let silent = lastMessageAt.filter { $0.value < .now - time }.keys.sorted()
    for node in silent { lastMessageAt[node] = nil }
    return silent
  }
}
