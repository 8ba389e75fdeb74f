import CivilTime
import PickerHub
import PickerSession
import Testing

@testable import SessionLog

/// What sweeps cost, and what their index costs appends.
@Suite(.database) struct SweepingTests {
  @Test func `sessions of a stopped node are found without reading all`() throws {
    let shelf = try Shelf(.postgres)
    let log = try shelf.store()
    log.flush()
    let connection = try TestServer.shared.connect(shelf.database)
    try connection.run("SELECT set_config('search_path', 'pickerd', false)")

    let plan = try connection.run(
      "EXPLAIN \(PostgresOrphans.adoption)", [.int(1), .ints([2, 3])])

    let lines = (0..<plan.count).compactMap { plan.text($0, 0) }
    #expect(lines.contains { $0.contains("session_members") }, "\(lines)")
    #expect(!lines.contains { $0.contains("Seq Scan") }, "\(lines)")
  }

  @Test func `visits find sessions by the index, and lock them in the order of batches`() throws {
    let shelf = try Shelf(.postgres)
    try shelf.store().flush()
    let connection = try TestServer.shared.connect(shelf.database)
    try connection.run("SELECT set_config('search_path', 'pickerd', false)")
    let sessions = (0..<10_000).map { "s\($0)" }

    let plan = try connection.run("EXPLAIN \(PostgresSessionLog.visiting)", [.texts(sessions)])

    let lines = (0..<plan.count).compactMap { plan.text($0, 0) }
    let order = ["LockRows", "Sort", "Nested Loop", "Index Cond: (id = v.id)"].map { part in
      lines.firstIndex { $0.contains(part) } ?? -1
    }
    #expect(lines.filter { $0.contains("Index Cond: (id = ") }.count == 2, "\(lines)")
    #expect(!order.contains(-1) && order[0] < order[1] && order[1] < order[3], "\(lines)")
    #expect(!lines.contains { $0.contains("Filter") || $0.contains("Seq Scan") }, "\(lines)")
  }

  @Test func `a batch finds its sessions by the index in a database without statistics`() throws {
    let shelf = try Shelf(.postgres)
    try shelf.store().flush()
    let connection = try TestServer.shared.connect(shelf.database)
    try connection.run("SELECT set_config('search_path', 'pickerd', false)")
    let session = SessionID("s")
    let entry = LogEntry(at: Instant(milliseconds: 0), body: .tick)
    let batch = PostgresBatch(
      [.log(.entry(entry), session)], by: PostgresNode(incarnation: 1, fence: 0),
      epochs: [session: "e"], SessionLimits(), FeedLimits(), FoldVersions(tzdata: nil)
    ) { $0 }

    for statement in batch.statements where statement.sql.contains("session") {
      let plan = try connection.run("EXPLAIN \(statement.sql)", statement.parameters)
      let lines = (0..<plan.count).compactMap { plan.text($0, 0) }
      #expect(lines.contains { $0.contains("Index Cond: (id = ") }, "\(lines)")
      #expect(!lines.contains { $0.contains("session_external") }, "\(lines)")
    }
  }

  @Test func `entries are found by their numbers in a database without statistics`() throws {
    let shelf = try Shelf(.postgres)
    try shelf.store().flush()
    let connection = try TestServer.shared.connect(shelf.database)
    try connection.run("SELECT set_config('search_path', 'pickerd', false)")
    try connection.run("SELECT set_config('plan_cache_mode', 'force_generic_plan', false)")
    let statements = [
      (PostgresFollower.gapReading, "text[], bigint[], bigint[], bigint", "'{}', '{}', '{}', 500"),
      (PostgresWriter.foundEntries, "text[], bigint[], bigint, bigint", "'{}', '{}', 7, 8"),
    ]

    for (number, (sql, types, values)) in statements.enumerated() {
      try connection.execute(script: "PREPARE plan\(number) (\(types)) AS \(sql)")
      let plan = try connection.run("EXPLAIN EXECUTE plan\(number) (\(values))")
      let lines = (0..<plan.count).compactMap { plan.text($0, 0) }
      #expect(
        lines.contains { $0.contains("Index Cond: ((session = ") && $0.contains("sequence > ") },
        "\(lines)")
    }
  }

  @Test func `a database of an older schema gets the index`() throws {
    let shelf = try Shelf(.postgres)
    try shelf.store().flush()
    try shelf.write("DROP INDEX pickerd.session_members")
    try shelf.write("UPDATE pickerd.store SET schema = 2")

    try shelf.store().flush()

    let count = "SELECT count(*) FROM pg_indexes WHERE indexname = 'session_members'"
    #expect(try shelf.read(Int.self, count) == 1)
  }

  @Test func `appends of two nodes to a session change no index`() async throws {
    let shelf = try Shelf(.postgres)
    let (one, two) = (try TestNode(shelf), try TestNode(shelf))
    let fixture = try LogFixture(in: one.log)
    fixture.join("m_1")
    one.log.flush()
    for node in [one, two] { _ = try await node.load() }
    let begin = try updates(shelf, atLeast: 1)

    for ref in 1...5 {
      for node in [one, two] {
        node.append(.command(MemberID("m_1"), ref: ref, .clear))
        node.log.flush()
      }
    }

    let end = try updates(shelf, atLeast: begin.all + 10)
    #expect(end.all - begin.all == end.hot - begin.hot)
  }

  /// The updates of sessions, and those that have changed no index.
  private func updates(_ shelf: Shelf, atLeast count: Int) throws -> (all: Int, hot: Int) {
    let connection = try TestServer.shared.connect(shelf.database)
    for _ in 0..<600 {
      let row = try connection.run(
        """
        SELECT n_tup_upd, n_tup_hot_upd, pg_sleep(0.1) FROM pg_stat_user_tables
        WHERE schemaname = 'pickerd' AND relname = 'session'
        """)
      if let all = row.int(0, 0), let hot = row.int(0, 1), all >= count { return (all, hot) }
    }
    throw StoreProblem("no \(count) updates")
  }

  @Test func `a slow search for expired sessions is repeated seldom`() {
    var state = SweepState()
    state.haveRead(in: .seconds(600))
    #expect(state.nextReading <= .now)

    state.haveRead(in: .seconds(600))

    #expect(state.nextReading > .now + .seconds(20_000))
  }
}
