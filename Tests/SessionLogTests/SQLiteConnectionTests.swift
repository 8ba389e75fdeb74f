import CSQLite
import Foundation
import Testing

@testable import SessionLog

/// The access to SQLite: what is stored is read again, errors are thrown, and readers see one state.
final class SQLiteConnectionTests {
  private let path = NSTemporaryDirectory() + "pickerd-sqlite-\(UUID().uuidString)"

  deinit { for suffix in ["", "-wal", "-shm"] { unlink(path + suffix) } }

  private func connect() throws -> SQLiteConnection {
    let database = try SQLiteConnection(path)
    try database.run(script: "CREATE TABLE IF NOT EXISTS t (v); PRAGMA journal_mode = WAL")
    return database
  }

  private func stored<Value: SQLiteValue>(_ value: Value?) throws -> Value? {
    let database = try connect()
    try database.run("DELETE FROM t")
    try database.run("INSERT INTO t VALUES (?)", [value])
    return try database.value("SELECT v FROM t")
  }

  @Test func `values are read as they were stored`() throws {
    for number in [0, -1, Int.max, Int.min] { #expect(try stored(number) == number) }
    #expect(try stored(Int64.min) == Int64.min)
    for flag in [false, true] { #expect(try stored(flag) == flag) }
    for text in ["", "a", "é\u{0301} 日本", "a\0b", String(repeating: "x", count: 70_000)] {
      #expect(try stored(text) == text)
    }
    for bytes in [Data(), Data([0]), Data(0...255), Data(count: 100_000)] {
      #expect(try stored(bytes) == bytes)
    }
    #expect(try stored(nil as Data?) == nil)
  }

  @Test func `empty text and empty bytes are not NULL`() throws {
    let database = try connect()
    try database.run("INSERT INTO t VALUES (?), (?)", ["", Data()])

    let types = try database.rows("SELECT typeof(v) FROM t ORDER BY rowid") { row in
      try row[0] as String
    }

    #expect(types == ["text", "blob"])
  }

  @Test func `NULL is refused where a value is needed`() throws {
    let database = try connect()

    #expect(throws: SQLiteError.self) {
      try database.rows("SELECT NULL AS a") { row in try row[0] as Int }
    }
    #expect(throws: SQLiteError.self) {
      try database.rows("SELECT NULL AS a") { row in try row["a"] as Int }
    }
    #expect(throws: SQLiteError.self) {
      try database.rows("SELECT 1 AS a") { row in try row["b"] as Int? }
    }
  }

  @Test func `an error has SQLite's code and message, and the connection stays usable`() throws {
    let database = try connect()
    try database.run(script: "CREATE UNIQUE INDEX once ON t (v); INSERT INTO t VALUES (1)")

    let error = #expect(throws: SQLiteError.self) { try database.run("INSERT INTO t VALUES (1)") }

    #expect(error?.code == SQLITE_CONSTRAINT)
    #expect(error?.description == "UNIQUE constraint failed: t.v")
    try database.run("INSERT INTO t VALUES (2)")
    #expect(try database.value("SELECT count(*) FROM t") == 2)
    #expect(throws: SQLiteError.self) { try database.run("no SQL") }
  }

  @Test func `a transaction that throws changes nothing`() throws {
    struct Stop: Error {}
    let database = try connect()

    #expect(throws: Stop.self) {
      try database.transaction {
        try database.run("INSERT INTO t VALUES (1)")
        throw Stop()
      }
    }

    #expect(try database.value("SELECT count(*) FROM t") == 0)
    try database.transaction { try database.run("INSERT INTO t VALUES (1)") }
    #expect(try database.value("SELECT count(*) FROM t") == 1)
  }

  @Test func `a statement can be used while it is in use`() throws {
    let database = try connect()
    try database.run("INSERT INTO t VALUES (1), (2), (3)")
    let sql = "SELECT v FROM t ORDER BY v"

    let pairs = try database.rows(sql) { outer in
      let first: Int = try outer[0]
      return try database.rows(sql) { inner in first * 10 + (try inner[0] as Int) }
    }

    #expect(pairs == [[11, 12, 13], [21, 22, 23], [31, 32, 33]])
  }

  @Test(arguments: [0, 1, 4, 5, 9, 10])
  func `rows come in parts, and none is missing`(count: Int) throws {
    let database = try connect()
    for number in 0..<count { try database.run("INSERT INTO t VALUES (?)", [number]) }

    var parts: [[Int]] = []
    try database.forEachPart(of: 5, "SELECT v FROM t ORDER BY v") { row in
      try row[0] as Int
    } body: {
      parts.append($0)
    }

    #expect(parts.flatMap(\.self) == Array(0..<count))
    #expect(parts.allSatisfy { !$0.isEmpty && $0.count <= 5 })
  }

  @Test func `a reader sees one state, and never writes`() throws {
    _ = try connect()
    let pool = try SQLitePool(path)

    let counts = try pool.read { reader in
      let before: Int? = try reader.value("SELECT count(*) FROM t")
      try pool.write { try $0.run("INSERT INTO t VALUES (1)") }
      #expect(throws: SQLiteError.self) { try reader.run("INSERT INTO t VALUES (2)") }
      return [before, try reader.value("SELECT count(*) FROM t")]
    }

    #expect(counts == [0, 0])
    #expect(try pool.read { try $0.value("SELECT count(*) FROM t") } == 1)
  }

  @Test func `the journal is removed when the pool is closed`() throws {
    var pool: SQLitePool? = try SQLitePool(path)
    try pool?.write { try $0.run(script: "CREATE TABLE t (v); INSERT INTO t VALUES (1)") }
    #expect(try pool?.read { try $0.value("SELECT v FROM t") } == 1)

    pool = nil

    #expect(!FileManager.default.fileExists(atPath: path + "-wal"))
    #expect(try SQLiteConnection(path, isReadOnly: true).value("SELECT v FROM t") == 1)
  }
}
