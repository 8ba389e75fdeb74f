import Foundation
import PickerSession

/// Copies rows from an SQLite store to a database. The schemas are equal.
struct SQLCopy {
  let source: any SQLConnection
  /// In a transaction.
  let target: any SQLConnection

  enum Kind { case integer, bool, text, blob }

  /// A table whose rows are copied in the order of a key, in parts, because they may be larger than
  /// the memory.
  private struct Table {
    let name: String
    /// The first one is the key.
    let columns: [(name: String, kind: Kind)]
    var partCount = 200
  }

  private static let session: [(name: String, kind: Kind)] = [
    ("id", .text), ("epoch", .text), ("origin", .blob), ("ttl_seconds", .integer),
    ("entry_count", .integer), ("row_count", .integer), ("byte_count", .integer),
    ("event_sequence", .integer), ("has_members", .bool), ("next_tick", .integer),
    ("active_at", .integer), ("status", .text), ("rules", .integer), ("tzdata", .text),
    ("ordinal", .integer), ("external", .blob), ("namespace", .text), ("uses", .text),
  ]
  /// The tables with rows of a session.
  private static let parts = [
    Table(name: "entry", columns: [("sequence", .integer), ("body", .blob)]),
    Table(
      name: "definition", columns: [("digest", .blob), ("body", .blob), ("is_logged", .bool)],
      partCount: 10),
    Table(
      name: "snapshot",
      columns: [
        ("sequence", .integer), ("revision", .integer), ("is_idle", .bool), ("row_count", .integer),
        ("body", .blob), ("definition", .blob), ("shown", .blob), ("checksum", .integer),
        ("rules", .integer), ("tzdata", .text), ("replaces", .text),
      ], partCount: 10),
  ]
  private static let creation = Table(
    name: "creation",
    columns: [
      ("key", .blob), ("body", .blob), ("session", .text), ("epoch", .text), ("salt", .text),
      ("at", .integer),
    ])
  private static let event = Table(
    name: "event",
    columns: [
      ("position", .integer), ("at", .integer), ("type", .text), ("id", .text), ("body", .blob),
      ("namespace", .text),
    ])
  private static let shared = Table(
    name: "shared_definition",
    columns: [
      ("name", .text), ("version", .integer), ("definition", .blob), ("notes", .blob),
      ("inventory", .blob),
    ], partCount: 10)
  private static let cursor = Table(
    name: "feed_cursor", columns: [("name", .text), ("position", .integer)])

  /// The living sessions in the source.
  func sessions() throws -> [(number: Int64, id: String)] {
    try source.rows("SELECT number, id FROM session WHERE NOT ended ORDER BY number") { row in
      (try row[0], try row[1])
    }
  }

  /// Copies a session with its log. A node of the target must load it soon.
  func copySession(_ number: Int64) throws {
    let columns = SQLCopy.session
    let row = try source.first(
      "SELECT \(SQLCopy.names(columns)) FROM session WHERE number = $1", [number]
    ) { row in SQLCopy.values(row, columns) }
    guard let row else { throw StoreProblem("session \(number) is missing") }
    let added: Int64? = try target.value(
      """
      INSERT INTO session (\(SQLCopy.names(columns)), due_at)
      VALUES (\(SQLCopy.marks(columns.count)), 0) RETURNING number
      """, row)
    guard let added else { throw StoreProblem("session \(number) was not copied") }
    for table in SQLCopy.parts { try copy(table, of: number, to: added) }
  }

  /// Copies the feed, its cursors, the idempotency keys and the shared definitions.
  func copyShared() throws {
    for table in [SQLCopy.event, SQLCopy.cursor, SQLCopy.creation, SQLCopy.shared] {
      try copy(table)
    }
    try copyInventories()
    let version: Int? = try source.value("SELECT shared_version FROM store")
    try target.run("UPDATE store SET shared_version = $1", [version])
    let feed = try source.first("SELECT newest, byte_count, epoch FROM feed") { row in
      [row[0] as Int?, row[1] as Int?, row[2] as String?] as [(any SQLValue)?]
    }
    try target.run("UPDATE feed SET newest = $1, byte_count = $2, epoch = $3", feed ?? [])
  }

  private func copy(_ table: Table, of session: Int64? = nil, to number: Int64? = nil) throws {
    let (columns, key) = (table.columns, table.columns[0].name)
    let owner = session == nil ? "" : " AND session = $3"
    var last: (any SQLValue)?
    while true {
      let rows = try source.rows(
        """
        SELECT \(SQLCopy.names(columns)) FROM \(table.name)
        WHERE \(last == nil ? "$1 = $1" : "\(key) > $1")\(owner) ORDER BY \(key) LIMIT $2
        """, [last ?? 0, table.partCount] + (session.map { [$0] } ?? [])
      ) { SQLCopy.values($0, columns) }
      let count = columns.count + (number == nil ? 0 : 1)
      for row in rows {
        try target.send(
          """
          INSERT INTO \(table.name) (\(SQLCopy.names(columns))\(number == nil ? "" : ", session"))
          VALUES (\(SQLCopy.marks(count)))
          """, row + (number.map { [$0] } ?? []))
      }
      try target.flush()
      guard rows.count == table.partCount, let end = rows.last?[0] else { return }
      last = end
    }
  }

  static func names(_ columns: [(name: String, kind: Kind)]) -> String {
    columns.map(\.name).joined(separator: ", ")
  }

  static func marks(_ count: Int) -> String {
    (1...count).map { "$\($0)" }.joined(separator: ", ")
  }

  static func values(
    _ row: any SQLRow, _ columns: [(name: String, kind: Kind)]
  ) -> [(any SQLValue)?] {
    columns.indices.map { index -> (any SQLValue)? in
      switch columns[index].kind {
      case .integer: row[index] as Int64?
      case .bool: row[index] as Bool?
      case .text: row[index] as String?
      case .blob: row[index] as Data?
      }
    }
  }
}

/// `pickerd move`: copies an SQLite store to an empty database.
///
/// Each session is copied in one transaction. An interrupted move is continued by the next one; if
/// the store has changed meanwhile, that begins again. Until a move is complete, no server uses the
/// database. The epochs stay: clients and readers of the feed continue where they were. A backup
/// gets new epochs, once more with each move.
package enum StoreMove {
  /// - Parameter progress: Receives the number of copied sessions, and of all, now and then.
  /// - Returns: The number of sessions.
  /// - Throws: ``StoreProblem`` if one of the two cannot be used.
  package static func move(
    from path: String, to address: PostgresAddress,
    progress: (_ count: Int, _ total: Int) -> Void = { _, _ in }
  ) throws(StoreProblem) -> Int {
    // Before anything is made beside the file, or in the database.
    _ = try SQLiteStoreFile.openForReading(path)
    do {
      let lock = try lock(path)
      let connection = try PostgresConnection(address, name: "pickerd move", seconds: 3600)
      try PostgresEngine.openSchema(connection, of: address)
      try PostgresEngine.serve(on: connection, alone: true, of: address)
      let opened = try SQLiteOpening.open(lock.path, lock)
      let count = try move(opened.connection, connection, address, progress)
      // The epochs that it has been given are those of this database only.
      if opened.hasLostHistory { try opened.connection.run("UPDATE store SET is_backup = true") }
      return count
    } catch let problem as StoreProblem {
      throw problem
    } catch {
      throw StoreProblem("cannot move \(path) to \(address): \(error)")
    }
  }

  private static func lock(_ path: String) throws(StoreProblem) -> StoreLock {
    do throws(StoreProblem) {
      return try StoreLock(path: path)
    } catch {
      throw error.isLocked ? StoreProblem("another pickerd serves \(path): stop it") : error
    }
  }

  private static func move(
    _ source: any SQLConnection, _ target: any SQLConnection, _ address: PostgresAddress,
    _ progress: (_ count: Int, _ total: Int) -> Void
  ) throws -> Int {
    try begin(source, target, address)
    let copy = SQLCopy(source: source, target: target)
    let sessions = try copy.sessions()
    for (index, session) in sessions.enumerated() {
      let isCopied = try target.value(
        "SELECT EXISTS (SELECT 1 FROM session WHERE id = $1)", [session.id], as: Bool.self)
      if isCopied != true { try target.transaction { try copy.copySession(session.number) } }
      if (index + 1).isMultiple(of: 1000) { progress(index + 1, sessions.count) }
    }
    try target.transaction {
      for table in ["event", "feed_cursor", "creation", "shared_definition"] {
        try target.send("DELETE FROM \(table)")
      }
      try copy.copyShared()
      try target.send("UPDATE store SET moving_from = NULL")
    }
    return sessions.count
  }

  /// Notes in the database which state of which store is being copied.
  private static func begin(
    _ source: any SQLConnection, _ target: any SQLConnection, _ address: PostgresAddress
  ) throws {
    let epoch: String = try source.value("SELECT epoch FROM feed") ?? ""
    let batch: Int = try source.value("SELECT batch FROM store") ?? 0
    let name = "\(epoch)/\(batch)"
    let other: String? = try target.value("SELECT moving_from FROM store")
    let isUsed: Bool? = try target.value(
      "SELECT EXISTS (SELECT 1 FROM session) OR (SELECT newest > 0 FROM feed)")
    guard other != nil || isUsed != true else {
      throw StoreProblem("\(address) has sessions already: give an empty database")
    }
    if other == name { return }
    try target.transaction {
      try target.send("DELETE FROM session")
      try target.send("UPDATE store SET moving_from = $1", [name])
    }
  }
}
