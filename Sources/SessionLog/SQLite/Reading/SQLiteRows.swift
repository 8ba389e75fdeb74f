import Foundation
import PickerSession

/// The rows of a session in an SQLite file.
struct SQLiteRows: SessionRows {
  let session: StoredSession
  private let database: SQLiteConnection

  /// - Returns: `nil` if there is no such session, or it has ended.
  init?(_ id: SessionID, _ database: SQLiteConnection) throws {
    let session = try database.first(
      "SELECT * FROM session WHERE id = ? AND isEnded = 0", [id.text]
    ) { row in
      StoredSession(
        id: id, number: try row["number"], epoch: try row["epoch"], origin: try row["origin"],
        entryCount: try row["entryCount"], byteCount: try row["byteCount"],
        eventSequence: try row["eventSequence"], activeAt: try row["activeAt"],
        versions: try FoldVersions(row))
    }
    guard let session else { return nil }
    self.database = database
    self.session = session
  }

  func newestSnapshot() throws -> StoredSnapshot? {
    try snapshots(where: "", "ORDER BY place DESC LIMIT 1", []).first
  }

  func newestSnapshotSequence() throws -> Int? {
    try database.value(
      "SELECT max(place) FROM snapshot WHERE session = ?", [session.number], as: Int.self)
  }

  func oldestSnapshotSequence() throws -> Int? {
    try database.value(
      "SELECT min(place) FROM snapshot WHERE session = ?", [session.number], as: Int.self)
  }

  func snapshots(after sequence: Int, through last: Int) throws -> [StoredSnapshot] {
    try snapshots(where: "AND place > ? AND place <= ?", "ORDER BY place", [sequence, last])
  }

  func snapshot(upTo revision: Int) throws -> StoredSnapshot? {
    try snapshots(
      where: "AND (revision <= ? OR replaces IS NOT NULL)", "ORDER BY place DESC LIMIT 1",
      [revision]
    ).first
  }

  func baseSequence(revision: Int, rowCount: Int) throws -> Int? {
    try database.value(SQLiteRows.baseSQL, [session.number, revision, rowCount])
  }

  func entries(
    after sequence: Int, through last: Int,
    each: (_ sequence: Int, _ body: Data) throws -> Bool
  ) throws {
    try database.forEach(
      """
      SELECT place, body FROM entry WHERE session = ? AND place > ? AND place <= ? ORDER BY place
      """, [session.number, sequence, last]
    ) { row in try each(try row[0], try row[1]) }
  }

  func document(_ digest: Data) throws -> Data? {
    try database.value(
      "SELECT body FROM definition WHERE session = ? AND digest = ?", [session.number, digest])
  }

  /// Reads snapshots with the bodies of their definitions.
  private func snapshots(
    where condition: String, _ order: String, _ values: [any SQLiteValue]
  ) throws -> [StoredSnapshot] {
    try database.rows(
      """
      SELECT snapshot.*, definition.body AS definitionBody, shown.body AS shownBody FROM snapshot
      LEFT JOIN definition ON definition.session = snapshot.session
        AND definition.digest = snapshot.definition
      LEFT JOIN definition AS shown ON shown.session = snapshot.session
        AND shown.digest = snapshot.shown
      WHERE snapshot.session = ? \(condition) \(order)
      """, [session.number] + values, StoredSnapshot.init)
  }

  /// Selects the snapshot where reading the history begins, for a session (1), a revision (2) and a
  /// row count (3): the newest one that is old enough, or from which the session continued under a
  /// new epoch. Pruning uses it, too.
  static let baseSQL = """
    SELECT max(place) FROM snapshot WHERE session = ?1
    AND (revision <= ?2 OR rowCount <= ?3 OR replaces IS NOT NULL)
    """
}

extension StoredSnapshot {
  fileprivate init(_ row: SQLiteRow) throws {
    let definition: Data? = try row["definitionBody"]
    let shown: Data? = try row["shownBody"]
    let digests: [Data?] = [try row["definition"], try row["shown"]]
    self.init(
      sequence: try row["place"], revision: try row["revision"], isIdle: try row["isIdle"],
      rowCount: try row["rowCount"], body: try row["body"], definition: definition, shown: shown,
      lacksDefinition: digests.count { $0 != nil } != [definition, shown].count { $0 != nil },
      checksum: try row["checksum"], versions: try FoldVersions(row),
      replaces: try row["replaces"])
  }
}

extension FoldVersions {
  /// The versions in a row of a session or a snapshot.
  fileprivate init(_ row: SQLiteRow) throws {
    self.init(rules: try row["rules"], tzdata: try row["tzdata"])
  }
}
