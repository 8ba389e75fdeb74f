import Foundation
import GRDB
import PickerSession

/// The rows of a session in an SQLite file.
struct SQLiteRows: SessionRows {
  let session: StoredSession
  private let database: Database

  /// - Returns: `nil` if there is no such session, or it has ended.
  init?(_ id: SessionID, _ database: Database) throws {
    let row = try Row.fetchOne(
      database, sql: "SELECT * FROM session WHERE id = ? AND isEnded = 0", arguments: [id.text])
    guard let row else { return nil }
    self.database = database
    session = StoredSession(
      id: id, number: row["number"], epoch: row["epoch"], origin: row["origin"],
      entryCount: row["entryCount"], byteCount: row["byteCount"],
      eventSequence: row["eventSequence"], activeAt: row["activeAt"], versions: FoldVersions(row))
  }

  func newestSnapshot() throws -> StoredSnapshot? {
    try snapshots(where: "", "ORDER BY place DESC LIMIT 1", []).first
  }

  func newestSnapshotSequence() throws -> Int? {
    try Int.fetchOne(
      database, sql: "SELECT max(place) FROM snapshot WHERE session = ?",
      arguments: [session.number])
  }

  func oldestSnapshotSequence() throws -> Int? {
    try Int.fetchOne(
      database, sql: "SELECT min(place) FROM snapshot WHERE session = ?",
      arguments: [session.number])
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
    let statement = try database.cachedStatement(sql: SQLiteRows.baseSQL)
    return try Int.fetchOne(statement, arguments: [session.number, revision, rowCount])
  }

  func entries(
    after sequence: Int, through last: Int,
    each: (_ sequence: Int, _ body: Data) throws -> Bool
  ) throws {
    let rows = try Row.fetchCursor(
      database,
      sql: """
        SELECT place, body FROM entry WHERE session = ? AND place > ? AND place <= ? ORDER BY place
        """, arguments: [session.number, sequence, last])
    while let row = try rows.next(), try each(row[0], row[1]) {}
  }

  func document(_ digest: Data) throws -> Data? {
    let statement = try database.cachedStatement(
      sql: "SELECT body FROM definition WHERE session = ? AND digest = ?")
    return try Data.fetchOne(statement, arguments: [session.number, digest])
  }

  /// Reads snapshots with the bodies of their definitions.
  private func snapshots(
    where condition: String, _ order: String, _ arguments: StatementArguments
  ) throws -> [StoredSnapshot] {
    try Row.fetchAll(
      database,
      sql: """
        SELECT snapshot.*, definition.body AS definitionBody, shown.body AS shownBody FROM snapshot
        LEFT JOIN definition ON definition.session = snapshot.session
          AND definition.digest = snapshot.definition
        LEFT JOIN definition AS shown ON shown.session = snapshot.session
          AND shown.digest = snapshot.shown
        WHERE snapshot.session = ? \(condition) \(order)
        """, arguments: StatementArguments([session.number]) + arguments
    ).map(StoredSnapshot.init)
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
  fileprivate init(_ row: Row) {
    let (definition, shown): (Data?, Data?) = (row["definitionBody"], row["shownBody"])
    let digests: [Data?] = [row["definition"], row["shown"]]
    self.init(
      sequence: row["place"], revision: row["revision"], isIdle: row["isIdle"],
      rowCount: row["rowCount"], body: row["body"], definition: definition, shown: shown,
      lacksDefinition: digests.count { $0 != nil } != [definition, shown].count { $0 != nil },
      checksum: row["checksum"], versions: FoldVersions(row), replaces: row["replaces"])
  }
}

extension FoldVersions {
  /// The versions in a row of a session or a snapshot; `nil` if an older pickerd wrote it.
  fileprivate init?(_ row: Row) {
    guard let rules: Int = row["rules"] else { return nil }
    self.init(rules: rules, tzdata: row["tzdata"])
  }
}
