import Foundation
import PickerHub
import PickerModel
import PickerSession
import Synchronization
import Testing

@testable import SessionLog

/// What only the connection to PostgreSQL has. The tests of stores run on both databases.
@Suite(.database) struct PostgresTests {
  @Test func `parameters and results have the same values`() throws {
    let connection = try TestServer.shared.connect("postgres")
    let bytes = Data([0, 255, 39, 92])

    try connection.forEach(
      "SELECT $1, $2, $3, $4, $5::bigint, cardinality($6::bigint[]), $7::bigint[], $8::text[]",
      [
        Int.min, "Où? \u{1F600}", bytes, true, nil, SQLList.integers([]),
        SQLList.integers([1, -7]), SQLList.texts(["a", ""]),
      ]
    ) { row in
      #expect(row[0] as Int? == Int.min && row[1] as String? == "Où? \u{1F600}")
      #expect(row[2] as Data? == bytes && row[3] as Bool? == true)
      #expect(row[4] as Int? == nil && row[5] as Int? == 0)
    }
    let isIn: Bool? = try connection.value(
      "SELECT -7 = ANY ($1) AND '' = ANY ($2)",
      [SQLList.integers([1, -7]), SQLList.texts(["a", ""])])
    #expect(isIn == true)
  }

  @Test func `nodes that start at the same time on an empty database all open it`() async throws {
    let shelf = try Shelf(.postgres)
    let other = try shelf.connect()
    try other.run("SELECT pg_advisory_lock($1)", [PostgresEngine.schemaLock])
    let ends = Mutex<[String]>([])
    for _ in 0..<2 {
      Thread.detachNewThread {
        do {
          try PostgresEngine.openSchema(shelf.connect(), of: shelf.address)
          ends.withLock { $0.append("open") }
        } catch {
          ends.withLock { $0.append("\(error)") }
        }
      }
    }
    try await wait(for: "two nodes that wait") {
      try other.value(
        """
        SELECT count(*) FROM pg_locks JOIN pg_database ON pg_database.oid = database
        WHERE locktype = 'advisory' AND NOT granted AND datname = current_database()
        """) == 2
    }

    try other.run("SELECT pg_advisory_unlock($1)", [PostgresEngine.schemaLock])

    try await wait(for: "both") { ends.withLock { $0.count } == 2 }
    #expect(ends.withLock { $0 } == ["open", "open"])
  }

  @Test func `a failed call leaves a usable connection without a transaction`() throws {
    let connection = try TestServer.shared.connect("postgres")

    #expect(throws: PostgresError.self) {
      try connection.transaction {
        try connection.send("SELECT 1 / $1::int", [0])
        try connection.send("SELECT 'never'")
      }
    }

    let isIdle = "SELECT pg_current_xact_id_if_assigned() IS NULL AND 1 / $1::int = 1"
    #expect(try connection.value(isIdle, [1]) == true)
  }

  @Test func `the description of an address has no credentials`() throws {
    let uri = "postgres://ana:geheim@one,two:6000/shop?sslmode=verify-full&passfile=/x"

    #expect(try PostgresAddress(uri).description == "postgres://ana@one,two/shop")
    #expect(throws: StoreProblem.self) { try PostgresAddress("postgres://ana:geheim@[/shop") }
  }

  @Test(arguments: [
    ("ana:s3cret@one:6000,two/shop?sslmode=require", "ana:…@one:6000,two/shop?sslmode=require"),
    ("one:6000,two:7000/shop?user=ana@corp", "ana%40corp@one:6000,two:7000/shop"),
    ("/shop?host=/run/a,/run/b&port=1&p%61ssword=s3cret", ":…@/shop?host=/run/a,/run/b&port=1"),
    (
      "[::1]:6000/shop?sslpassword=s3cret&password=s3cret&password=s3cret",
      ":…@/shop?host=%3A%3A1&port=6000&sslpassword=…"
    ),
    ("ana%3As3%40@one", "ana%3As3%40@one/"), ("", "/"),
  ])
  func `a URI is shown with its options and without passwords`(
    rest: String, shown: String
  ) throws {
    let address = try PostgresAddress("postgres://" + rest)
    #expect(address.uriWithoutPasswords == "postgres://" + shown)
    let again = try PostgresAddress(address.uriWithoutPasswords)
    #expect(again.uriWithoutPasswords == address.uriWithoutPasswords)
  }

  /// libpq's message would quote it.
  @Test(arguments: ["password=ge&heim", "user=ana&geheim=x", "ge%heim=1"])
  func `the problem of a URI does not quote it`(query: String) {
    let problem = #expect(throws: StoreProblem.self) {
      try PostgresAddress("postgres://ana@one/shop?" + query)
    }
    #expect(problem?.description.contains("heim") == false)
  }

  @Test(arguments: [
    ("one", "any"), ("one,two", "read-write"), ("one,two/?target_session_attrs=standby", "standby"),
    // PGHOST may name several hosts.
    ("", "read-write"), ("/?service=x", "read-write"), ("/?hostaddr=127.0.0.1", "any"),
  ])
  func `a tool that only reads may use a standby`(rest: String, attributes: String) throws {
    let address = try PostgresAddress("postgres://" + rest)
    func found(_ address: PostgresAddress) -> String? {
      address.parameters(name: "tests").last { $0.keyword == "target_session_attrs" }?.value
    }
    #expect(found(address) == "read-write" && found(address.forReading) == attributes)
  }

  /// A node asks it when its own host does not answer, or has become a standby.
  @Test func `a host without a server is passed over`() throws {
    let address = try PostgresAddress(
      "postgres://pickerd@/postgres?host=/nowhere,\(TestServer.shared.folder)")
    #expect(try PostgresConnection(address, name: "tests").value("SELECT 7") == 7)

    let refused = try PostgresAddress("postgres://pickerd@/postgres?host=/nowhere/one")
    let error = #expect(throws: PostgresError.self) {
      try PostgresConnection(refused, name: "tests")
    }
    #expect(error?.description.contains("/nowhere/one") == true && error?.isConnectionLost == true)
  }

  /// Regression: each statement read the whole table, because it was planned for an empty one.
  @Test func `batches, loads and pages find their rows by an index`() async throws {
    let shelf = try Shelf(.postgres)
    let log = try shelf.store()
    let fixture = try LogFixture(in: log)
    for _ in 0..<3 {
      fixture.join("m_1")
      fixture.tap(10, by: "m_1")
      fixture.refuse(3, by: "m_1")
      fixture.feed()
      fixture.snapshot()
      log.flush()
      _ = try await shelf.loaded(fixture.origin.id, from: log)
    }
    _ = await history(of: fixture, from: log)
    log.close()

    // Each index was made from its table, too; `event` has three.
    let read = """
      SELECT string_agg(relname || ' ' || seq_scan, ', ') FROM pg_stat_user_tables
      WHERE relname IN ('entry', 'snapshot', 'definition', 'event')
        AND seq_scan > CASE relname WHEN 'event' THEN 3 ELSE 2 END
      """
    try await wait(for: "the statistics of the connections") {
      try shelf.count("SELECT sum(idx_scan)::bigint FROM pg_stat_user_tables") > 30
    }
    #expect(try shelf.read(String.self, read) == nil)
  }

  /// Otherwise each append would add a row to every index of the session.
  @Test func `appends change no index of their session`() async throws {
    let shelf = try Shelf(.postgres)
    let log = try shelf.store()
    let fixture = try LogFixture(in: log)
    for number in 1...20 {
      fixture.join("m_\(number)")
      log.flush()
    }
    log.close()

    func updates(_ column: String) throws -> Int {
      try shelf.count("SELECT \(column) FROM pg_stat_user_tables WHERE relname = 'session'")
    }
    try await wait(for: "the statistics") { try updates("n_tup_upd") >= 20 }
    #expect(try updates("n_tup_hot_upd") >= 19)
  }
}
