import Foundation

/// The connections to a store in WAL mode: one writes, while others read.
package final class SQLitePool: @unchecked Sendable {
  private let path: String
  private let writing = NSLock()
  /// Used under ``writing``.
  private let writer: SQLiteConnection
  private let reading = NSLock()
  /// Readers that are not in use; as many as threads have read at once. Used under ``reading``.
  private var readers: [SQLiteConnection] = []

  /// - Throws: ``SQLiteError``, or ``StoreProblem`` if the file cannot have a write-ahead log.
  package init(_ path: String) throws {
    self.path = path
    writer = try SQLiteConnection(path)
    let mode: String? = try writer.value("PRAGMA journal_mode = WAL")
    guard mode == "wal" else {
      throw StoreProblem("SQLite cannot use a write-ahead log for \(path)")
    }
  }

  /// Readers are closed first: the last connection removes the journal, which a reader cannot.
  deinit { readers = [] }

  /// Runs `body` with the writing connection, not in a transaction, after the calls before it.
  package func write<Value>(_ body: (SQLiteConnection) throws -> Value) throws -> Value {
    try writing.withLock { try body(writer) }
  }

  /// Runs `body` with a reading connection, in a transaction: all statements see the same state.
  package func read<Value>(_ body: (SQLiteConnection) throws -> Value) throws -> Value {
    let free = reading.withLock { readers.popLast() }
    let reader = try free ?? SQLiteConnection(path, isReadOnly: true)
    defer { reading.withLock { readers.append(reader) } }
    return try reader.transaction(.deferred) { try body(reader) }
  }
}
