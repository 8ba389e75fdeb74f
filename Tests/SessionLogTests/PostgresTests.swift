import Foundation
import PickerHub
import PickerModel
import PickerSession
import Synchronization
import Testing

@testable import SessionLog

/// What only the PostgreSQL engine has. The other tests of stores run on both engines.
@Suite(.database) struct PostgresTests {
  private func lost(_ shelf: Shelf) async throws -> [SessionID] {
    try await shelf.notice { if case .lost(let sessions) = $0 { sessions } else { nil } }
  }

  /// Ends the connections of a store.
  private func disconnect(_ shelf: Shelf) throws {
    try TestServer.shared.connect(shelf.database).run(
      """
      SELECT count(pg_terminate_backend(pid, 5000)) FROM pg_stat_activity
      WHERE datname = current_database() AND pid <> pg_backend_pid()
      """)
  }

  @Test func `parameters and results have the same values`() throws {
    let connection = try TestServer.shared.connect("postgres")
    let bytes = Data([0, 255, 39, 92])

    let rows = try connection.run(
      "SELECT $1, $2, $3, $4, $5, cardinality($6), $7[2], $8[1], $9",
      [
        .int(Int.min), .text("Où? \u{1F600}"), .bytes(bytes), .bool(true), .int(nil as Int?),
        .ints([]), .ints([1, -7]), .blobs([bytes, Data()]), .texts(["a", ""]),
      ])

    #expect(rows.int(0, 0) == Int.min && rows.text(0, 1) == "Où? \u{1F600}")
    #expect(rows.data(0, 2) == bytes && rows.bool(0, 3) && rows.int(0, 4) == nil)
    #expect(rows.int(0, 5) == 0 && rows.int(0, 6) == -7 && rows.data(0, 7) == bytes)
  }

  @Test func `nodes that start at the same time on an empty database all open it`() async throws {
    let shelf = try Shelf(.postgres)
    let other = try TestServer.shared.connect(shelf.database)
    try other.run("SELECT pg_advisory_lock($1)", [.int(PostgresSchema.migrationLock)])
    let ends = Mutex<[String]>([])
    for _ in 0..<2 {
      Thread.detachNewThread {
        do {
          let address = try TestServer.shared.address(shelf.database)
          _ = try PostgresSchema.open(PostgresConnection(address, name: "node"), address)
          ends.withLock { $0.append("open") }
        } catch {
          ends.withLock { $0.append("\(error)") }
        }
      }
    }
    let waiting = """
      SELECT count(*) FROM pg_locks JOIN pg_database ON pg_database.oid = database
      WHERE locktype = 'advisory' AND NOT granted AND datname = current_database()
      """
    while try other.run(waiting).int(0, 0) != 2 { try await Task.sleep(for: .milliseconds(5)) }

    try other.run("SELECT pg_advisory_unlock($1)", [.int(PostgresSchema.migrationLock)])

    while ends.withLock({ $0.count }) < 2 { try await Task.sleep(for: .milliseconds(5)) }
    #expect(ends.withLock { $0 } == ["open", "open"])
  }

  @Test func `a failed call leaves a usable connection without a transaction`() throws {
    let connection = try TestServer.shared.connect("postgres")

    #expect(throws: PostgresError.self) {
      try connection.run([
        PostgresStatement("BEGIN"), PostgresStatement("SELECT 1 / $1", [.int(0)]),
        PostgresStatement("SELECT 'never'"), PostgresStatement("COMMIT"),
      ])
    }

    let known = try connection.run("SELECT 'never', pg_current_xact_id_if_assigned()::text")
    #expect(known.text(0, 0) == "never" && known.text(0, 1) == nil)
    #expect(try connection.run("SELECT 1 / $1", [.int(1)]).int(0, 0) == 1)
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
    func found(_ address: PostgresAddress) -> Set<String> {
      Set(
        address.parameters(name: "tests").compactMap { parameters in
          parameters.last { $0.keyword == "target_session_attrs" }?.value
        })
    }
    #expect(found(address) == ["read-write"] && found(address.forReading) == [attributes])
  }

  @Test func `a host that does not answer delays nothing`() throws {
    // It accepts a connection and says nothing.
    let silent = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(silent) }
    var place = sockaddr_in()
    place.sin_family = sa_family_t(AF_INET)
    place.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    withUnsafeMutablePointer(to: &place) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        #expect(bind(silent, address, size) == 0 && listen(silent, 8) == 0)
        getsockname(silent, address, &size)
      }
    }
    let port = UInt16(bigEndian: place.sin_port)
    let address = try PostgresAddress(
      "postgres://pickerd@/postgres?host=127.0.0.1,\(TestServer.shared.folder)"
        + "&port=\(port),5432&connect_timeout=600")

    let connection = try PostgresConnection(address, name: "tests")

    #expect(try connection.run("SELECT 7").int(0, 0) == 7)
  }

  @Test func `a refusal of all hosts is reported at once`() throws {
    let address = try PostgresAddress(
      "postgres://pickerd@/postgres?host=/nowhere/one,/nowhere/two&connect_timeout=600")

    let error = #expect(throws: PostgresError.self) {
      try PostgresConnection(address, name: "tests")
    }
    #expect(error?.description.contains("/nowhere/one") == true)
  }

  @Test func `a batch of many sessions has few statements`() throws {
    let session = try GeneratedSession(seed: 5)
    let records = (0..<300).flatMap { number in
      session.entries.prefix(20).map {
        StoreRecord.log(.entry($0), SessionID("s\(number)"))
      }
    }

    let expected = Dictionary(
      uniqueKeysWithValues: (0..<300).map { (SessionID("s\($0)"), expectation("e")) })

    let batch = PostgresBatch(
      records, by: PostgresNode(incarnation: 1, fence: 1), expected: expected, SessionLimits(),
      FeedLimits(), FoldVersions(tzdata: nil), digest: { $0 })

    #expect(batch.statements.count == 9)
  }

  @Test func `an error says how many statements of the call had succeeded`() throws {
    let shelf = try Shelf(.postgres)
    let connection = try TestServer.shared.connect(shelf.database)
    let statements = ["BEGIN", "SELECT 1", "COMMIT", "SELECT 1 / 0", "SELECT 2"]

    let error = #expect(throws: PostgresError.self) {
      try connection.run(statements.map { PostgresStatement($0) })
    }

    #expect(error?.doneCount == 3 && error?.isConnectionLost == false)
    #expect(try connection.run("SELECT 3").int(0, 0) == 3)
  }

  @Test func `an entry of a connection that was replaced is not stored`() throws {
    let shelf = try Shelf(.postgres)
    let log = try shelf.store()
    let fixture = try LogFixture(in: log)
    log.flush()
    let entry = LogEntry(at: fixture.origin.createdAt, body: .tick)
    let node = try #require(try shelf.read(Int.self, "SELECT incarnation FROM pickerd.node"))
    let late = PostgresBatch(
      [.log(.entry(entry), fixture.origin.id)], by: PostgresNode(incarnation: node, fence: 0),
      expected: [fixture.origin.id: expectation("first")], SessionLimits(), FeedLimits(),
      FoldVersions(tzdata: nil), digest: { $0 })
    try shelf.write("UPDATE pickerd.node SET fence = fence + 1")

    let connection = try TestServer.shared.connect(shelf.database)
    #expect(throws: PostgresError.self) { try connection.run(late.statements) }

    #expect(try shelf.read(Int.self, "SELECT head FROM pickerd.session") == 0)
  }

  @Test func `records survive the loss of connections, once and in order`() async throws {
    let shelf = try Shelf(.postgres)
    let log = try shelf.store()
    let fixture = try LogFixture(in: log)
    fixture.join("m_1")
    for _ in 0..<20 {
      fixture.tap(10, by: "m_1")
      try disconnect(shelf)
    }
    log.flush()

    let loaded = try #require(try await shelf.loaded(fixture.origin.id, from: log))

    #expect(loaded.entryCount == fixture.entryCount)
    #expect(loaded.fold.state == fixture.fold.state)
  }

  @Test func `sessions get a new epoch when committed batches are missing`() async throws {
    let shelf = try Shelf(.postgres)
    let log = try shelf.store()
    let fixture = try LogFixture(in: log)
    fixture.join("m_1")
    log.flush()
    let epoch = log.feed.epoch
    // As after a restore to the past.
    try shelf.write(
      """
      UPDATE pickerd.node SET batch = 0; DELETE FROM pickerd.entry;
      UPDATE pickerd.session SET head = 0
      """
    )
    try disconnect(shelf)

    fixture.tap(1, by: "m_1")
    log.flush()
    _ = try await shelf.notice {
      if case .message(let text) = $0, text.contains("writable again") { true } else { nil }
    }
    #expect(try await lost(shelf) == [fixture.origin.id])
    let loaded = try #require(try await shelf.loaded(fixture.origin.id, from: log))

    #expect(loaded.entryCount == 0 && loaded.fold.origin.epoch != "first")
    while log.feed.epoch == epoch { try await Task.sleep(for: .milliseconds(5)) }
  }

  @Test func `a database restored elsewhere has new epochs`() async throws {
    let shelf = try Shelf(.postgres)
    var log: SQLSessionLog? = try shelf.store()
    let fixture = try LogFixture(in: log!)
    log!.flush()
    fixture.closeLog()
    log = nil
    try shelf.write("UPDATE pickerd.store SET history = 'another/00000001'")

    let again = try shelf.store()

    #expect(again.hasLostHistory)
    let loaded = try #require(try await shelf.loaded(fixture.origin.id, from: again))
    #expect(loaded.fold.origin.epoch != "first")
  }
}
