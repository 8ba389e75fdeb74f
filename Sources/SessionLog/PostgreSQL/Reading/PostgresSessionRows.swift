import Foundation
import PickerSession

/// The rows of a session in a database.
struct PostgresSessionRows: SessionRows {
  let session: StoredSession
  /// The time by the database's clock, in milliseconds since 1970.
  let now: Int64
  private let connection: PostgresConnection

  /// The number of entries that are in memory at the same time.
  private static let pageCount = 500

  /// - Returns: `nil` if there is no such session, or it has ended.
  init?(_ id: SessionID, _ connection: PostgresConnection) throws {
    let row = try connection.run(
      """
      SELECT number, epoch, origin, head, byte_count, event_sequence, active_at, rules, tzdata,
        now_ms() FROM session WHERE id = $1 AND ended_at IS NULL
      """, [.text(id.text)])
    guard row.count == 1, let number = row.int(0, 0), let head = row.int(0, 3),
      let byteCount = row.int(0, 4), let eventSequence = row.int(0, 5),
      let activeAt = row.int(0, 6), let now = row.int(0, 9)
    else { return nil }
    self.connection = connection
    self.now = Int64(now)
    session = StoredSession(
      id: id, number: Int64(number), epoch: row.text(0, 1) ?? "", origin: row.data(0, 2) ?? Data(),
      entryCount: head, byteCount: byteCount, eventSequence: eventSequence,
      activeAt: Int64(activeAt),
      versions: FoldVersions(rules: row.int(0, 7) ?? 0, tzdata: row.text(0, 8)))
  }

  func newestSnapshot() throws -> StoredSnapshot? {
    try snapshots("ORDER BY p.sequence DESC LIMIT 1", []).first
  }

  func newestSnapshotSequence() throws -> Int? {
    try int("SELECT max(sequence) FROM snapshot WHERE session = $1", [])
  }

  func oldestSnapshotSequence() throws -> Int? {
    try int("SELECT min(sequence) FROM snapshot WHERE session = $1", [])
  }

  func snapshots(after sequence: Int, through last: Int) throws -> [StoredSnapshot] {
    try snapshots(
      "AND p.sequence > $2 AND p.sequence <= $3 ORDER BY p.sequence", [.int(sequence), .int(last)])
  }

  func snapshot(upTo revision: Int) throws -> StoredSnapshot? {
    try snapshots(
      "AND (p.revision <= $2 OR p.replaces IS NOT NULL) ORDER BY p.sequence DESC LIMIT 1",
      [.int(revision)]
    ).first
  }

  func baseSequence(revision: Int, rowCount: Int) throws -> Int? {
    try int(
      """
      SELECT max(sequence) FROM snapshot WHERE session = $1
      AND (revision <= $2 OR row_count <= $3 OR replaces IS NOT NULL)
      """, [.int(revision), .int(rowCount)])
  }

  func entries(
    after sequence: Int, through last: Int,
    each: (_ sequence: Int, _ body: Data) throws -> Bool
  ) throws {
    var sequence = sequence
    while true {
      let rows = try connection.run(
        """
        SELECT sequence, body FROM entry WHERE session = $1 AND sequence > $2 AND sequence <= $3
        ORDER BY sequence LIMIT $4
        """,
        [.int(session.number), .int(sequence), .int(last), .int(PostgresSessionRows.pageCount)])
      for row in 0..<rows.count {
        sequence = rows.int(row, 0) ?? 0
        guard try each(sequence, rows.data(row, 1) ?? Data()) else { return }
      }
      if rows.count < PostgresSessionRows.pageCount { return }
    }
  }

  func document(_ digest: Data) throws -> Data? {
    let rows = try connection.run(
      "SELECT body FROM definition WHERE session = $1 AND digest = $2",
      [.int(session.number), .bytes(digest)])
    return rows.count == 0 ? nil : rows.data(0, 0)
  }

  private func int(_ sql: String, _ parameters: [PostgresValue]) throws -> Int? {
    try connection.run(sql, [.int(session.number)] + parameters).int(0, 0)
  }

  /// Reads snapshots with the bodies of their definitions.
  private func snapshots(
    _ condition: String, _ parameters: [PostgresValue]
  ) throws -> [StoredSnapshot] {
    let rows = try connection.run(
      """
      SELECT p.sequence, p.revision, p.is_idle, p.row_count, p.body, d.body, s.body,
        (p.definition IS NOT NULL AND d.body IS NULL) OR (p.shown IS NOT NULL AND s.body IS NULL),
        p.checksum, p.rules, p.tzdata, p.replaces
      FROM snapshot p
      LEFT JOIN definition d ON d.session = p.session AND d.digest = p.definition
      LEFT JOIN definition s ON s.session = p.session AND s.digest = p.shown
      WHERE p.session = $1 \(condition)
      """, [.int(session.number)] + parameters)
    return (0..<rows.count).map { StoredSnapshot(rows, $0) }
  }
}

extension StoredSnapshot {
  fileprivate init(_ rows: PostgresRows, _ row: Int) {
    self.init(
      sequence: rows.int(row, 0) ?? 0, revision: rows.int(row, 1) ?? 0, isIdle: rows.bool(row, 2),
      rowCount: rows.int(row, 3) ?? 0, body: rows.data(row, 4) ?? Data(),
      definition: rows.data(row, 5), shown: rows.data(row, 6), lacksDefinition: rows.bool(row, 7),
      checksum: Int64(rows.int(row, 8) ?? 0),
      versions: FoldVersions(rules: rows.int(row, 9) ?? 0, tzdata: rows.text(row, 10)),
      replaces: rows.text(row, 11))
  }
}
