import CSQLite

/// An error of SQLite.
package struct SQLiteError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The primary result code, such as `SQLITE_BUSY`.
  package let code: Int32
  /// SQLite's message.
  package let description: String

  package init(code: Int32, _ description: String) {
    self.code = code & 0xff
    self.description = description
  }

  /// The latest error of a connection.
  init(code: Int32, _ connection: OpaquePointer?) {
    let message = connection.map { String(cString: sqlite3_errmsg($0)) }
    self.init(code: code, message ?? String(cString: sqlite3_errstr(code)))
  }
}
