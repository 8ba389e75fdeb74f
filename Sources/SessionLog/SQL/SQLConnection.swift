package import Foundation

/// A connection to an SQL database. Used by one thread at a time.
///
/// Statements have the parameters `$1`, `$2`, … A database on another machine gets all statements
/// that were sent in one round trip, when ``flush()`` or a function that returns rows is called;
/// errors of sent statements are thrown there, and the statements after them are not executed.
package protocol SQLConnection: AnyObject {
  var dialect: SQLDialect { get }
  /// Sends a statement.
  ///
  /// - Parameter each: Called with each row of its result, at the latest by ``flush()``.
  func send(
    _ sql: String, _ values: [(any SQLValue)?], each: @escaping (any SQLRow) throws -> Void) throws
  /// Waits until everything that was sent is executed.
  func flush() throws
  /// Runs statements without parameters.
  func run(script: String) throws
}

extension SQLConnection {
  /// Sends a statement without rows, or whose rows do not matter.
  func send(_ sql: String, _ values: [(any SQLValue)?] = []) throws {
    try send(sql, values) { _ in }
  }

  /// Runs a statement, and ignores its rows.
  package func run(_ sql: String, _ values: [(any SQLValue)?] = []) throws {
    try send(sql, values)
    try flush()
  }

  /// Calls `body` with each row.
  package func forEach(
    _ sql: String, _ values: [(any SQLValue)?] = [], _ body: @escaping (any SQLRow) throws -> Void
  ) throws {
    try send(sql, values, each: body)
    try flush()
  }

  /// Returns a value for each row.
  package func rows<Value>(
    _ sql: String, _ values: [(any SQLValue)?] = [], _ value: @escaping (any SQLRow) throws -> Value
  ) throws -> [Value] {
    var all: [Value] = []
    try forEach(sql, values) { all.append(try value($0)) }
    return all
  }

  /// Returns a value for the first row; `nil` if there is none.
  package func first<Value>(
    _ sql: String, _ values: [(any SQLValue)?] = [], _ value: @escaping (any SQLRow) throws -> Value
  ) throws -> Value? {
    try rows(sql, values, value).first
  }

  /// Returns the first column of the first row; `nil` if it is NULL or there is none.
  package func value<Value: SQLValue>(
    _ sql: String, _ values: [(any SQLValue)?] = [], as type: Value.Type = Value.self
  ) throws -> Value? {
    try first(sql, values) { row -> Value? in row[0] } ?? nil
  }

  /// Runs `body` in a transaction, which is rolled back if it throws.
  ///
  /// - Parameter begin: See ``SQLDialect/beginWriting``.
  package func transaction<Value>(
    _ begin: String? = nil, _ body: () throws -> Value
  ) throws -> Value {
    try send(begin ?? dialect.beginWriting)
    do {
      let value = try body()
      try run("COMMIT")
      return value
    } catch {
      rollBack()
      throw error
    }
  }

  /// Ends a transaction after an error. The database may have done so itself.
  func rollBack() { try? run("ROLLBACK") }
}

/// What differs between the databases.
package enum SQLDialect: Sendable {
  case sqlite, postgres

  /// Begins a transaction that writes.
  package var beginWriting: String {
    switch self {
    case .sqlite: "BEGIN IMMEDIATE"
    case .postgres: "BEGIN"
    }
  }

  /// Begins a transaction that only reads, and whose statements see the same state.
  var beginReading: String {
    switch self {
    case .sqlite: "BEGIN"
    case .postgres: "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
    }
  }

  /// The type of a column that numbers the rows of its table.
  var identity: String {
    switch self {
    case .sqlite: "INTEGER PRIMARY KEY"
    case .postgres: "bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY"
    }
  }

  /// An expression for 32 random hexadecimal digits.
  var randomText: String {
    switch self {
    case .sqlite: "lower(hex(randomblob(16)))"
    case .postgres: "replace(gen_random_uuid()::text, '-', '')"
    }
  }

  /// Locks the rows of a query until the end of the transaction. SQLite has one writer anyway.
  var forUpdate: String {
    switch self {
    case .sqlite: ""
    case .postgres: "FOR NO KEY UPDATE"
    }
  }

  /// A clause that locks the rows of a query in PostgreSQL.
  func locking(_ clause: String) -> String {
    switch self {
    case .sqlite: ""
    case .postgres: clause
    }
  }

  /// As ``forUpdate``, without those that another transaction has locked.
  var forUpdateSkippingLocked: String {
    switch self {
    case .sqlite: ""
    case .postgres: "FOR UPDATE SKIP LOCKED"
    }
  }

  /// The values of a parameter, which is an array of texts, as rows with the column `value`.
  func values(_ parameter: Int) -> String {
    switch self {
    case .sqlite: "json_each($\(parameter))"
    case .postgres: "unnest($\(parameter)) AS v (value)"
    }
  }

  /// The type of a column of texts in the order of their bytes.
  var orderedText: String {
    switch self {
    case .sqlite: "text"
    case .postgres: "text COLLATE \"C\""
    }
  }

  /// A condition: the column has one of the values in a parameter, which is an array.
  func isAny(_ column: String, _ parameter: Int) -> String {
    switch self {
    case .sqlite: "\(column) IN (SELECT value FROM json_each($\(parameter)))"
    case .postgres: "\(column) = ANY ($\(parameter))"
    }
  }
}

/// A value of a parameter or a column: `Int`, `Int64`, `Bool`, `String` or `Data`.
package protocol SQLValue: Sendable {
  var parameter: SQLParameter { get }
  /// Reads a column; `nil` for NULL.
  init?(_ row: any SQLRow, _ column: Int)
}

package enum SQLParameter: Sendable {
  case integer(Int64)
  case bool(Bool)
  case text(String)
  case blob(Data)
  case texts([String])
  case integers([Int64])
}

/// A row of a result; valid until the next one is read.
package protocol SQLRow {
  /// - Parameter column: Counted from 0.
  /// - Returns: `nil` for NULL, as in the other functions.
  func integer(_ column: Int) -> Int64?
  func bool(_ column: Int) -> Bool?
  func text(_ column: Int) -> String?
  func data(_ column: Int) -> Data?
}

extension SQLRow {
  package subscript<Value: SQLValue>(_ column: Int) -> Value? { Value(self, column) }

  /// - Throws: ``StoreProblem`` for NULL: the database is damaged.
  package subscript<Value: SQLValue>(_ column: Int) -> Value {
    get throws(StoreProblem) {
      guard let value = Value(self, column) else {
        throw StoreProblem("column \(column) of a stored row is NULL")
      }
      return value
    }
  }
}

extension Int64: SQLValue {
  package var parameter: SQLParameter { .integer(self) }
  package init?(_ row: any SQLRow, _ column: Int) {
    guard let value = row.integer(column) else { return nil }
    self = value
  }
}

extension Int: SQLValue {
  package var parameter: SQLParameter { .integer(Int64(self)) }
  package init?(_ row: any SQLRow, _ column: Int) {
    guard let value = row.integer(column) else { return nil }
    self = Int(value)
  }
}

extension Bool: SQLValue {
  package var parameter: SQLParameter { .bool(self) }
  package init?(_ row: any SQLRow, _ column: Int) {
    guard let value = row.bool(column) else { return nil }
    self = value
  }
}

extension String: SQLValue {
  package var parameter: SQLParameter { .text(self) }
  package init?(_ row: any SQLRow, _ column: Int) {
    guard let value = row.text(column) else { return nil }
    self = value
  }
}

extension Data: SQLValue {
  package var parameter: SQLParameter { .blob(self) }
  package init?(_ row: any SQLRow, _ column: Int) {
    guard let value = row.data(column) else { return nil }
    self = value
  }
}

/// An array, as a parameter of ``SQLDialect/isAny(_:_:)``.
enum SQLList: SQLValue {
  case texts([String])
  case integers([Int64])

  var parameter: SQLParameter {
    switch self {
    case .texts(let values): .texts(values)
    case .integers(let values): .integers(values)
    }
  }

  init?(_ row: any SQLRow, _ column: Int) { return nil }
}
