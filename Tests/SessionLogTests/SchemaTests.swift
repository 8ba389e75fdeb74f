import Foundation
import PickerHub
import PickerSession
import Testing

@testable import SessionLog

/// The number of a store's schema, and the steps to later ones.
@Suite(.database) struct SchemaTests {
  private let newest = SQLSchema.migrations.count

  /// Opens the store as a later pickerd does, which has one migration more.
  private func migrate(_ shelf: Shelf, by script: String = "CREATE TABLE later (at bigint);")
    throws
  {
    let connection = try shelf.connect()
    let migrations = SQLSchema.migrations + [{ _ in script }]
    try connection.transaction {
      if shelf.engine == .postgres { try connection.run("CREATE SCHEMA IF NOT EXISTS pickerd") }
      try SQLSchema.open(connection, of: "it", migrations)
    }
  }

  private func version(_ shelf: Shelf) throws -> Int {
    try SQLSchema.version(shelf.connect(), of: "it")
  }

  private func hasTable(_ shelf: Shelf) throws -> Bool {
    try !SQLSchema.columns(of: "later", shelf.connect()).isEmpty
  }

  @Test(arguments: Engine.allCases)
  func `a migration to a later schema is done once, as a whole or not at all`(engine: Engine)
    async throws
  {
    let shelf = try Shelf(engine)
    var log: SQLSessionLog? = try shelf.store()
    let fixture = try LogFixture(in: log!)
    fixture.join("m_1")
    fixture.closeLog()
    try await shelf.close(&log)
    #expect(try version(shelf) == newest)

    #expect(throws: (any Error).self) {
      try migrate(shelf, by: "CREATE TABLE later (at bigint); INSERT INTO missing VALUES (1);")
    }
    #expect(try version(shelf) == newest && !hasTable(shelf))
    log = try shelf.store()
    #expect(try await shelf.loaded(fixture.origin.id, from: log!)?.entryCount == 1)
    try await shelf.close(&log)

    for _ in 0..<2 { try migrate(shelf) }
    #expect(try version(shelf) == newest + 1 && hasTable(shelf))

    let problem = #expect(throws: StoreProblem.self) { try shelf.store() }
    #expect(
      problem?.description.hasSuffix(
        " was written by a newer pickerd (schema \(newest + 1); this one knows schema \(newest)): "
          + "use that version, or another store") == true)
  }

  @Test(arguments: Engine.allCases)
  func `a new store gets the newest schema`(engine: Engine) throws {
    let shelf = try Shelf(engine)
    try migrate(shelf)
    #expect(try version(shelf) == newest + 1 && hasTable(shelf))
  }

  /// Regression: -1 ended the process, and 0 or no row began to create the tables again.
  @Test(arguments: Engine.allCases, [-1, 0, nil])
  func `a store whose schema has no valid number is damaged`(engine: Engine, version: Int?)
    async throws
  {
    let shelf = try Shelf(engine)
    var store: SQLSessionLog? = try shelf.store()
    try await shelf.close(&store)
    try shelf.write(
      version.map { "UPDATE store SET schema_number = \($0)" } ?? "DELETE FROM store")

    let problem = #expect(throws: StoreProblem.self) { try shelf.store() }
    #expect(
      problem?.description.hasSuffix(
        " is damaged (its schema has no valid number): restore a backup, or begin with a new store")
        == true)
  }

  @Test(arguments: Engine.allCases)
  func `a store whose states and entries have another form is refused`(engine: Engine)
    async throws
  {
    let shelf = try Shelf(engine)
    var store: SQLSessionLog? = try shelf.store()
    try await shelf.close(&store)
    try shelf.write("ALTER TABLE store RENAME COLUMN schema_number TO schema_version")

    #expect(isRefused { _ = try shelf.store() })
  }

  /// Regression: the version of the other program was taken for that of a schema.
  @Test(arguments: Engine.allCases)
  func `a table of another program with the same name is not a store`(engine: Engine) throws {
    let shelf = try Shelf(engine)
    if engine == .postgres { try shelf.write("CREATE SCHEMA pickerd") }
    try shelf.write("CREATE TABLE store (name text, version integer)")

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
      let sentence = "\(error)"
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
    #expect(isRefused { _ = try StoreMove.move(from: shelf.path, to: address) })

    #expect(try Data(contentsOf: URL(filePath: shelf.path)) == before)
    #expect(try version(target) == 0)
  }

  @Test(arguments: [1, 5])
  func `a database of a build before the first release is refused`(schema: Int) async throws {
    let shelf = try Shelf(.postgres)
    let source = try Shelf()
    var log: SQLSessionLog? = try source.store()
    try await source.close(&log)
    try shelf.write(
      """
      CREATE SCHEMA pickerd;
      CREATE TABLE pickerd.store (single boolean PRIMARY KEY, schema bigint, history text);
      INSERT INTO pickerd.store VALUES (true, \(schema), 'another/00000001');
      """)
    let address = try TestServer.shared.address(shelf.database)

    #expect(isRefused { _ = try shelf.store() })
    #expect(isRefused { _ = try shelf.replay(SessionID("s")) })
    #expect(isRefused { _ = try StoreMove.move(from: source.path, to: address) })

    let tables = "SELECT count(*) FROM pg_tables WHERE schemaname = 'pickerd'"
    #expect(try shelf.read(Int.self, tables) == 1)
  }
}
