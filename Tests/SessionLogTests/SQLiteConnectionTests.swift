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

  private func stored<Value: SQLValue>(_ value: Value?) throws -> Value? {
    let database = try connect()
    try database.run("DELETE FROM t")
    try database.run("INSERT INTO t VALUES ($1)", [value])
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
    try database.run("INSERT INTO t VALUES ($1), ($2)", ["", Data()])

    let types = try database.rows("SELECT typeof(v) FROM t ORDER BY rowid") { row in
      try row[0] as String
    }

    #expect(types == ["text", "blob"])
  }

  @Test func `NULL is refused where a value is needed`() throws {
    let database = try connect()

    #expect(throws: StoreProblem.self) {
      try database.rows("SELECT NULL AS a") { row in try row[0] as Int }
    }
    #expect(try database.rows("SELECT NULL AS a") { row in row[0] as Int? } == [nil])
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

  @Test func `a reader sees one state, and never writes`() throws {
    let shelf = try Shelf()
    let log = try shelf.store()
    let sql = "SELECT count(*) FROM feed_cursor"

    let counts = try log.engine.read { reader in
      let before: Int? = try reader.value(sql)
      try shelf.write("INSERT INTO feed_cursor VALUES ('a', 1)")
      #expect(throws: SQLiteError.self) { try reader.run("DELETE FROM feed_cursor") }
      return [before, try reader.value(sql)]
    }

    #expect(counts == [0, 0])
    #expect(try log.engine.read { try $0.value(sql) } == 1)
  }

  @Test func `the journal is removed when a store is closed`() async throws {
    let shelf = try Shelf()
    var log: SQLSessionLog? = try shelf.store()
    #expect(try log!.stored().isEmpty)
    log!.close()

    log = nil

    try await wait(for: "the end of the store") {
      !FileManager.default.fileExists(atPath: shelf.path + "-wal")
    }
    let file = try SQLiteConnection(shelf.path, isReadOnly: true)
    #expect(try file.value("SELECT count(*) FROM session") == 0)
  }
}
