import Foundation

/// `pickerd move`: copies an SQLite store to an empty database.
///
/// Each session is copied in one transaction. An interrupted move is continued by the next one; if
/// the store has changed meanwhile, that begins again. Until a move is complete, no server uses the
/// database. The epochs stay: clients and readers of the feed continue where they were. A backup
/// gets new epochs, once more with each move.
package enum PostgresMove {
  /// - Parameter progress: Receives the number of copied sessions, and of all, now and then.
  /// - Returns: The number of sessions.
  /// - Throws: ``StoreProblem`` if one of the two cannot be used.
  package static func move(
    from path: String, to address: PostgresAddress,
    progress: (_ count: Int, _ total: Int) -> Void = { _, _ in }
  ) throws(StoreProblem) -> Int {
    // Before anything is made beside the file, or in the database.
    _ = try SQLiteStoreFile.openForReading(path)
    let lock = try lock(path)
    do {
      let connection = try PostgresConnection(
        address, name: "pickerd move", seconds: PostgresSchema.longSeconds)
      _ = try PostgresSchema.open(connection, address, isMove: true)
      guard try PostgresWriter.lock(connection, seconds: 1) else {
        throw StoreProblem("another pickerd serves \(address): stop it")
      }
      let opened = try SQLiteOpening.open(path, lock)
      let count = try opened.pool.read { database in
        try move(database, connection, address, progress)
      }
      // The epochs that it has been given are those of this database only.
      if opened.hasLostHistory {
        try opened.pool.write { try $0.run("UPDATE store SET isBackup = 1") }
      }
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
    _ database: SQLiteConnection, _ connection: PostgresConnection, _ address: PostgresAddress,
    _ progress: (_ count: Int, _ total: Int) -> Void
  ) throws -> Int {
    try begin(database, connection, address)
    let sessions = try database.rows(
      "SELECT number, id FROM session WHERE isEnded = 0 ORDER BY number"
    ) { row in (number: try row[0] as Int64, id: try row[1] as String) }
    for (index, session) in sessions.enumerated() {
      let isCopied = try connection.run(
        "SELECT EXISTS (SELECT FROM session WHERE id = $1)", [.text(session.id)])
      if !isCopied.bool(0, 0) { try copy(session.number, database, connection) }
      if (index + 1).isMultiple(of: 1000) { progress(index + 1, sessions.count) }
    }
    try finish(database, connection)
    return sessions.count
  }

  /// Notes in the database which state of which store is being copied.
  private static func begin(
    _ database: SQLiteConnection, _ connection: PostgresConnection, _ address: PostgresAddress
  ) throws {
    let epoch = try database.value("SELECT epoch FROM feed", as: String.self) ?? ""
    let batch = try database.value("SELECT batch FROM store", as: Int.self) ?? 0
    let source = "\(epoch)/\(batch)"
    let state = try connection.run(
      """
      SELECT moving_from, EXISTS (SELECT FROM session) OR (SELECT newest > 0 FROM feed) FROM store
      """)
    let other = state.text(0, 0)
    guard other != nil || !state.bool(0, 1) else {
      throw StoreProblem("\(address) has sessions already: give an empty database")
    }
    if other == source { return }
    try connection.run([
      PostgresStatement("BEGIN"), PostgresStatement("DELETE FROM session"),
      PostgresStatement("UPDATE store SET moving_from = $1", [.text(source)]),
      PostgresStatement("COMMIT"),
    ])
  }

  /// Copies a session in one transaction.
  private static func copy(
    _ number: Int64, _ database: SQLiteConnection, _ connection: PostgresConnection
  ) throws {
    try connection.run("BEGIN")
    let sql = "SELECT * FROM session WHERE number = ?"
    let target = try database.first(sql, [number]) { row in try copy(row, connection) }
    guard let target else { throw StoreProblem("session \(number) is missing") }
    try copyRows(of: number, database) { try connection.run($0, [.int(target)] + $1) }
    try connection.run("COMMIT")
  }

  /// - Returns: The number of the session in the database.
  private static func copy(
    _ row: SQLiteRow, _ connection: PostgresConnection
  ) throws -> Int {
    let external: String? = try row["external"]
    let copy = try connection.run(
      """
      INSERT INTO session
        (id, epoch, origin, ttl_seconds, head, row_count, byte_count, event_sequence, has_members,
         next_tick, active_at, rules, tzdata, ordinal, external, status)
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)
      RETURNING number
      """,
      [
        .text(try row["id"]), .text(try row["epoch"]), .bytes(try row["origin"]),
        .int(try row["ttlSeconds"] as Int?), .int(try row["entryCount"] as Int?),
        .int(try row["rowCount"] as Int?),
        .int(try row["byteCount"] as Int?), .int(try row["eventSequence"] as Int?),
        .bool(try row["hasMembers"]),
        .int(try row["nextTick"] as Int?), .int(try row["activeAt"] as Int?),
        .int(try row["rules"] as Int?),
        .text(try row["tzdata"]), .int(try row["ordinal"] as Int?),
        .bytes(external.map { Data($0.utf8) }), .text(try row["status"]),
      ])
    return copy.int(0, 0) ?? 0
  }

  private static func copyRows(
    of number: Int64, _ database: SQLiteConnection,
    _ insert: (_ sql: String, _ parameters: [PostgresValue]) throws -> Void
  ) throws {
    try database.forEachPart(
      of: 500, "SELECT place, body FROM entry WHERE session = ? ORDER BY place", [number]
    ) { row in
      (sequence: try row[0] as Int, body: try row[1] as Data)
    } body: { part in
      try insert(
        """
        INSERT INTO entry (session, sequence, node, serial, body)
        SELECT $1, e.sequence, 0, 0, e.body FROM unnest($2, $3) AS e(sequence, body)
        """, [.ints(part.map(\.sequence)), .blobs(part.map(\.body))])
    }
    try database.forEach(
      "SELECT digest, body, isLogged FROM definition WHERE session = ?", [number]
    ) { row in
      try insert(
        "INSERT INTO definition (session, digest, body, is_logged) VALUES ($1, $2, $3, $4)",
        [.bytes(row[0]), .bytes(row[1]), .bool(try row[2])])
      return true
    }
    try database.forEach(
      "SELECT * FROM snapshot WHERE session = ? ORDER BY place", [number]
    ) { row in
      try insert(
        """
        INSERT INTO snapshot
          (session, sequence, revision, is_idle, row_count, body, definition, shown, checksum,
           rules, tzdata, replaces)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
        """,
        [
          .int(try row["place"] as Int?), .int(try row["revision"] as Int?),
          .bool(try row["isIdle"]),
          .int(try row["rowCount"] as Int?), .bytes(try row["body"]), .bytes(try row["definition"]),
          .bytes(try row["shown"]), .int(try row["checksum"] as Int?),
          .int(try row["rules"] as Int?),
          .text(try row["tzdata"]), .text(try row["replaces"]),
        ])
      return true
    }
  }

  /// Copies the feed, its cursors and the idempotency keys, and opens the database for servers.
  private static func finish(_ database: SQLiteConnection, _ connection: PostgresConnection) throws
  {
    try connection.run([
      PostgresStatement("BEGIN"), PostgresStatement("DELETE FROM event"),
      PostgresStatement("DELETE FROM feed_cursor"), PostgresStatement("DELETE FROM creation"),
    ])
    try database.forEachPart(
      of: 500, "SELECT position, at, type, id, body FROM event ORDER BY position"
    ) { row in
      (
        position: try row[0] as Int, at: try row[1] as Int, type: try row[2] as String,
        id: try row[3] as String, body: try row[4] as Data
      )
    } body: { part in
      try connection.run(
        "INSERT INTO event (position, at, type, id, body) SELECT * FROM unnest($1, $2, $3, $4, $5)",
        [
          .ints(part.map(\.position)), .ints(part.map(\.at)), .texts(part.map(\.type)),
          .texts(part.map(\.id)), .blobs(part.map(\.body)),
        ])
    }
    try database.forEach("SELECT newest, byteCount, epoch FROM feed") { row in
      try connection.run(
        "UPDATE feed SET newest = $1, byte_count = $2, epoch = $3",
        [.int(row[0] as Int?), .int(row[1] as Int?), .text(row[2])])
      return true
    }
    try database.forEach("SELECT name, position FROM feedCursor") { row in
      try connection.run(
        "INSERT INTO feed_cursor VALUES ($1, $2)", [.text(row[0]), .int(row[1] as Int?)])
      return true
    }
    try database.forEach("SELECT key, body, session, epoch, salt, at FROM creation") { row in
      try connection.run(
        "INSERT INTO creation VALUES ($1, $2, $3, $4, $5, $6)",
        [
          .bytes(row[0]), .bytes(row[1]), .text(row[2]), .text(row[3]),
          .text(row[4]), .int(row[5] as Int?),
        ])
      return true
    }
    try connection.run([
      PostgresStatement("UPDATE store SET moving_from = NULL"), PostgresStatement("COMMIT"),
    ])
  }
}
