import CSQLite

/// A connection to a database file. Used by one thread at a time.
///
/// Statements are prepared once and reused. All methods throw an ``SQLiteError`` if SQLite does;
/// what the closures throw is passed on.
/// - Source: sqlite.org/cintro.html
package final class SQLiteConnection {
  private let handle: OpaquePointer
  /// Prepared statements that are not in use, by their text.
  private var statements: [String: OpaquePointer] = [:]

  /// The maximum of prepared statements; more than the texts of this program.
  private static let statementCountMax = 128

  /// Opens or creates a file. A locked file is waited for, up to 5 seconds; foreign keys are
  /// enforced.
  package init(_ path: String, isReadOnly: Bool = false) throws(SQLiteError) {
    let access = isReadOnly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
    var handle: OpaquePointer?
    let code = sqlite3_open_v2(path, &handle, access | SQLITE_OPEN_NOMUTEX, nil)
    guard code == SQLITE_OK, let handle else {
      defer { sqlite3_close_v2(handle) }
      throw SQLiteError(code: code, handle)
    }
    self.handle = handle
    sqlite3_busy_timeout(handle, 5000)
    try run(script: "PRAGMA foreign_keys = ON")
  }

  deinit {
    for statement in statements.values { sqlite3_finalize(statement) }
    sqlite3_close_v2(handle)
  }

  /// The number of rows that the last INSERT, UPDATE or DELETE has changed.
  package var changedRowCount: Int { Int(sqlite3_changes64(handle)) }

  package var lastInsertedRow: Int64 { sqlite3_last_insert_rowid(handle) }

  /// Runs a statement, and ignores its rows.
  package func run(
    _ sql: String, _ values: [(any SQLiteValue)?] = []
  ) throws(SQLiteError) {
    let statement = try prepared(sql, values)
    defer { release(statement, sql) }
    while try step(statement) {}
  }

  /// Runs statements without parameters.
  package func run(script: String) throws(SQLiteError) {
    let code = sqlite3_exec(handle, script, nil, nil, nil)
    guard code == SQLITE_OK else { throw SQLiteError(code: code, handle) }
  }

  /// Calls `body` with each row, until it returns `false`.
  package func forEach(
    _ sql: String, _ values: [(any SQLiteValue)?] = [], _ body: (SQLiteRow) throws -> Bool
  ) throws {
    let statement = try prepared(sql, values)
    defer { release(statement, sql) }
    while try step(statement), try body(SQLiteRow(statement)) {}
  }

  /// Returns a value for each row.
  package func rows<Value>(
    _ sql: String, _ values: [(any SQLiteValue)?] = [], _ value: (SQLiteRow) throws -> Value
  ) throws -> [Value] {
    var all: [Value] = []
    try forEach(sql, values) { row in
      all.append(try value(row))
      return true
    }
    return all
  }

  /// Calls `body` with the values of all rows, in parts of at most `count`.
  package func forEachPart<Value>(
    of count: Int, _ sql: String, _ values: [(any SQLiteValue)?] = [],
    _ value: (SQLiteRow) throws -> Value, body: ([Value]) throws -> Void
  ) throws {
    var part: [Value] = []
    try forEach(sql, values) { row in
      part.append(try value(row))
      if part.count == count {
        try body(part)
        part.removeAll(keepingCapacity: true)
      }
      return true
    }
    if !part.isEmpty { try body(part) }
  }

  /// Returns a value for the first row, if there is one.
  package func first<Value>(
    _ sql: String, _ values: [(any SQLiteValue)?] = [], _ value: (SQLiteRow) throws -> Value
  ) throws -> Value? {
    var first: Value?
    try forEach(sql, values) { row in
      first = try value(row)
      return false
    }
    return first
  }

  /// Returns the first column of the first row; `nil` if it is NULL or there is none.
  package func value<Value: SQLiteValue>(
    _ sql: String, _ values: [(any SQLiteValue)?] = [], as type: Value.Type = Value.self
  ) throws -> Value? {
    try first(sql, values) { row -> Value? in row[0] } ?? nil
  }

  package func hasTable(_ name: String) throws -> Bool {
    let sql = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?"
    return try value(sql, [name], as: Int.self) != nil
  }

  /// The bytes of the pages in use, without those that are free and will be used again. In a
  /// transaction, its changes count.
  /// - Source: sqlite.org/pragma.html#pragma_freelist_count
  var usedByteCount: Int {
    get throws {
      let count = try value("PRAGMA page_count", as: Int.self) ?? 0
      let freeCount = try value("PRAGMA freelist_count", as: Int.self) ?? 0
      return try (count - freeCount) * (value("PRAGMA page_size", as: Int.self) ?? 0)
    }
  }

  /// The moment at which a transaction locks the file.
  package enum Lock: String {
    /// With its first statement, so that it may fail later.
    case deferred
    case immediate
  }

  /// Runs `body` in a transaction, which is rolled back if it throws.
  package func transaction<Value>(
    _ lock: Lock = .immediate, _ body: () throws -> Value
  ) throws -> Value {
    try run("BEGIN \(lock.rawValue)")
    do {
      let value = try body()
      try run("COMMIT")
      return value
    } catch {
      // SQLite has rolled back by itself after some errors.
      if sqlite3_get_autocommit(handle) == 0 { try? run("ROLLBACK") }
      throw error
    }
  }

  /// Copies the whole database to another file, as it is at one moment.
  /// - Source: sqlite.org/backup.html
  package func copy(to other: SQLiteConnection) throws(SQLiteError) {
    guard let copy = sqlite3_backup_init(other.handle, "main", handle, "main") else {
      throw SQLiteError(code: sqlite3_errcode(other.handle), other.handle)
    }
    let code = sqlite3_backup_step(copy, -1)
    sqlite3_backup_finish(copy)
    guard code == SQLITE_DONE else { throw SQLiteError(code: code, nil) }
  }

  private func prepared(
    _ sql: String, _ values: [(any SQLiteValue)?]
  ) throws(SQLiteError) -> OpaquePointer {
    let reused = statements.removeValue(forKey: sql)
    let statement = if let reused { reused } else { try prepare(sql) }
    for (index, value) in values.enumerated() {
      let place = Int32(index + 1)
      let code = value?.bind(statement, place) ?? sqlite3_bind_null(statement, place)
      guard code == SQLITE_OK else {
        release(statement, sql)
        throw SQLiteError(code: code, handle)
      }
    }
    return statement
  }

  private func prepare(_ sql: String) throws(SQLiteError) -> OpaquePointer {
    var statement: OpaquePointer?
    let code = sqlite3_prepare_v3(
      handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil)
    guard code == SQLITE_OK, let statement else { throw SQLiteError(code: code, handle) }
    return statement
  }

  /// Makes a statement available again, and releases its values.
  private func release(_ statement: OpaquePointer, _ sql: String) {
    sqlite3_reset(statement)
    sqlite3_clear_bindings(statement)
    guard statements[sql] == nil, statements.count < SQLiteConnection.statementCountMax else {
      sqlite3_finalize(statement)
      return
    }
    statements[sql] = statement
  }

  /// - Returns: Whether there is a row.
  private func step(_ statement: OpaquePointer) throws(SQLiteError) -> Bool {
    let code = sqlite3_step(statement)
    switch code {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    default: throw SQLiteError(code: code, handle)
    }
  }
}
