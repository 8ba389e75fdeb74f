import CivilTime
import Foundation
import PickerHub
import PickerModel
import PickerSession
import Synchronization
import Testing

@testable import SessionLog

/// Faults between nodes, and of the database, that have lost or repeated something.
@Suite(.database) struct ClusterFaultTests {
  private let ana = MemberID("m_1")

  private func command(_ ref: Int) -> LogEntry.Body { .command(ana, ref: ref, .clear) }

  /// Regression: the session ended with the state before the entry, whose events were never in the
  /// feed.
  @Test func `a session does not end if another node has appended an entry meanwhile`()
    async throws
  {
    let shelf = try Shelf(.postgres)
    let (one, two, fixture) = try await TestNode.pair(shelf)
    let event = fixture.fold.endEvent(.deleted, at: fixture.origin.createdAt)
    two.append(.command(ana, ref: 1, .confirm))
    two.log.flush()

    #expect(one.log.append(.ended(event, after: 1), of: one.session) == .pending)
    one.log.flush()

    let lost = try await one.wait(for: "lost") {
      if case .lost(let sessions) = $0 { sessions } else { nil }
    }
    #expect(lost == [one.session])
    let living = "SELECT count(*) FROM pickerd.session WHERE ended_at IS NULL"
    #expect(try shelf.read(Int.self, living) == 1)
    #expect(try await one.load().entryCount == 2)
    #expect(one.log.append(.ended(event, after: 2), of: one.session) == .pending)
    one.log.flush()
    #expect(try shelf.read(Int.self, living) ?? 0 == 0)
  }

  /// Regression: a node that had lost nothing itself accepted the database.
  @Test func `a restore that has lost batches of a stopped node only is noticed by another`()
    async throws
  {
    let shelf = try Shelf(.postgres)
    let one = try TestNode(shelf)
    var two: TestNode? = try TestNode(shelf)
    let fixture = try LogFixture(in: two!.log)
    fixture.join("m_1")
    two!.log.flush()
    let (node, number) = (two!.log.follower.incarnation, two!.log.writer.node.batch)
    let witness = one.log.writer.witness
    try await wait(for: "the batch to be seen") { witness.last?.batches[node] == number }
    fixture.closeLog()
    two = nil
    let epoch = one.log.feed.epoch

    // As after a restore to the time before the batch, to which the timeline 255 has led.
    let seen = try #require(witness.last)
    let former = seen.history.prefix { $0 != "/" } + "/000000FF"
    witness.accept(.init(history: String(former), batches: seen.batches))
    try shelf.write(
      """
      UPDATE pickerd.node SET batch = batch - 1 WHERE incarnation = \(node);
      UPDATE pickerd.store SET history = '\(former)'
      """)
    try shelf.write(
      """
      SELECT count(pg_terminate_backend(pid, 5000)) FROM pg_stat_activity
        WHERE datname = current_database() AND pid <> pg_backend_pid()
      """)

    try await wait(for: "new epochs") { one.log.feed.epoch != epoch }
    let epochs = "SELECT count(*) FROM pickerd.session WHERE epoch = 'first'"
    #expect(try shelf.read(Int.self, epochs) ?? 0 == 0)
  }

  private func isEnd(_ report: (session: SessionID, records: CommittedRecords)) -> Bool {
    guard case .mixed(let records) = report.records else { return false }
    return records.contains { if case .foreignEnd = $0 { true } else { false } }
  }

  /// Its members receive a snapshot; after an end they would leave.
  @Test func `a session that has got another epoch is lost, not ended, with its next entry`()
    async throws
  {
    let shelf = try Shelf(.postgres)
    let (one, two, _) = try await TestNode.pair(shelf)
    try shelf.write("UPDATE pickerd.session SET epoch = 'another'")

    for node in [one, two] {
      node.append(command(1))
      node.log.flush()
      let isLost = try await node.wait(for: "lost or ended") { notice -> Bool? in
        switch notice {
        case .lost: true
        case .committed(let reports) where reports.contains(where: isEnd): false
        default: nil
        }
      }
      #expect(isLost)
    }
  }

  /// Regression: it waited for 10 s only, and every session got a new epoch.
  @Test func `a node that starts after a failover waits for one whose commits wait for a standby`()
    async throws
  {
    let shelf = try Shelf(.postgres)
    let one = try TestNode(shelf)
    let fixture = try LogFixture(in: one.log)
    one.log.flush()
    let witness = one.log.writer.witness
    try await wait(for: "the batch to be seen") { witness.last != nil }
    let epoch = one.log.feed.epoch
    let former = try #require(witness.last).history.prefix { $0 != "/" } + "/000000FF"
    // As if the commit of the fence waited.
    let standby = try TestServer.shared.connect(shelf.database)
    try standby.run("BEGIN")
    try standby.run("SELECT FROM pickerd.node FOR UPDATE")
    try shelf.write("UPDATE pickerd.store SET history = '\(former)'")
    let batches = witness.last?.batches ?? [:]
    witness.accept(.init(history: String(former), batches: batches))
    let name = one.log.writer.name
    try shelf.write(
      "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity "
        + "WHERE application_name = '\(name)'")
    fixture.join("m_1")

    let starting = Task.detached { try TestNode(shelf, session: "t") }
    let waiting = """
      SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()
        AND query LIKE 'SELECT EXISTS (%pg_locks%'
      """
    try await wait(for: "the wait of the second node") { try shelf.read(Int.self, waiting) != 0 }
    try await Task.sleep(for: .seconds(12))
    try standby.run("COMMIT")

    let two = try await starting.value
    #expect(!two.log.hasLostHistory)
    #expect(two.log.feed.epoch == epoch)
    let epochs = "SELECT count(*) FROM pickerd.session WHERE epoch = 'first'"
    #expect(try shelf.read(Int.self, epochs) == 1)
  }

  @Test func `a session for which a node is responsible is passed to its hubs again`() async throws
  {
    let shelf = try Shelf(.postgres)
    let (one, _, _) = try await TestNode.pair(shelf)
    // As after a load that has failed.
    one.log.released(one.session)
    func orphans() -> [DormantSession] {
      one.all { notice -> [DormantSession]? in
        if case .orphaned(let sessions) = notice { sessions } else { nil }
      }.flatMap(\.self)
    }
    one.log.sweepLater()
    try await Task.sleep(for: .milliseconds(300))
    #expect(orphans().isEmpty)

    one.log.sweeping.withLock { $0.lastRestoring = .now - .seconds(61) }
    one.log.sweepLater()

    try await wait(for: "the session") { orphans().map(\.id) == [one.session] }
  }

  /// Regression: a creation with such a key was tried again and again, for an hour.
  @Test func `an idempotency key does not expire while the clock is in doubt`() async throws {
    let shelf = try Shelf(.postgres)
    let log = try #require(try shelf.store() as? PostgresSessionLog)
    log.flush()
    try shelf.write("UPDATE pickerd.store SET written_at = written_at - 172800000")
    try log.writer.clockDoubt.check(try TestServer.shared.connect(shelf.database))
    try shelf.write(
      """
      INSERT INTO pickerd.creation VALUES ('k', '', 's', 'e', '', pickerd.now_ms() - 90000000)
      """)
    let names = SessionIndex.Names(external: nil, key: Array("k".utf8))
    func isKnown() async -> Bool {
      let outcome = await withCheckedContinuation { continuation in
        log.readingQueue.async {
          continuation.resume(
            returning: try? log.reader.read { try log.owner(of: names, $0) })
        }
      }
      if case .key? = outcome ?? nil { return true }
      return false
    }
    #expect(await isKnown())
    log.writer.clockDoubt.expire()
    try log.writer.clockDoubt.check(try TestServer.shared.connect(shelf.database))
    #expect(await !isKnown())
  }

  /// Ends each connection that waits for a table, until `count` of such a statement were ended: one
  /// of another statement would wait for half a minute, and with it the sweep.
  ///
  /// - Parameters:
  ///   - prepare: Called when the table is locked. It makes what a sweep is to find, because nodes
  ///     also sweep by themselves.
  ///   - sweep: Called again and again: a sweep is not repeated by itself while tables are locked.
  private func endingLockWaits(
    _ count: Int, of table: String, by statement: String = "%", _ shelf: Shelf,
    prepare: () throws -> Void, sweep: () -> Void
  ) async throws {
    let blocker = try TestServer.shared.connect(shelf.database)
    try blocker.run("BEGIN")
    try blocker.run("LOCK TABLE pickerd.\(table) IN ACCESS EXCLUSIVE MODE")
    try prepare()
    let connection = try TestServer.shared.connect(shelf.database)
    var ended = 0
    try await wait(for: "connections that wait for the table") {
      sweep()
      ended +=
        try connection.run(
          """
          SELECT count(*) FILTER (WHERE pg_terminate_backend(pid, 5000) AND query LIKE $1)
          FROM pg_stat_activity
          WHERE datname = current_database() AND wait_event_type = 'Lock'
          """, [.text(statement)]
        ).int(0, 0) ?? 0
      return ended >= count
    }
    try blocker.run("ROLLBACK")
  }

  /// Regression: the session was taken for one that cannot be read, and its last state was not in
  /// the feed.
  @Test func `a session that cannot be read for now does not end`() async throws {
    let shelf = try Shelf(.postgres)
    let log = try #require(try shelf.store() as? PostgresSessionLog)
    let fixture = try LogFixture(in: log)
    fixture.join("m_1")
    log.flush()

    try await endingLockWaits(2, of: "entry", shelf) {
      try shelf.write("UPDATE pickerd.session SET active_at = 0")
    } sweep: {
      log.sweepLater()
    }
    try await wait(for: "the end") {
      log.sweepLater()
      return try shelf.read(
        Int.self, "SELECT count(*) FROM pickerd.session WHERE ended_at IS NULL") == 0
    }

    let last = "SELECT convert_from(body, 'UTF8') FROM pickerd.event ORDER BY position DESC LIMIT 1"
    let event = try #require(try shelf.read(String.self, last))
    #expect(event.contains("expired") && event.contains("revision"), "\(event)")
  }

  /// Regression: they were forgotten.
  @Test func `visits that cannot be stored are stored by a later sweep`() async throws {
    let shelf = try Shelf(.postgres)
    let log = try #require(try shelf.store() as? PostgresSessionLog)
    let fixture = try LogFixture(in: log)
    fixture.join("m_1")
    log.flush()
    try shelf.write("UPDATE pickerd.session SET active_at = 0, ttl_seconds = 31536000000")

    try await endingLockWaits(2, of: "session", by: "WITH visited%", shelf) {
      log.noteVisit(of: fixture.origin.id)
    } sweep: {
      log.sweepLater()
    }

    try await wait(for: "the visit") {
      log.sweepLater()
      return try shelf.read(Int.self, "SELECT count(*) FROM pickerd.session WHERE active_at > 0")
        == 1
    }
  }

  /// Regression: they were added two seconds later, so that SIGTERM lost them.
  @Test func `a flush stores snapshots that wait because of other nodes`() async throws {
    let shelf = try Shelf(.postgres)
    let (one, _, fixture) = try await TestNode.pair(shelf)
    let snapshot = LogSnapshot(
      epoch: fixture.origin.epoch, entryCount: 1, state: fixture.fold.state,
      picker: fixture.fold.picker, isIdle: false, nextTick: nil, idleMilliseconds: 0,
      eventSequence: 1)

    #expect(one.log.store(snapshot, of: one.session))
    one.log.flush()

    #expect(try shelf.read(Int.self, "SELECT count(*) FROM pickerd.snapshot") == 1)
    #expect(one.log.figures.backlog.encodingByteCount == 0)
  }

  @Test func `after dropped announcements the hubs announce again`() async throws {
    let shelf = try Shelf(.postgres)
    let (one, _, _) = try await TestNode.pair(shelf)
    let before = one.all { if case .announcementsLost = $0 { true } else { nil } }.count

    one.log.follower.outgoing.withLock { $0.hasDropped = true }
    one.log.follower.wake.set()

    try await wait(for: "the notice") {
      one.all { if case .announcementsLost = $0 { true } else { nil } }.count > before
    }
  }

  /// Regression: two nodes may create sessions at the same time; a page ended between them, and the
  /// next one began after both.
  @Test func `a page of the list has all sessions with the same ordinal`() async throws {
    let shelf = try Shelf(.postgres)
    let node = try TestNode(shelf)
    for name in ["a", "b", "c", "d"] { _ = try LogFixture(in: node.log, id: name) }
    node.log.flush()
    try shelf.write("UPDATE pickerd.session SET ordinal = CASE id WHEN 'd' THEN 9 ELSE 7 END")
    func page(after ordinal: Int64) async throws -> SessionListPage {
      let query = SessionListQuery(external: nil, status: nil, after: ordinal, limit: 2)
      let outcome = await withCheckedContinuation { continuation in
        node.log.list(query, hub: 0) { continuation.resume(returning: $0) }
      }
      guard case .found(let page) = outcome else { throw StoreProblem("no list") }
      return page
    }

    let first = try await page(after: 0)
    #expect(Set(first.sessions.map(\.id.text)) == ["a", "b", "c"] && first.next == 7)
    let second = try await page(after: 7)
    #expect(second.sessions.map(\.id.text) == ["d"] && second.next == nil)
  }

  @Test func `the address of a host is used again until it does not answer`() throws {
    let port = try SilentPort()
    let address = try PostgresAddress(
      "postgres://pickerd@/postgres?host=localhost,\(TestServer.shared.folder)"
        + "&port=\(port.number),5432&connect_timeout=2")
    func known(_ place: Int) -> [String] {
      address.parameters(name: "tests")[place].filter { $0.keyword == "hostaddr" }.map(\.value)
    }
    address.resolved[0] = "127.0.0.1"
    #expect(known(0) == ["127.0.0.1"] && known(1) == [])

    _ = try PostgresConnection(address, name: "tests")

    // It has not answered before the other host, so that it may be a former address.
    #expect(known(0) == [])
    let refused = try PostgresAddress(
      "postgres://pickerd@localhost:\(try SilentPort(refuses: true).number)/postgres"
        + "?connect_timeout=2")
    refused.resolved[0] = "127.0.0.1"
    #expect(throws: PostgresError.self) { try PostgresConnection(refused, name: "tests") }
    #expect(refused.resolved[0] == nil)
  }

  @Test func `a database whose clock may be ahead deletes nothing for an hour`() async throws {
    let shelf = try Shelf(.postgres)
    var log: PostgresSessionLog? = try #require(try shelf.store() as? PostgresSessionLog)
    let fixture = try LogFixture(in: log!)
    fixture.feed()
    log!.flush()
    fixture.closeLog()
    log = nil
    try shelf.write(
      """
      UPDATE pickerd.store SET written_at = written_at - 172800000;
      UPDATE pickerd.session SET active_at = 0; UPDATE pickerd.event SET at = 0;
      INSERT INTO pickerd.creation VALUES ('k', '', 's', 'e', '', 0)
      """)
    let kept = """
      SELECT (SELECT count(*) FROM pickerd.session WHERE ended_at IS NULL)
        + (SELECT count(*) FROM pickerd.event) + (SELECT count(*) FROM pickerd.creation)
      """

    let again = try #require(try shelf.store() as? PostgresSessionLog)
    let other = try LogFixture(in: again, id: "t")
    other.feed()
    again.flush()
    #expect(again.writer.clockDoubt.isRaised)
    for _ in 0..<20 {
      again.sweepLater()
      try await Task.sleep(for: .milliseconds(150))
    }
    #expect(try shelf.read(Int.self, kept) == 5)

    again.writer.clockDoubt.expire()
    try await wait(for: "the deletions") {
      again.sweepLater()
      return try shelf.read(Int.self, "SELECT count(*) FROM pickerd.session WHERE id = 's'") == 0
        && shelf.read(Int.self, "SELECT count(*) FROM pickerd.creation") == 0
    }
    #expect(!again.writer.clockDoubt.isRaised)
  }

  @Test func `the size of a database is that of its sessions and the feed`() async throws {
    let shelf = try Shelf(.postgres)
    let log = try PostgresSessionLog(
      TestServer.shared.address(shelf.database), zone: { _ in .utc }, digest: { $0 },
      storeByteCountMax: 10_000
    ) { _ in }
    let fixture = try LogFixture(in: log)
    fixture.join("m_1")
    fixture.tap(200, by: "m_1")
    log.flush()
    let real = """
      SELECT (SELECT length(origin) FROM pickerd.session)
        + (SELECT sum(length(body)) FROM pickerd.entry) + (SELECT byte_count FROM pickerd.feed)
      """

    try await wait(for: "the count") {
      try log.figures.storeByteCount == shelf.read(Int.self, real)
    }

    #expect(log.figures.storeByteCount ?? 0 > 10_000)
    #expect(fixture.append(.command(ana, ref: 900, .clear)) == .storeFull)
    #expect(fixture.append(.tick) == .pending)
    _ = log.append(.ended(nil), of: fixture.origin.id)
    log.flush()
    let next = try LogFixture(in: try TestNode(shelf).log, id: "next")
    try await wait(for: "room") {
      log.append(.created(next.origin), of: SessionID("t")) == .pending
    }
  }

  @Test func `no timeout of the server's settings ends a statement`() throws {
    let shelf = try Shelf(.postgres)
    let administrator = try TestServer.shared.connect("postgres")
    try administrator.execute(
      script: "ALTER DATABASE \(shelf.database) SET statement_timeout = '100ms'")
    defer {
      try? administrator.execute(
        script: "ALTER DATABASE \(shelf.database) RESET statement_timeout")
    }

    let connection = try TestServer.shared.connect(shelf.database)

    #expect(throws: Never.self) { try connection.run("SELECT pg_sleep(0.3)") }
  }
}
