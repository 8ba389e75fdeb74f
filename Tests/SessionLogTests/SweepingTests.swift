import BackgroundWork
import CivilTime
import JSONText
import PickerHub
import PickerModel
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
    // In the order in which batches lock them.
    #expect(lines.contains { $0.contains("LockRows") } && lines.contains { $0.contains("Sort") })
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
      expected: [session: expectation("e")], SessionLimits(), FeedLimits(),
      FoldVersions(tzdata: nil)
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

  /// Regression: at the first sight, that is after each failover, in which all nodes connect again.
  @Test func `sessions of a node that seems to have stopped are adopted after some seconds`() {
    var state = SweepState()
    let begin = ContinuousClock.now
    func adopted(after seconds: Int, _ nodes: [Int] = [7]) -> [Int] {
      state.noteStopped(nodes, at: begin + .seconds(seconds)).adopted
    }

    #expect(adopted(after: 0) == [] && adopted(after: 5) == [] && adopted(after: 6) == [7])
    #expect(adopted(after: 9, []) == [] && adopted(after: 12) == [])
    state.forgetStopped()
    #expect(adopted(after: 20) == [] && adopted(after: 26) == [7] && adopted(after: 60) == [])
    let last = state.noteStopped([7], at: begin + .seconds(81))
    #expect(last.adopted == [7] && last.forgotten == [7])
  }

  /// Regression: while another node had the lock, or the database did not answer, a node with a
  /// part of the sessions to read tried again at once, for as long as that lasted.
  @Test func `a sweep that another node prevents is not repeated at once`() async throws {
    let shelf = try Shelf(.postgres)
    let log = try #require(try shelf.store() as? PostgresSessionLog)
    let other = try TestServer.shared.connect(shelf.database)
    try other.run("SELECT pg_advisory_lock($1)", [.int(PostgresSessionLog.sweepLock)])
    log.sweeping.withLock { $0.haveRead(through: 50, in: .seconds(1)) }

    log.sweepLater()
    try await Task.sleep(for: .milliseconds(500))

    var idleCount = 0
    for _ in 0..<50 {
      if !log.sweeping.withLock(\.isRunning) { idleCount += 1 }
      try await Task.sleep(for: .milliseconds(5))
    }
    #expect(idleCount > 25)
  }

  @Test func `the server ends the connection of a process that is stopped during a sweep`()
    async throws
  {
    let shelf = try Shelf(.postgres)
    let log = try #require(try shelf.store() as? PostgresSessionLog)
    let sql = """
      SELECT current_setting('idle_session_timeout') || ' '
        || current_setting('idle_in_transaction_session_timeout')
      """
    let settings: String? = await withCheckedContinuation { continuation in
      log.historyQueue.async {
        continuation.resume(
          returning: try? log.historyReader.read { try $0.run(sql).text(0, 0) })
      }
    }
    #expect(settings == "1min 1min")
  }

  @Test func `a slow search for expired sessions is repeated seldom`() {
    var state = SweepState()
    state.haveRead(through: nil, in: .seconds(600))
    #expect(state.nextReading <= .now)

    state.haveRead(through: 50, in: .seconds(300))
    #expect(state.nextReading <= .now && state.readThrough == 50)
    state.haveRead(through: nil, in: .seconds(300))

    #expect(state.nextReading > .now + .seconds(20_000) && state.readThrough == 0)
  }

  /// Regression: one reading ended 100 sessions, and the first 100 that wait for the host's
  /// decision were read again and again instead of the others.
  @Test func `all sessions that have expired are ended by one sweep after the other`() async throws
  {
    let shelf = try Shelf(.postgres)
    let log = try #require(try shelf.store() as? PostgresSessionLog)
    for number in 0..<120 {
      let definition = try Definition.make(
        from: try JSONTree.parse(Array(#"{"kind":"columns","columns":[["x","y"]]}"#.utf8))
      ) { _ in .utc }
      let origin = SessionOrigin(
        id: SessionID("s\(number)"), epoch: "e", definition: definition,
        createdAt: Instant(milliseconds: 0), host: HostFields(decideSeconds: 60))
      let fixture = try LogFixture(origin, in: log)
      fixture.join("m_1")
      if number < 110 { fixture.append(.command(MemberID("m_1"), ref: 1, .confirm)) }
      fixture.feed()
    }
    log.flush()
    try shelf.write("UPDATE pickerd.session SET active_at = 0, served_by = 7")

    log.sweepLater()

    let living = "SELECT count(*) FROM pickerd.session WHERE ended_at IS NULL"
    for _ in 0..<500 where try shelf.read(Int.self, living) != 110 {
      try await Task.sleep(for: .milliseconds(20))
    }
    #expect(try shelf.read(Int.self, living) == 110)
  }

  /// Regression: each end began a deletion of its own, and all later pages waited for them.
  @Test func `a page of the history does not wait until all ended sessions are deleted`()
    async throws
  {
    let shelf = try Shelf(.postgres)
    let log = try #require(try shelf.store() as? PostgresSessionLog)
    let held = log.historyQueue.hold()
    for number in 0..<50 {
      let fixture = try LogFixture(in: log, id: "s\(number)")
      _ = log.append(.ended(nil), of: fixture.origin.id)
      log.flush()
    }

    let rest: Int? = await withCheckedContinuation { continuation in
      log.historyQueue.async {
        continuation.resume(
          returning: try? shelf.read(Int.self, "SELECT count(*) FROM pickerd.session"))
      }
      held.signal()
    }

    #expect(rest ?? 0 >= 48)
  }
}
