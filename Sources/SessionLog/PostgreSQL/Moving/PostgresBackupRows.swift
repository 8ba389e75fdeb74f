import Foundation
import PickerSession

/// Copies rows from a snapshot of a database into a transaction of an SQLite store.
struct PostgresBackupRows {
  let connection: PostgresConnection
  let database: SQLiteConnection

  /// Copies the living sessions, or one of them.
  ///
  /// - Returns: Their number.
  func copySessions(_ only: SessionID?) throws -> Int {
    var (last, count) = (0, 0)
    while true {
      let rows = try connection.run(
        """
        SELECT number, id, epoch, origin, ttl_seconds, head, has_members, next_tick, active_at,
          row_count, byte_count, rules, tzdata, event_sequence, ordinal, external, status
        FROM session WHERE number > $1 AND ended_at IS NULL AND ($2 IS NULL OR id = $2)
        ORDER BY number LIMIT 500
        """, [.int(last), .text(only?.text)])
      guard rows.count > 0 else { return count }
      for row in 0..<rows.count {
        last = rows.int(row, 0) ?? 0
        try copySession(rows, row)
      }
      count += rows.count
    }
  }

  private func copySession(_ rows: PostgresRows, _ row: Int) throws {
    try database.run(
      """
      INSERT INTO session
        (id, epoch, origin, ttlSeconds, entryCount, hasMembers, nextTick, activeAt, rowCount,
         byteCount, rules, tzdata, eventSequence, ordinal, external, status)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """,
      [
        rows.text(row, 1), rows.text(row, 2), rows.data(row, 3), rows.int(row, 4),
        rows.int(row, 5), rows.bool(row, 6), rows.int(row, 7), rows.int(row, 8),
        rows.int(row, 9), rows.int(row, 10), rows.int(row, 11), rows.text(row, 12),
        rows.int(row, 13), rows.int(row, 14), rows.text(row, 15), rows.text(row, 16),
      ])
    let (source, target) = (rows.int(row, 0) ?? 0, database.lastInsertedRow)
    try copyEntries(of: source, to: target)
    try copyDefinitions(of: source, to: target)
    try copySnapshots(of: source, to: target)
  }

  /// In parts, because a log may be larger than the memory.
  private func copyEntries(of session: Int, to target: Int64) throws {
    var last = 0
    while true {
      let rows = try connection.run(
        """
        SELECT sequence, body FROM entry WHERE session = $1 AND sequence > $2
        ORDER BY sequence LIMIT 200
        """, [.int(session), .int(last)])
      guard rows.count > 0 else { return }
      for row in 0..<rows.count {
        last = rows.int(row, 0) ?? 0
        try database.run(
          "INSERT INTO entry (session, place, body) VALUES (?, ?, ?)",
          [target, last, rows.data(row, 1)])
      }
    }
  }

  private func copyDefinitions(of session: Int, to target: Int64) throws {
    var last = Data()
    while true {
      let rows = try connection.run(
        """
        SELECT digest, body, is_logged FROM definition WHERE session = $1 AND digest > $2
        ORDER BY digest LIMIT 10
        """, [.int(session), .bytes(last)])
      guard rows.count > 0 else { return }
      for row in 0..<rows.count {
        last = rows.data(row, 0) ?? Data()
        try database.run(
          "INSERT INTO definition (session, digest, body, isLogged) VALUES (?, ?, ?, ?)",
          [target, last, rows.data(row, 1), rows.bool(row, 2)])
      }
    }
  }

  private func copySnapshots(of session: Int, to target: Int64) throws {
    var last = -1
    while true {
      let rows = try connection.run(
        """
        SELECT sequence, revision, is_idle, row_count, body, definition, shown, checksum, rules,
          tzdata, replaces
        FROM snapshot WHERE session = $1 AND sequence > $2 ORDER BY sequence LIMIT 10
        """, [.int(session), .int(last)])
      guard rows.count > 0 else { return }
      for row in 0..<rows.count {
        last = rows.int(row, 0) ?? 0
        try database.run(
          """
          INSERT INTO snapshot
            (session, place, revision, isIdle, rowCount, body, definition, shown, checksum,
             rules, tzdata, replaces)
          VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
          """,
          [
            target, last, rows.int(row, 1), rows.bool(row, 2), rows.int(row, 3),
            rows.data(row, 4), rows.data(row, 5), rows.data(row, 6), rows.int(row, 7),
            rows.int(row, 8), rows.text(row, 9), rows.text(row, 10),
          ])
      }
    }
  }
}

/// What belongs to all sessions.
extension PostgresBackupRows {
  /// Copies the feed, its cursors and the idempotency keys.
  func copyShared() throws {
    let feed = try connection.run("SELECT newest, byte_count, epoch FROM feed")
    try database.run(
      "UPDATE feed SET newest = ?, byteCount = ?, epoch = ?",
      [feed.int(0, 0), feed.int(0, 1), feed.text(0, 2)])
    try copyEvents()
    let cursors = try connection.run("SELECT name, position FROM feed_cursor")
    for row in 0..<cursors.count {
      try database.run(
        "INSERT INTO feedCursor VALUES (?, ?)",
        [cursors.text(row, 0), cursors.int(row, 1)])
    }
    var last = Data()
    while true {
      let rows = try connection.run(
        """
        SELECT key, body, session, epoch, salt, at FROM creation WHERE key > $1
        ORDER BY key LIMIT 500
        """, [.bytes(last)])
      guard rows.count > 0 else { return }
      for row in 0..<rows.count {
        last = rows.data(row, 0) ?? Data()
        try insertCreation(rows, row)
      }
    }
  }

  /// Copies the idempotency key of one session.
  func copyCreation(of session: SessionID) throws {
    let rows = try connection.run(
      "SELECT key, body, session, epoch, salt, at FROM creation WHERE session = $1",
      [.text(session.text)])
    for row in 0..<rows.count { try insertCreation(rows, row) }
  }

  private func insertCreation(_ rows: PostgresRows, _ row: Int) throws {
    try database.run(
      "INSERT INTO creation (key, body, session, epoch, salt, at) VALUES (?, ?, ?, ?, ?, ?)",
      [
        rows.data(row, 0), rows.data(row, 1), rows.text(row, 2), rows.text(row, 3),
        rows.text(row, 4), rows.int(row, 5),
      ])
  }

  private func copyEvents() throws {
    var last = 0
    while true {
      let rows = try connection.run(
        """
        SELECT position, at, type, id, body FROM event WHERE position > $1
        ORDER BY position LIMIT 200
        """, [.int(last)])
      guard rows.count > 0 else { return }
      for row in 0..<rows.count {
        last = rows.int(row, 0) ?? 0
        try database.run(
          "INSERT INTO event (position, at, type, id, body) VALUES (?, ?, ?, ?, ?)",
          [
            last, rows.int(row, 1), rows.text(row, 2), rows.text(row, 3), rows.data(row, 4),
          ])
      }
    }
  }
}
