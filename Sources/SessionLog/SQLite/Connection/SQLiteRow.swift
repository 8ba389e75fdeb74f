import CSQLite

/// A row of a result; valid until the next one is read.
///
/// Reading NULL as a value that is not optional throws an ``SQLiteError``: the file is damaged.
package struct SQLiteRow {
  private let statement: OpaquePointer

  init(_ statement: OpaquePointer) { self.statement = statement }

  /// - Parameter column: Counted from 0.
  package subscript<Value: SQLiteValue>(_ column: Int) -> Value {
    get throws(SQLiteError) {
      guard let value: Value = self[column] else { throw problem("column \(column) is NULL") }
      return value
    }
  }

  /// - Parameter column: Counted from 0.
  package subscript<Value: SQLiteValue>(_ column: Int) -> Value? {
    let column = Int32(column)
    guard sqlite3_column_type(statement, column) != SQLITE_NULL else { return nil }
    return Value(statement, column)
  }

  package subscript<Value: SQLiteValue>(_ name: String) -> Value {
    get throws(SQLiteError) {
      guard let value: Value = try self[name] else { throw problem("\(name) is NULL") }
      return value
    }
  }

  package subscript<Value: SQLiteValue>(_ name: String) -> Value? {
    get throws(SQLiteError) {
      for column in 0..<sqlite3_column_count(statement)
      where name == String(cString: sqlite3_column_name(statement, column)) {
        return self[Int(column)]
      }
      throw problem("there is no column \(name)")
    }
  }

  private func problem(_ text: String) -> SQLiteError { SQLiteError(code: SQLITE_ERROR, text) }
}
