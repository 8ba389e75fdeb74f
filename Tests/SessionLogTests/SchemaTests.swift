import Foundation
import PickerHub
import PickerSession
import Testing

@testable import SessionLog

/// The number of a store's schema, and the steps to later ones.
@Suite(.database) struct SchemaTests {
  private let step = "CREATE TABLE later (at bigint NOT NULL);"

  /// Opens the store as a later pickerd does, which has one step more.
  private func migrate(_ shelf: Shelf, _ engine: Engine, by step: String) throws {
    switch engine {
    case .sqlite:
      let steps = SQLiteSchema.steps + [step]
      try SQLiteSchema.migrate(SQLiteConnection(shelf.path), shelf.path, by: steps)
    case .postgres:
      let address = try TestServer.shared.address(shelf.database)
      let connection = try PostgresConnection(address, name: "later")
      _ = try PostgresSchema.open(connection, address, by: PostgresSchema.steps + [step])
    }
  }

  private func found(_ shelf: Shelf, _ engine: Engine) throws -> FoundSchema {
    if engine == .sqlite { return try SQLiteSchema.found(SQLiteConnection(shelf.path)) }
    return try PostgresSchema.found(TestServer.shared.connect(shelf.database))
  }

  private func hasTable(_ shelf: Shelf, _ engine: Engine) throws -> Bool {
    let sql =
      engine == .sqlite
      ? "SELECT count(*) FROM sqlite_master WHERE name = 'later'"
      : "SELECT count(*) FROM pg_tables WHERE tablename = 'later' AND schemaname = 'pickerd'"
    return try shelf.read(Int.self, sql) == 1
  }

  @Test(arguments: Engine.allCases)
  func `a step to a later schema is done once, as a whole or not at all`(engine: Engine)
    async throws
  {
    let shelf = try Shelf(engine)
    var log: SQLSessionLog? = try shelf.store()
    let fixture = try LogFixture(in: log!)
    fixture.join("m_1")
    log!.flush()
    fixture.closeLog()
    log = nil
    #expect(try found(shelf, engine) == .version(1))

    #expect(throws: (any Error).self) {
      try migrate(shelf, engine, by: step + "INSERT INTO missing VALUES (1);")
    }
    #expect(try found(shelf, engine) == .version(1) && !hasTable(shelf, engine))
    log = try shelf.store()
    #expect(try await shelf.loaded(fixture.origin.id, from: log!)?.entryCount == 1)
    log!.flush()
    log = nil

    for _ in 0..<2 { try migrate(shelf, engine, by: step) }
    #expect(try found(shelf, engine) == .version(2) && hasTable(shelf, engine))

    let problem = #expect(throws: StoreProblem.self) { try shelf.store() }
    #expect(
      problem?.description.hasSuffix(
        " was written by a newer pickerd (schema 2; this one knows schema 1): use that version, "
          + "or another store") == true)
  }

  @Test(arguments: Engine.allCases)
  func `a new store gets the newest schema`(engine: Engine) throws {
    let shelf = try Shelf(engine)
    try migrate(shelf, engine, by: step)
    #expect(try found(shelf, engine) == .version(2) && hasTable(shelf, engine))
  }

  /// Regression: -1 ended the process, and 0 or no row began to create the tables again.
  @Test(arguments: Engine.allCases, [-1, 0, nil])
  func `a store whose schema has no valid number is damaged`(engine: Engine, version: Int?) throws {
    let shelf = try Shelf(engine)
    var store: SQLSessionLog? = try shelf.store()
    store?.flush()
    store = nil
    let table = engine == .sqlite ? "store" : "pickerd.store"
    try shelf.write(
      version.map { "UPDATE \(table) SET version = \($0)" } ?? "DELETE FROM \(table)")

    let problem = #expect(throws: StoreProblem.self) { try shelf.store() }
    #expect(
      problem?.description.hasSuffix(
        " is damaged (its schema has no valid number): restore a backup, or begin with a new store")
        == true)
  }

  /// Regression: the version of the other program was taken for that of a schema.
  @Test(arguments: Engine.allCases)
  func `a table of another program with the same name is not a store`(engine: Engine) throws {
    let shelf = try Shelf(engine)
    let isFile = engine == .sqlite
    try shelf.write(
      """
      \(isFile ? "" : "CREATE SCHEMA pickerd;")
      CREATE TABLE \(isFile ? "store" : "pickerd.store") (name text, version integer);
      """)

    let problem = #expect(throws: StoreProblem.self) { try shelf.store() }
    #expect(
      problem?.description.hasSuffix(
        " is a database of another program. Give --store one of pickerd's own") == true)
  }

  private func isRefused(_ open: () throws -> Void) -> Bool {
    do {
      try open()
      return false
    } catch {
      let sentence =
        switch error {
        case PostgresBackup.Failure.source(let problem): problem.description
        default: "\(error)"
        }
      return sentence.contains("was written by a build from before the first release")
        && sentence.contains("begin with a new store, or use this one with the build that wrote it")
    }
  }

  /// Such builds have numbered their schemas from 1 on as well.
  @Test(arguments: [1, 2, 8])
  func `an SQLite store of a build before the first release is refused`(schema: Int) throws {
    let shelf = try Shelf()
    let target = try Shelf(.postgres)
    try shelf.write(
      """
      CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY);
      INSERT INTO grdb_migrations VALUES ('\(schema)');
      CREATE TABLE store (only INTEGER PRIMARY KEY, batch INTEGER NOT NULL);
      CREATE TABLE session (number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE);
      PRAGMA user_version = 1;
      """)
    let before = try Data(contentsOf: URL(filePath: shelf.path))

    #expect(isRefused { _ = try shelf.store() })
    #expect(isRefused { _ = try SQLiteBackup(of: shelf.path) })
    #expect(isRefused { _ = try shelf.replay(SessionID("s")) })
    let address = try TestServer.shared.address(target.database)
    #expect(isRefused { _ = try PostgresMove.move(from: shelf.path, to: address) })

    #expect(try Data(contentsOf: URL(filePath: shelf.path)) == before)
    #expect(try found(target, .postgres) == .none)
  }

  @Test(arguments: [1, 5])
  func `a database of a build before the first release is refused`(schema: Int) throws {
    let shelf = try Shelf(.postgres)
    let source = try Shelf()
    try source.open().flush()
    try shelf.write(
      """
      CREATE SCHEMA pickerd;
      CREATE TABLE pickerd.store (single boolean PRIMARY KEY, schema bigint, history text);
      INSERT INTO pickerd.store VALUES (true, \(schema), 'another/00000001');
      """)
    let address = try TestServer.shared.address(shelf.database)

    #expect(isRefused { _ = try shelf.store() })
    #expect(isRefused { _ = try shelf.replay(SessionID("s")) })
    #expect(isRefused { _ = try PostgresMove.move(from: source.path, to: address) })
    let target = source.path + ".copy"
    #expect(
      isRefused {
        _ = try PostgresBackup.copy(of: address, session: nil, to: target, isForced: false)
      })

    let tables = "SELECT count(*) FROM pg_tables WHERE schemaname = 'pickerd'"
    #expect(try shelf.read(Int.self, tables) == 1)
  }
}
