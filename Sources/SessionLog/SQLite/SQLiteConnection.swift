import CSQLite
import Foundation
import JSONText

/// A connection to a database file. Used by one thread at a time.
///
/// Statements are prepared once and reused. All methods throw an ``SQLiteError`` if SQLite does;
/// what the closures throw is passed on.
/// - Source: sqlite.org/cintro.html
package final class SQLiteConnection: SQLConnection {
  let handle: OpaquePointer
  /// Prepared statements by their text.
  private var statements: [String: Statement] = [:]

  private final class Statement {
    let handle: OpaquePointer
    var isInUse = false

    init(_ handle: OpaquePointer) { self.handle = handle }

    deinit { sqlite3_finalize(handle) }
  }

  /// The maximum of prepared statements; more than the texts of this program.
  private static let statementCountMax = 128

  /// Opens or creates a file. A locked file is waited for, up to 5 seconds; foreign keys are
  /// enforced.
  package init(_ path: String, isReadOnly: Bool = false) throws(SQLiteError) {
    _ = SQLiteConnection.isConfigured
    if !isReadOnly { SQLiteConnection.create(path) }
    let access = isReadOnly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
    var handle: OpaquePointer?
    let code = sqlite3_open_v2(path, &handle, access | SQLITE_OPEN_NOMUTEX, nil)
    guard code == SQLITE_OK, let handle else {
      defer { sqlite3_close_v2(handle) }
      throw SQLiteError(code: code, handle)
    }
    self.handle = handle
    sqlite3_busy_timeout(handle, 5000)
    let set = sqlite3_exec(handle, "PRAGMA foreign_keys = ON", nil, nil, nil)
    guard set == SQLITE_OK else { throw SQLiteError(code: set, handle) }
  }

  /// Creates a file that only this user can read, unless there is one. SQLite would give it the
  /// mode that the umask leaves; it gives the journals that of the file. One that exists is not
  /// opened: closing it would end the locks of this process.
  private static func create(_ path: String) {
    if path == ":memory:" { return }
    let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { return }
    fchmod(descriptor, 0o600)
    close(descriptor)
  }

  deinit {
    statements = [:]
    sqlite3_close_v2(handle)
  }

  package let dialect = SQLDialect.sqlite

  /// Runs a statement at once.
  package func send(
    _ sql: String, _ values: [(any SQLValue)?], each: @escaping (any SQLRow) throws -> Void
  ) throws {
    let statement = try prepared(sql, values)
    defer { release(statement) }
    while try step(statement) { try each(SQLiteRow(statement: statement.handle)) }
  }

  package func flush() {}

  package func run(script: String) throws {
    let code = sqlite3_exec(handle, script, nil, nil, nil)
    guard code == SQLITE_OK else { throw SQLiteError(code: code, handle) }
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

  /// The pages that this connection has written to the journal since the last call.
  /// - Source: sqlite.org/c3ref/c_dbstatus_options.html, SQLITE_DBSTATUS_CACHE_WRITE
  func takeWrittenPageCount() -> Int {
    var (pageCount, highest): (Int32, Int32) = (0, 0)
    sqlite3_db_status(handle, SQLITE_DBSTATUS_CACHE_WRITE, &pageCount, &highest, 1)
    return Int(pageCount)
  }

  /// SQLite does not count its memory, for which each allocation would lock a mutex. Has an effect
  /// before the first connection only.
  private static let isConfigured: Bool = sqlite3_count_no_memory() == SQLITE_OK

  func rollBack() {
    // SQLite has rolled back by itself after some errors.
    if sqlite3_get_autocommit(handle) == 0 { try? run("ROLLBACK") }
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

  /// A statement with values, to be released. A statement that is used twice at once is prepared
  /// twice.
  private func prepared(
    _ sql: String, _ values: [(any SQLValue)?]
  ) throws(SQLiteError) -> Statement {
    let known = statements[sql]
    let statement = if let known, !known.isInUse { known } else { try prepare(sql) }
    if known == nil && statements.count < SQLiteConnection.statementCountMax {
      statements[sql] = statement
    }
    statement.isInUse = true
    for (index, value) in values.enumerated() {
      let code = bind(value?.parameter, to: statement.handle, Int32(index + 1))
      guard code == SQLITE_OK else {
        release(statement)
        throw SQLiteError(code: code, handle)
      }
    }
    return statement
  }

  /// - Returns: SQLite's result code.
  private func bind(
    _ parameter: SQLParameter?, to statement: OpaquePointer, _ index: Int32
  ) -> Int32 {
    switch parameter {
    case nil: return sqlite3_bind_null(statement, index)
    case .integer(let value): return sqlite3_bind_int64(statement, index, value)
    case .bool(let value): return sqlite3_bind_int64(statement, index, value ? 1 : 0)
    case .text(let text): return bind(text, to: statement, index)
    case .blob(let data):
      return data.withUnsafeBytes { bytes in
        // A null pointer would be NULL.
        guard let start = bytes.baseAddress, !bytes.isEmpty else {
          return sqlite3_bind_zeroblob(statement, index, 0)
        }
        return sqlite3_bind_blob(statement, index, start, Int32(bytes.count), copied)
      }
    case .texts(let texts):
      let list = JSONTree.array(texts.map { .string($0) }).serialized()
      return bind(String(decoding: list, as: UTF8.self), to: statement, index)
    case .integers(let numbers):
      let list = JSONTree.array(numbers.map { .integer(Int($0)) }).serialized()
      return bind(String(decoding: list, as: UTF8.self), to: statement, index)
    }
  }

  private func bind(_ text: String, to statement: OpaquePointer, _ index: Int32) -> Int32 {
    var text = text
    return text.withUTF8 { bytes in
      bytes.withMemoryRebound(to: CChar.self) { characters in
        // A null pointer would be NULL.
        guard let start = characters.baseAddress else {
          return sqlite3_bind_text(statement, index, "", 0, nil)
        }
        return sqlite3_bind_text(statement, index, start, Int32(characters.count), copied)
      }
    }
  }

  private func prepare(_ sql: String) throws(SQLiteError) -> Statement {
    var statement: OpaquePointer?
    // `$1` would be a name, numbered by its first occurrence.
    let numbered = sql.replacing("$", with: "?")
    let code = sqlite3_prepare_v3(
      handle, numbered, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil)
    guard code == SQLITE_OK, let statement else { throw SQLiteError(code: code, handle) }
    return Statement(statement)
  }

  /// Makes a statement available again, and releases its values.
  private func release(_ statement: Statement) {
    sqlite3_reset(statement.handle)
    sqlite3_clear_bindings(statement.handle)
    statement.isInUse = false
  }

  /// - Returns: Whether there is a row.
  private func step(_ statement: Statement) throws(SQLiteError) -> Bool {
    let code = sqlite3_step(statement.handle)
    switch code {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    default: throw SQLiteError(code: code, handle)
    }
  }
}

/// A row of a result.
private struct SQLiteRow: SQLRow {
  let statement: OpaquePointer

  func integer(_ column: Int) -> Int64? {
    isNull(column) ? nil : sqlite3_column_int64(statement, Int32(column))
  }

  func bool(_ column: Int) -> Bool? { integer(column).map { $0 != 0 } }

  func text(_ column: Int) -> String? {
    if isNull(column) { return nil }
    let start = sqlite3_column_text(statement, Int32(column))
    let count = Int(sqlite3_column_bytes(statement, Int32(column)))
    return String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
  }

  func data(_ column: Int) -> Data? {
    if isNull(column) { return nil }
    let start = sqlite3_column_blob(statement, Int32(column))
    let count = Int(sqlite3_column_bytes(statement, Int32(column)))
    return Data(UnsafeRawBufferPointer(start: start, count: count))
  }

  private func isNull(_ column: Int) -> Bool {
    sqlite3_column_type(statement, Int32(column)) == SQLITE_NULL
  }
}

/// SQLITE_TRANSIENT, a macro that Swift does not import: SQLite copies the value.
private var copied: sqlite3_destructor_type {
  unsafeBitCast(-1, to: sqlite3_destructor_type.self)
}
