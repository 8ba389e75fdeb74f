import CivilTime
import Foundation
import PickerHub
import PickerSession

/// The rows of a session in a database.
struct SQLRows: SessionRows {
  let session: StoredSession
  private let connection: any SQLConnection

  /// The maximum of entries that are in memory at the same time.
  private static let pageCount = 500

  /// - Returns: `nil` if there is no such session, or it has ended.
  init?(_ id: SessionID, _ connection: any SQLConnection) throws {
    let session = try connection.first(
      """
      SELECT number, epoch, origin, entry_count, byte_count, event_sequence, active_at, rules,
        tzdata FROM session WHERE id = $1 AND NOT ended
      """, [id.text]
    ) { row in
      StoredSession(
        id: id, number: try row[0], epoch: try row[1], origin: try row[2], entryCount: try row[3],
        byteCount: try row[4], eventSequence: try row[5], activeAt: try row[6],
        versions: FoldVersions(rules: try row[7], tzdata: row[8]))
    }
    guard let session else { return nil }
    self.connection = connection
    self.session = session
  }

  func newestSnapshot() throws -> StoredSnapshot? {
    try snapshots("ORDER BY p.sequence DESC LIMIT 1", []).first
  }

  func newestSnapshotSequence() throws -> Int? {
    try connection.value("SELECT max(sequence) FROM snapshot WHERE session = $1", [session.number])
  }

  func oldestSnapshotSequence() throws -> Int? {
    try connection.value("SELECT min(sequence) FROM snapshot WHERE session = $1", [session.number])
  }

  func snapshots(after sequence: Int, through last: Int) throws -> [StoredSnapshot] {
    try snapshots("AND p.sequence > $2 AND p.sequence <= $3 ORDER BY p.sequence", [sequence, last])
  }

  func snapshot(upTo revision: Int) throws -> StoredSnapshot? {
    try snapshots(
      "AND (p.revision <= $2 OR p.replaces IS NOT NULL) ORDER BY p.sequence DESC LIMIT 1",
      [revision]
    ).first
  }

  func baseSequence(revision: Int, rowCount: Int) throws -> Int? {
    try connection.value(
      """
      SELECT max(sequence) FROM snapshot WHERE session = $1
      AND (revision <= $2 OR row_count <= $3 OR replaces IS NOT NULL)
      """, [session.number, revision, rowCount])
  }

  func entries(
    after sequence: Int, through last: Int,
    each: (_ sequence: Int, _ body: Data) throws -> Bool
  ) throws {
    var sequence = sequence
    while true {
      let page = try connection.rows(
        """
        SELECT sequence, body FROM entry WHERE session = $1 AND sequence > $2 AND sequence <= $3
        ORDER BY sequence LIMIT $4
        """, [session.number, sequence, last, SQLRows.pageCount]
      ) { row in (sequence: try row[0] as Int, body: try row[1] as Data) }
      for entry in page {
        sequence = entry.sequence
        guard try each(sequence, entry.body) else { return }
      }
      if page.count < SQLRows.pageCount { return }
    }
  }

  func document(_ digest: Data) throws -> Data? {
    try connection.value(
      "SELECT body FROM definition WHERE session = $1 AND digest = $2", [session.number, digest])
  }

  /// Reads snapshots with the bodies of their definitions.
  private func snapshots(
    _ condition: String, _ values: [any SQLValue]
  ) throws -> [StoredSnapshot] {
    try connection.rows(
      """
      SELECT p.sequence, p.revision, p.is_idle, p.row_count, p.body, d.body, s.body,
        (p.definition IS NOT NULL AND d.body IS NULL) OR (p.shown IS NOT NULL AND s.body IS NULL),
        p.checksum, p.rules, p.tzdata, p.replaces
      FROM snapshot p
      LEFT JOIN definition d ON d.session = p.session AND d.digest = p.definition
      LEFT JOIN definition s ON s.session = p.session AND s.digest = p.shown
      WHERE p.session = $1 \(condition)
      """, [session.number] + values
    ) { row in
      StoredSnapshot(
        sequence: try row[0], revision: try row[1], isIdle: try row[2], rowCount: try row[3],
        body: try row[4], definition: row[5], shown: row[6], lacksDefinition: try row[7],
        checksum: try row[8], versions: FoldVersions(rules: try row[9], tzdata: row[10]),
        replaces: row[11])
    }
  }
}

extension DormantSession {
  /// The columns from which it is made.
  static let columns = """
    id, ttl_seconds, has_members OR event_sequence < entry_count, next_tick, active_at,
    CASE WHEN has_members THEN NULL ELSE status END
    """

  /// - Parameters:
  ///   - row: Has ``columns``.
  ///   - now: Milliseconds since 1970.
  init(_ row: any SQLRow, _ doubt: ClockDoubt, at now: Int64) throws {
    let ttlSeconds: Int = try row[1]
    let activeAt: Int64 = try row[4]
    let nextTick: Int64? = row[3]
    let status: String? = row[5]
    self.init(
      id: SessionID(try row[0]), ttlSeconds: ttlSeconds,
      idleMilliseconds: doubt.idleMilliseconds(max(0, now - activeAt), ttlSeconds: ttlSeconds),
      nextTick: nextTick.map { Instant(milliseconds: $0) }, hasMembers: try row[2],
      status: status.flatMap(SessionStatus.init(rawValue:)))
  }
}
