import Foundation
import GRDB

/// `pickerd move`: copies an SQLite store to an empty database.
///
/// Each session is copied in one transaction. An interrupted move is continued by the next one; if
/// the store has changed meanwhile, that begins again. Until a move is complete, no server uses the
/// database. The epochs stay: clients and readers of the feed continue where they were.
package enum PostgresMove {
  /// - Parameter progress: Receives the number of copied sessions, and of all, now and then.
  /// - Returns: The number of sessions.
  /// - Throws: ``StoreProblem`` if one of the two cannot be used.
  package static func move(
    from path: String, to address: PostgresAddress,
    progress: (_ count: Int, _ total: Int) -> Void = { _, _ in }
  ) throws(StoreProblem) -> Int {
    guard FileManager.default.fileExists(atPath: path) else {
      throw StoreProblem("there is no store \(path)")
    }
    let lock = try StoreLock(path: path)
    let pool = try SQLiteOpening.open(path, lock).pool
    do {
      let connection = try PostgresConnection(address, name: "pickerd move")
      _ = try PostgresSchema.open(connection, isMove: true)
      guard try PostgresWriter.lock(connection, seconds: 1) else {
        throw StoreProblem("another pickerd serves \(address): stop it")
      }
      return try pool.read { database in
        try move(database, connection, address, progress)
      }
    } catch let problem as StoreProblem {
      throw problem
    } catch {
      throw StoreProblem("cannot move \(path) to \(address): \(error.storeText)")
    }
  }

  private static func move(
    _ database: Database, _ connection: PostgresConnection, _ address: PostgresAddress,
    _ progress: (_ count: Int, _ total: Int) -> Void
  ) throws -> Int {
    try begin(database, connection, address)
    let rows = try Row.fetchAll(
      database, sql: "SELECT number, id FROM session WHERE isEnded = 0 ORDER BY number")
    for (index, row) in rows.enumerated() {
      let isCopied = try connection.run(
        "SELECT EXISTS (SELECT FROM session WHERE id = $1)", [.text(row["id"])])
      if !isCopied.bool(0, 0) { try copy(row["number"], database, connection) }
      if (index + 1).isMultiple(of: 1000) { progress(index + 1, rows.count) }
    }
    try finish(database, connection)
    return rows.count
  }

  /// Notes in the database which state of which store is being copied.
  private static func begin(
    _ database: Database, _ connection: PostgresConnection, _ address: PostgresAddress
  ) throws {
    let epoch = try String.fetchOne(database, sql: "SELECT epoch FROM feed") ?? ""
    let batch = try Int.fetchOne(database, sql: "SELECT batch FROM store") ?? 0
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
    _ number: Int64, _ database: Database, _ connection: PostgresConnection
  ) throws {
    guard
      let session = try Row.fetchOne(
        database, sql: "SELECT * FROM session WHERE number = ?", arguments: [number])
    else { return }
    try connection.run("BEGIN")
    let copy = try connection.run(
      """
      INSERT INTO session
        (id, epoch, origin, ttl_seconds, head, row_count, byte_count, event_sequence, has_members,
         next_tick, active_at, rules, tzdata, ordinal, external, status)
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)
      RETURNING number
      """,
      [
        .text(session["id"]), .text(session["epoch"]), .bytes(session["origin"]),
        .int(session["ttlSeconds"] as Int64), .int(session["entryCount"] as Int64),
        .int(session["rowCount"] as Int64), .int(session["byteCount"] as Int64),
        .int(session["eventSequence"] as Int64), .bool(session["hasMembers"]),
        .int(session["nextTick"] as Int64?), .int(session["activeAt"] as Int64),
        .int(session["rules"] as Int64?), .text(session["tzdata"]),
        .int((session["ordinal"] as Int64?) ?? number),
        .bytes((session["external"] as String?).map { Data($0.utf8) }), .text(session["status"]),
      ])
    let target = copy.int(0, 0) ?? 0
    try copyRows(of: number, database) { try connection.run($0, [.int(target)] + $1) }
    try connection.run("COMMIT")
  }

  private static func copyRows(
    of number: Int64, _ database: Database,
    _ insert: (_ sql: String, _ parameters: [PostgresValue]) throws -> Void
  ) throws {
    let entries = try Row.fetchCursor(
      database, sql: "SELECT place, body FROM entry WHERE session = ? ORDER BY place",
      arguments: [number])
    while case let part = try entries.part(of: 500), !part.isEmpty {
      try insert(
        """
        INSERT INTO entry (session, sequence, node, serial, body)
        SELECT $1, e.sequence, 0, 0, e.body FROM unnest($2, $3) AS e(sequence, body)
        """, [.ints(part.map { $0[0] }), .blobs(part.map { $0[1] })])
    }
    let definitions = try Row.fetchCursor(
      database, sql: "SELECT digest, body, isLogged FROM definition WHERE session = ?",
      arguments: [number])
    while let row = try definitions.next() {
      try insert(
        "INSERT INTO definition (session, digest, body, is_logged) VALUES ($1, $2, $3, $4)",
        [.bytes(row[0]), .bytes(row[1]), .bool(row[2])])
    }
    let snapshots = try Row.fetchCursor(
      database, sql: "SELECT * FROM snapshot WHERE session = ? ORDER BY place",
      arguments: [number])
    while let row = try snapshots.next() {
      try insert(
        """
        INSERT INTO snapshot
          (session, sequence, revision, is_idle, row_count, body, definition, shown, checksum,
           rules, tzdata, replaces)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
        """,
        [
          .int(row["place"] as Int64), .int(row["revision"] as Int64), .bool(row["isIdle"]),
          .int(row["rowCount"] as Int64), .bytes(row["body"]), .bytes(row["definition"]),
          .bytes(row["shown"]), .int(row["checksum"] as Int64?), .int(row["rules"] as Int64?),
          .text(row["tzdata"]), .text(row["replaces"]),
        ])
    }
  }

  /// Copies the feed, its cursors and the idempotency keys, and opens the database for servers.
  private static func finish(_ database: Database, _ connection: PostgresConnection) throws {
    try connection.run([
      PostgresStatement("BEGIN"), PostgresStatement("DELETE FROM event"),
      PostgresStatement("DELETE FROM feed_cursor"), PostgresStatement("DELETE FROM creation"),
    ])
    let events = try Row.fetchCursor(
      database, sql: "SELECT position, at, type, id, body FROM event ORDER BY position")
    while case let part = try events.part(of: 500), !part.isEmpty {
      try connection.run(
        "INSERT INTO event (position, at, type, id, body) SELECT * FROM unnest($1, $2, $3, $4, $5)",
        [
          .ints(part.map { $0[0] }), .ints(part.map { $0[1] }), .texts(part.map { $0[2] }),
          .texts(part.map { $0[3] }), .blobs(part.map { $0[4] }),
        ])
    }
    if let feed = try Row.fetchOne(database, sql: "SELECT newest, byteCount, epoch FROM feed") {
      try connection.run(
        "UPDATE feed SET newest = $1, byte_count = $2, epoch = $3",
        [.int(feed[0] as Int64), .int(feed[1] as Int64), .text(feed[2])])
    }
    for row in try Row.fetchAll(database, sql: "SELECT name, position FROM feedCursor") {
      try connection.run(
        "INSERT INTO feed_cursor VALUES ($1, $2)", [.text(row[0]), .int(row[1] as Int64)])
    }
    let keys = try Row.fetchCursor(
      database, sql: "SELECT key, body, session, epoch, salt, at FROM creation")
    while let row = try keys.next() {
      try connection.run(
        "INSERT INTO creation VALUES ($1, $2, $3, $4, $5, $6)",
        [
          .bytes(row[0]), .bytes(row[1]), .text(row[2]), .text(row[3]), .text(row[4]),
          .int(row[5] as Int64),
        ])
    }
    try connection.run([
      PostgresStatement("UPDATE store SET moving_from = NULL"), PostgresStatement("COMMIT"),
    ])
  }
}

extension RowCursor {
  /// The next rows, at most `count`.
  fileprivate func part(of count: Int) throws -> [Row] {
    var rows: [Row] = []
    while rows.count < count, let row = try next() { rows.append(row.copy()) }
    return rows
  }
}
