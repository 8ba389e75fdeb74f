import CSQLite
package import Foundation

/// A value that SQLite stores: `Int`, `Int64`, `Bool` (as 0 or 1), `String` or `Data`.
package protocol SQLiteValue {
  /// Binds the value to a parameter of a statement, which copies it.
  ///
  /// - Parameter index: Counted from 1.
  /// - Returns: SQLite's result code.
  func bind(_ statement: OpaquePointer, _ index: Int32) -> Int32
  /// Reads a column that is not NULL.
  ///
  /// - Parameter column: Counted from 0.
  init(_ statement: OpaquePointer, _ column: Int32)
}

extension Int64: SQLiteValue {
  package func bind(_ statement: OpaquePointer, _ index: Int32) -> Int32 {
    sqlite3_bind_int64(statement, index, self)
  }

  package init(_ statement: OpaquePointer, _ column: Int32) {
    self = sqlite3_column_int64(statement, column)
  }
}

extension Int: SQLiteValue {
  package func bind(_ statement: OpaquePointer, _ index: Int32) -> Int32 {
    sqlite3_bind_int64(statement, index, Int64(self))
  }

  package init(_ statement: OpaquePointer, _ column: Int32) {
    self.init(sqlite3_column_int64(statement, column))
  }
}

extension Bool: SQLiteValue {
  package func bind(_ statement: OpaquePointer, _ index: Int32) -> Int32 {
    sqlite3_bind_int64(statement, index, self ? 1 : 0)
  }

  package init(_ statement: OpaquePointer, _ column: Int32) {
    self = sqlite3_column_int64(statement, column) != 0
  }
}

extension String: SQLiteValue {
  package func bind(_ statement: OpaquePointer, _ index: Int32) -> Int32 {
    var text = self
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

  package init(_ statement: OpaquePointer, _ column: Int32) {
    let start = sqlite3_column_text(statement, column)
    let count = Int(sqlite3_column_bytes(statement, column))
    self.init(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
  }
}

extension Data: SQLiteValue {
  package func bind(_ statement: OpaquePointer, _ index: Int32) -> Int32 {
    withUnsafeBytes { bytes in
      // A null pointer would be NULL.
      guard let start = bytes.baseAddress, !bytes.isEmpty else {
        return sqlite3_bind_zeroblob(statement, index, 0)
      }
      return sqlite3_bind_blob(statement, index, start, Int32(bytes.count), copied)
    }
  }

  package init(_ statement: OpaquePointer, _ column: Int32) {
    let start = sqlite3_column_blob(statement, column)
    let count = Int(sqlite3_column_bytes(statement, column))
    self.init(UnsafeRawBufferPointer(start: start, count: count))
  }
}

/// SQLITE_TRANSIENT, a macro that Swift does not import: SQLite copies the value.
private var copied: sqlite3_destructor_type {
  unsafeBitCast(-1, to: sqlite3_destructor_type.self)
}
