import Foundation
import PickerSession

/// Copies rows from an SQLite store to a database. The schemas are equal.
struct SQLCopy {
  let source: any SQLConnection
  /// In a transaction.
  let target: any SQLConnection

  private typealias Column = (name: String, type: String)

  /// The living sessions in the source.
  func sessions() throws -> [(number: Int64, id: String)] {
    try source.rows("SELECT number, id FROM session WHERE NOT ended ORDER BY number") { row in
      (try row[0], try row[1])
    }
  }

  /// Copies a session with its log. A node of the target must load it soon.
  func copySession(_ number: Int64) throws {
    let columns = try columns(
      of: "session", without: ["number", "ended", "owner", "due_at", "history"])
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
    try copy("entry", of: (number, added))
    try copy("definition", partCount: 10, of: (number, added))
    try copy("snapshot", partCount: 10, of: (number, added))
  }

  /// Copies the feed, its cursors, the idempotency keys, and the shared definitions with their
  /// inventories.
  func copyShared() throws {
    try copy("event")
    try copy("feed_cursor")
    try copy("creation")
    try copy("shared_definition", partCount: 10)
    try copy("inventory")
    try copy("inventory_claim", keyCount: 3)
    try copy("inventory_unit", keyCount: 4)
    try copy("inventory_key", keyCount: 2)
    let version: Int? = try source.value("SELECT shared_version FROM store")
    try target.run("UPDATE store SET shared_version = $1", [version])
    let feed = try source.first("SELECT newest, byte_count, epoch FROM feed") { row in
      [row[0] as Int?, row[1] as Int?, row[2] as String?] as [(any SQLValue)?]
    }
    try target.run("UPDATE feed SET newest = $1, byte_count = $2, epoch = $3", feed ?? [])
  }

  /// Copies the rows of a table, of one session or all, in the order of their key, in parts,
  /// because they may be larger than the memory.
  ///
  /// - Parameters:
  ///   - keyCount: The number of its first columns that are the key, besides the session.
  ///   - session: The numbers of the session in the source and the target.
  private func copy(
    _ table: String, keyCount: Int = 1, partCount: Int = 200,
    of session: (source: Int64, target: Int64)? = nil
  ) throws {
    // `creation` has a column `session`, too: an id, which is copied.
    let columns = try columns(
      of: table, without: session == nil ? ["unused_since"] : ["session", "unused_since"])
    let key = SQLCopy.names(columns.prefix(keyCount))
    let owner = session == nil ? "" : "session = $\(keyCount + 2) AND "
    var last: [(any SQLValue)?] = columns.prefix(keyCount).map { SQLCopy.first(of: $0.type) }
    while true {
      let rows = try source.rows(
        """
        SELECT \(SQLCopy.names(columns)) FROM \(table)
        WHERE \(owner)(\(key)) > (\(SQLCopy.marks(keyCount)))
        ORDER BY \(key) LIMIT $\(keyCount + 1)
        """, last + [partCount] + (session.map { [$0.source] } ?? [])
      ) { SQLCopy.values($0, columns) }
      for row in rows {
        let row = row + (session.map { [$0.target] } ?? [])
        try target.send(
          """
          INSERT INTO \(table) (\(SQLCopy.names(columns))\(session == nil ? "" : ", session"))
          VALUES (\(SQLCopy.marks(row.count)))
          """, row)
      }
      try target.flush()
      guard rows.count == partCount, let end = rows.last else { return }
      last = Array(end.prefix(keyCount))
    }
  }

  private func columns(of table: String, without others: Set<String>) throws -> [Column] {
    try source.rows("SELECT name, lower(type) FROM pragma_table_info($1)", [table]) { row in
      (name: try row[0], type: try row[1])
    }.filter { !others.contains($0.name) }
  }

  private static func names(_ columns: some Collection<Column>) -> String {
    columns.map(\.name).joined(separator: ", ")
  }

  private static func marks(_ count: Int) -> String {
    (1...count).map { "$\($0)" }.joined(separator: ", ")
  }

  /// A value that is less than all of a key.
  private static func first(of type: String) -> any SQLValue {
    switch type {
    case "boolean": false
    case "text": ""
    case "bytea": Data()
    default: Int64.min
    }
  }

  private static func values(_ row: any SQLRow, _ columns: [Column]) -> [(any SQLValue)?] {
    columns.indices.map { index -> (any SQLValue)? in
      switch columns[index].type {
      case "boolean": row[index] as Bool?
      case "text": row[index] as String?
      case "bytea": row[index] as Data?
      default: row[index] as Int64?
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
