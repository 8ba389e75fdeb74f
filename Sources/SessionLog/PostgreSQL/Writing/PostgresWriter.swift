import CivilTime
import Foundation
import PickerHub
import PickerSession

/// Writes batches over one connection, which it replaces when it is lost. Used on the store's
/// writing queue only.
///
/// After a lost connection it is unknown whether the last batch was committed. A new connection
/// first increments the node's fence. That waits for a transaction of the old connection, or makes
/// it fail; then the number of the last committed batch is certain. It is committed on all standbys
/// that the old transaction had to wait for, because the fence is committed after it.
final class PostgresWriter {
  /// The outcome of a batch.
  struct Result {
    /// The new sizes of the logs; `nil` for a session that this batch has ended. One that had ended
    /// before is missing.
    let byteCounts: [SessionID: Int?]
    /// The numbers of entries before those of the batch, for the sessions that have got their
    /// entries.
    let bases: [SessionID: Int]
    /// New sessions whose names other sessions have.
    let refused: Set<SessionID>
    /// Sessions with a snapshot or events that were not stored, because events before are missing.
    let lost: Set<SessionID>
    /// Sessions that were not ended, because another node has appended an entry before the end.
    let living: Set<SessionID>
    /// The last entries of the sessions that have got some; `nil` for those that have ended.
    let heads: [SessionID: Int?]
    /// The entries of sessions that other nodes have in memory; `nil` for one with a definition.
    let shared: [SessionID: [Data?]]
    /// The newest position of the feed, if the batch had events.
    let feedPosition: Int?
    let hasEnded: Bool
    /// The number of the batch.
    let batch: Int
  }

  let address: PostgresAddress
  /// Marks the connections of this process in `pg_stat_activity`.
  let name: String
  var connection: PostgresConnection?
  var node: PostgresNode
  /// The number of the last batch that is known to be committed.
  var committedBatch = 0
  /// The number of the batch whose outcome is unknown.
  var unknownBatch: Int?
  /// Whether the outcome of a batch cannot be found out, because another node has deleted the row
  /// of this one.
  var hasLostOutcome = false
  /// Sessions that lack entries which this node has reported, with the epochs that must be
  /// replaced. If the process ends before, clients may resume with these entries.
  var owedRenewals: [(session: SessionID, epoch: String)] = []
  /// The number of entries of the batch that was tried last.
  private var triedCount = 0
  private let limits: SessionLimits
  private let feedLimits: FeedLimits
  let versions: FoldVersions
  private let digest: @Sendable ([UInt8]) -> [UInt8]
  /// The batches of all nodes that the disk and the standbys have had.
  let witness = NodeBatches()
  let clockDoubt = PostgresClockDoubt()
  /// Whether a reconnection has found that committed batches are missing, and all sessions have a
  /// new epoch. The owner resets it.
  var hasLostHistory = false

  /// The key of the advisory lock that the nodes share, and that a program needs alone which must
  /// not run beside them.
  private static let servingLock = 0x70_6963_6B65_7265
  /// The seconds after which a connection that does not answer is closed.
  static let seconds = 10
  /// What a probe writes: 64 KiB, as much as a few commands need. Random, so that they are not
  /// compressed, and drawn once: the system call for each number takes more than the probe.
  private static let probe = Data(
    (0..<8192).flatMap { _ in
      withUnsafeBytes(of: UInt64.random(in: .min ... .max), Array.init)
    })

  /// Takes over an open connection whose schema is current.
  ///
  /// - Throws: ``StoreProblem`` if a program that must be alone uses the database.
  init(
    _ connection: PostgresConnection, _ address: PostgresAddress, name: String,
    _ limits: SessionLimits, _ feedLimits: FeedLimits, _ versions: FoldVersions,
    digest: @escaping @Sendable ([UInt8]) -> [UInt8]
  ) throws {
    self.address = address
    self.name = name
    (self.limits, self.feedLimits, self.versions) = (limits, feedLimits, versions)
    self.digest = digest
    try PostgresWriter.prepare(connection, name: name)
    guard try PostgresWriter.lock(connection, seconds: 5, isShared: true) else {
      throw StoreProblem("\(address) is used by pickerd move: stop it, or wait for it")
    }
    // Random: after a restore to the past, a counter would give the same number again.
    let incarnation = Int.random(in: 1...Int.max)
    node = PostgresNode(
      incarnation: incarnation,
      fence: try PostgresWriter.register(incarnation, versions, connection))
    self.connection = connection
  }

  /// The plans of the few statements are made once, not again for each batch.
  static func prepare(
    _ connection: PostgresConnection, name: String
  ) throws(PostgresError) {
    try connection.run(
      """
      SELECT set_config('application_name', $1, false),
        set_config('plan_cache_mode', 'force_generic_plan', false)
      """, [.text(name)])
  }

  /// Waits for the lock of the nodes; a killed one holds it until its connection has ended.
  static func lock(
    _ connection: PostgresConnection, seconds: Int, isShared: Bool = false
  ) throws(PostgresError) -> Bool {
    let deadline = ContinuousClock.now + .seconds(seconds)
    let sql =
      isShared ? "SELECT pg_try_advisory_lock_shared($1)" : "SELECT pg_try_advisory_lock($1)"
    while true {
      if try connection.run(sql, [.int(servingLock)]).bool(0, 0) { return true }
      if ContinuousClock.now >= deadline { return false }
      Thread.sleep(forTimeInterval: 0.1)
    }
  }

  /// Whether another connection holds ``servingLock``, shared or alone.
  static func isLocked(_ connection: PostgresConnection) throws(PostgresError) -> Bool {
    try connection.run(
      """
      SELECT EXISTS (
        SELECT FROM pg_locks WHERE locktype = 'advisory' AND objsubid = 1 AND granted
          AND pid <> pg_backend_pid()
          AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
          AND (classid::bigint << 32 | objid::bigint) = $1
      )
      """, [.int(servingLock)]
    ).bool(0, 0)
  }

  /// Registers the process as a node.
  ///
  /// - Returns: Its fence.
  static func register(
    _ incarnation: Int, _ versions: FoldVersions, _ connection: PostgresConnection
  ) throws(PostgresError) -> Int {
    let row = try connection.run(
      """
      INSERT INTO node (incarnation, rules, tzdata) VALUES ($1, $2, $3)
      ON CONFLICT (incarnation) DO UPDATE SET fence = node.fence + 1, batch = 0 RETURNING fence
      """, [.int(incarnation), .int(versions.rules), .text(versions.tzdata)])
    return row.int(0, 0) ?? 0
  }

  /// The number of the node in the entries.
  var incarnation: Int { node.incarnation }
  /// The number of the last append that has an outcome.
  var serial: Int { node.serial }

  /// Commits a batch. After an error that ``PostgresError/isConnectionLost`` or
  /// ``PostgresError/isTransient``, the same batch may be passed again: it is stored once.
  ///
  /// - Parameters:
  ///   - expected: The state of the sessions, as their hubs know it.
  ///   - isAlone: Whether no other node waits for the rows of the sessions. If not, they are
  ///     unlocked before the disk and the standbys have the batch.
  ///   - seconds: The maximum time of each request to the server.
  /// - Returns: The outcome, when the disk and the standbys have the batch.
  func commit(
    _ records: [StoreRecord], expected: [SessionID: ServedSessions.Expectation], isAlone: Bool,
    within seconds: Int = PostgresWriter.seconds
  ) throws(PostgresError) -> Result {
    let connection = try connected(within: seconds)
    if hasLostHistory {
      throw PostgresError(isConnectionLost: false, state: nil, "it was restored to the past")
    }
    if hasLostOutcome {
      hasLostOutcome = false
      throw PostgresError(
        isConnectionLost: false, state: nil,
        "this node was cut off for so long that the outcome of a batch is not known")
    }
    let records = try withEnds(records, connection)
    let isCommitted = unknownBatch != nil && unknownBatch == committedBatch
    node.batch = isCommitted ? committedBatch : committedBatch + 1
    let batch = PostgresBatch(
      records, by: node, isFlushed: isAlone, isClockPlausible: !clockDoubt.isRaised,
      expected: expected, limits, feedLimits, versions, digest: digest)
    triedCount = batch.entryCount
    if isCommitted {
      let result = try outcome(of: batch, expected, connection)
      unknownBatch = nil
      node.serial += batch.entryCount
      try renewShorter(result, batch, expected, connection)
      return result
    }
    unknownBatch = node.batch
    let statements = batch.statements + (isAlone ? [] : PostgresConnection.flush)
    let result: Result
    do throws(PostgresError) {
      let rows = try connection.run(statements, within: seconds)
      unknownBatch = nil
      committedBatch = node.batch
      node.serial += batch.entryCount
      result = PostgresWriter.result(
        of: batch, lost: batch.checked.filter { !rows[$0.index].bool(0, 0) }.map(\.session),
        living: batch.ended.filter { !rows[$0.index].bool(0, 0) }.map(\.session),
        refused: batch.creations.filter { !rows[$0.index].bool(0, 0) }.map(\.session),
        bases: batch.entriesIndex.map { PostgresWriter.bases(rows[$0]) } ?? [:],
        feed: rows[batch.statements.count - 3], sizes: rows[batch.statements.count - 2])
    } catch {
      guard error.doneCount < batch.statements.count else {
        // It is committed, but it is unknown whether the disk and the standbys have it.
        self.connection = nil
        throw PostgresError(lost: error.description)
      }
      if !error.isConnectionLost { unknownBatch = nil }
      throw error.isFenced ? unregistered() : error
    }
    try renewShorter(result, batch, expected, connection)
    return result
  }

  /// Gives up the last batch: its sessions are reported as lost. No later append has its serial
  /// numbers, because its outcome may be unknown.
  func abandon() {
    unknownBatch = nil
    hasLostOutcome = false
    node.serial += triedCount
  }

  /// Tries to write: it waits for locks of the tables, needs space, and is flushed, like a batch.
  func probe() throws(PostgresError) {
    let key = PostgresValue.bytes(Data("probe \(node.incarnation)".utf8))
    let results = try write([
      PostgresStatement(
        "LOCK TABLE session, entry, snapshot, definition, event, feed IN ROW EXCLUSIVE MODE"),
      PostgresStatement(
        "INSERT INTO creation VALUES ($1, $2, '', '', '', now_ms())", [key, .bytes(Self.probe)]),
      PostgresStatement("DELETE FROM creation WHERE key = $1", [key]),
      PostgresStatement(
        "UPDATE node SET batch = batch WHERE incarnation = $1 RETURNING 1",
        [.int(node.incarnation)]),
    ])
    if results[3].count == 0 { throw unregistered() }
  }

  /// The row of this node is missing, or has another fence: another node has deleted it. The next
  /// connection adds it again.
  private func unregistered() -> PostgresError {
    connection = nil
    return PostgresError(lost: "this node is not registered any more")
  }

  /// Runs statements in a transaction of their own.
  ///
  /// - Returns: Their results.
  func write(_ statements: [PostgresStatement]) throws(PostgresError) -> [PostgresRows] {
    let frame = [PostgresStatement("BEGIN")] + statements + [PostgresStatement("COMMIT")]
    let results = try connected().run(frame, within: PostgresWriter.seconds)
    return Array(results.dropFirst().dropLast())
  }

  /// Whether another node runs that has newer versions of the rules or of the zone database.
  func hasNewerNode() throws(PostgresError) -> Bool {
    try connected().run(
      """
      SELECT EXISTS (
        SELECT FROM node JOIN pg_locks ON locktype = 'advisory' AND objsubid = 1
          AND classid::bigint << 32 | objid::bigint = incarnation AND granted
        WHERE incarnation <> $1
          AND (rules, coalesce(tzdata, '') COLLATE "C") > ($2, coalesce($3, '')))
      """, [.int(node.incarnation), .int(versions.rules), .text(versions.tzdata)]
    ).bool(0, 0)
  }

  /// Adds the events of the ends of sessions that could not be read.
  private func withEnds(
    _ records: [StoreRecord], _ connection: PostgresConnection
  ) throws(PostgresError) -> [StoreRecord] {
    var records = records
    var created: [SessionID: String] = [:]
    for case .log(.created(let origin), let session) in records { created[session] = origin.epoch }
    for (index, record) in records.enumerated() {
      guard case .log(.ended(nil, _), let session) = record else { continue }
      let row = try connection.run(
        "SELECT (SELECT epoch FROM session WHERE id = $1), now_ms()", [.text(session.text)])
      guard let epoch = row.text(0, 0) ?? created[session], let now = row.int(0, 1) else {
        continue
      }
      let event = FeedEvent(
        endOfUnreadable: session, epoch: epoch, at: Instant(milliseconds: Int64(now)))
      records[index] = .log(.ended(event), session)
    }
    return records
  }
}
