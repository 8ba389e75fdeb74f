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
    /// The new sizes of the logs; `nil` for a session that has ended.
    let byteCounts: [SessionID: Int?]
    /// Sessions whose records were not stored, because records before them are lost, or because
    /// their logs have other entries than their hubs know.
    let refused: Set<SessionID>
    /// The new sequence numbers of the sessions' last entries.
    let heads: [SessionID: Int]
    let feedPosition: Int?
    let hasEnded: Bool
  }

  private let address: PostgresAddress
  /// Marks the connections of this process in `pg_stat_activity`.
  private let name: String
  private var connection: PostgresConnection?
  private var node: PostgresNode
  /// The number of the last batch that is known to be committed.
  private var committedBatch = 0
  /// The number of the batch whose outcome is unknown.
  private var unknownBatch: Int?
  private let limits: SessionLimits
  private let feedLimits: FeedLimits
  private let versions: FoldVersions
  private let digest: @Sendable ([UInt8]) -> [UInt8]
  /// Whether a reconnection has found that committed batches are missing, and all sessions have a
  /// new epoch. The owner resets it.
  var hasLostHistory = false

  /// The key of the advisory lock of the server that serves the database.
  private static let servingLock = 0x70_6963_6B65_7265
  /// The seconds after which a connection that does not answer is closed.
  private static let seconds = 10

  /// Takes over an open connection whose schema is current.
  ///
  /// - Throws: ``StoreProblem`` if another server uses the database.
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
    guard try PostgresWriter.lock(connection, seconds: 5) else {
      throw StoreProblem(
        "another pickerd serves \(address). Several nodes on one database are not supported yet")
    }
    node = try PostgresWriter.register(connection)
    self.connection = connection
  }

  /// No timeout of the server may end a COMMIT: clients would learn that a change is lost although
  /// it is stored. A commit waits until it is flushed, also if the database's default
  /// is not to wait.
  private static func prepare(
    _ connection: PostgresConnection, name: String
  ) throws(PostgresError) {
    try connection.run(
      """
      SELECT set_config('application_name', $1, false), set_config('statement_timeout', '0', false),
        set_config('lock_timeout', '0', false),
        set_config('idle_in_transaction_session_timeout', '0', false),
        CASE WHEN current_setting('synchronous_commit') = 'off'
          THEN set_config('synchronous_commit', 'on', false) END
      """, [.text(name)])
  }

  /// Waits for the lock of the server that serves the database; a killed one holds it until its
  /// connection has ended.
  static func lock(
    _ connection: PostgresConnection, seconds: Int
  ) throws(PostgresError) -> Bool {
    let deadline = ContinuousClock.now + .seconds(seconds)
    while true {
      let row = try connection.run("SELECT pg_try_advisory_lock($1)", [.int(servingLock)])
      if row.bool(0, 0) { return true }
      if ContinuousClock.now >= deadline { return false }
      Thread.sleep(forTimeInterval: 0.1)
    }
  }

  private static func register(
    _ connection: PostgresConnection
  ) throws(PostgresError) -> PostgresNode {
    try connection.run("DELETE FROM node")
    let row = try connection.run("INSERT INTO node DEFAULT VALUES RETURNING incarnation")
    return PostgresNode(incarnation: row.int(0, 0) ?? 0, fence: 0)
  }

  /// Commits a batch. After an error that ``PostgresError/isConnectionLost`` or
  /// ``PostgresError/isTransient``, the same batch may be passed again: it is stored once.
  ///
  /// - Parameter heads: The sequence numbers of the sessions' last entries, as the hubs know them.
  func commit(
    _ records: [StoreRecord], heads: [SessionID: Int]
  ) throws(PostgresError) -> Result {
    let connection = try connected()
    if hasLostHistory {
      throw PostgresError(isConnectionLost: false, state: nil, "it was restored to the past")
    }
    let records = try withEnds(records, connection)
    let isCommitted = unknownBatch != nil && unknownBatch == committedBatch
    node.batch = isCommitted ? committedBatch : committedBatch + 1
    let batch = PostgresBatch(
      records, by: node, heads: heads, limits, feedLimits, versions, digest: digest)
    if isCommitted {
      let result = try outcome(of: batch, connection)
      unknownBatch = nil
      return result
    }
    unknownBatch = node.batch
    do throws(PostgresError) {
      let rows = try connection.run(batch.statements, within: PostgresWriter.seconds)
      unknownBatch = nil
      committedBatch = node.batch
      node.serial += batch.entryCount
      return PostgresWriter.result(
        of: batch, unchecked: batch.checked.filter { !rows[$0.index].bool(0, 0) }.map(\.session),
        grown: batch.entriesIndex.map { rows[$0] }, feed: rows[rows.count - 3],
        sizes: rows[rows.count - 2])
    } catch {
      if !error.isConnectionLost { unknownBatch = nil }
      throw error
    }
  }

  /// Forgets the batch whose outcome is unknown: its sessions are reported as lost.
  func abandon() { unknownBatch = nil }

  /// Tries to write: what it writes is flushed like a batch.
  func probe() throws(PostgresError) {
    try connected().run(
      "UPDATE node SET batch = batch WHERE incarnation = $1", [.int(node.incarnation)])
  }

  /// Runs statements in a transaction of their own.
  func write(_ statements: [PostgresStatement]) throws(PostgresError) {
    let frame = [PostgresStatement("BEGIN")] + statements + [PostgresStatement("COMMIT")]
    _ = try connected().run(frame, within: PostgresWriter.seconds)
  }

  /// The outcome of a batch that was committed, although the answer is lost: its entries have the
  /// serial numbers of this batch.
  private func outcome(
    of batch: PostgresBatch, _ connection: PostgresConnection
  ) throws(PostgresError) -> Result {
    let lasts = Array(batch.lasts)
    let grown = try connection.run(
      """
      SELECT session.id FROM unnest($1, $2) AS l(id, sequence) JOIN session USING (id)
      JOIN entry ON entry.session = session.number AND entry.sequence = l.sequence
      WHERE entry.node = $3 AND entry.serial > $4
      """,
      [
        .texts(lasts.map(\.key.text)), .ints(lasts.map(\.value)), .int(node.incarnation),
        .int(node.serial),
      ])
    let rows = try connection.run(Array(batch.statements.suffix(3).dropLast()))
    node.serial += batch.entryCount
    return PostgresWriter.result(
      of: batch, unchecked: [], grown: grown, feed: rows[0], sizes: rows[1])
  }

  /// - Parameters:
  ///   - unchecked: Sessions with a record that was not stored.
  ///   - grown: The sessions that have got their entries.
  private static func result(
    of batch: PostgresBatch, unchecked: [SessionID], grown: PostgresRows?, feed: PostgresRows,
    sizes: PostgresRows
  ) -> Result {
    var byteCounts: [SessionID: Int?] = [:]
    for row in 0..<sizes.count {
      byteCounts[SessionID(sizes.text(row, 0) ?? "")] = sizes.int(row, 1)
    }
    var missing = Set(batch.lasts.keys)
    if let grown {
      for row in 0..<grown.count { missing.remove(SessionID(grown.text(row, 0) ?? "")) }
    }
    missing.formUnion(batch.created.filter { byteCounts[$0] == nil && !batch.ended.contains($0) })
    for session in batch.ended { byteCounts[session] = .some(nil) }
    return Result(
      byteCounts: byteCounts, refused: missing.union(unchecked), heads: batch.lasts,
      feedPosition: feed.int(0, 0), hasEnded: !batch.ended.isEmpty)
  }

  /// Adds the events of the ends of sessions that could not be read.
  private func withEnds(
    _ records: [StoreRecord], _ connection: PostgresConnection
  ) throws(PostgresError) -> [StoreRecord] {
    var records = records
    var created: [SessionID: String] = [:]
    for case .log(.created(let origin), let session) in records { created[session] = origin.epoch }
    for (index, record) in records.enumerated() {
      guard case .log(.ended(nil), let session) = record else { continue }
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

/// Reconnecting.
extension PostgresWriter {
  /// The connection, or a new one if it is lost.
  private func connected() throws(PostgresError) -> PostgresConnection {
    if let connection, !connection.isBroken { return connection }
    connection = nil
    let fresh = try PostgresConnection(address, name: name)
    try PostgresWriter.prepare(fresh, name: name)
    try endIdle(fresh)
    guard try PostgresWriter.lock(fresh, seconds: 2) else {
      throw PostgresError(lost: "another pickerd serves \(address)")
    }
    try fence(fresh)
    connection = fresh
    return fresh
  }

  /// Ends older connections of this process for which the server still waits. It never ends one
  /// that commits: a commit that waits for standbys must not be interrupted.
  private func endIdle(_ connection: PostgresConnection) throws(PostgresError) {
    try connection.run(
      """
      SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
      WHERE application_name = $1 AND pid <> pg_backend_pid() AND wait_event_type = 'Client'
      """, [.text(name)])
  }

  /// Excludes transactions of older connections, and finds out which batch was committed last.
  private func fence(_ connection: PostgresConnection) throws(PostgresError) {
    let row = try connection.run(
      "UPDATE node SET fence = fence + 1 WHERE incarnation = $1 RETURNING fence, batch",
      [.int(node.incarnation)])
    let history = try PostgresSchema.history(connection)
    if row.count == 1, let fence = row.int(0, 0), let batch = row.int(0, 1),
      batch >= committedBatch
    {
      node.fence = fence
      committedBatch = batch
      try connection.run(
        "UPDATE store SET history = $1 WHERE history <> $1", [.text(history)])
      return
    }
    try connection.run("BEGIN")
    try PostgresSchema.renewEpochs(connection, history: history)
    node = try PostgresWriter.register(connection)
    try connection.run("COMMIT")
    (committedBatch, unknownBatch) = (0, nil)
    hasLostHistory = true
  }
}
