import CivilTime
import Foundation
import PickerHub
import PickerModel
import PickerSession
import Synchronization
import Testing

@testable import SessionLog

/// Several nodes on one database: each session has one owner.
@Suite(.database) struct OwnershipTests {
  private let shelf: Shelf

  init() throws { shelf = try Shelf(.postgres) }

  /// A node whose commands wait for the database until the test ends.
  private func node(
    _ session: String = "s", address: String? = nil, waitTime: Duration = hung
  ) throws -> TestNode {
    try TestNode(shelf.database, session: session, address: address, waitTime: waitTime)
  }

  private var owner: Int64? {
    get throws { try shelf.read(Int64.self, "SELECT owner FROM session WHERE id = 's'") }
  }

  private var epoch: String? {
    get throws { try shelf.read(String.self, "SELECT epoch FROM session WHERE id = 's'") }
  }

  private var entryCount: Int { get throws { try shelf.count("SELECT count(*) FROM entry") } }

  private func isElsewhere(_ outcome: LogLookup<LoadedSession>) -> Bool {
    if case .elsewhere = outcome { true } else { false }
  }

  // MARK: Claim

  @Test func `a created session has no owner, and is claimed when it is due`() async throws {
    let (one, two) = (try node(), try node())
    let fold = try LogFixture(in: MemorySessionLog()).fold
    let (event, now) = (fold.creationEvent, SQLSessionLog.now)
    let ids = ["later", "s"].map(SessionID.init)
    for (id, due) in zip(ids, [now + 3_600_000, now + 2000]) {
      let origin = SessionOrigin(
        id: id, epoch: "first", definition: fold.origin.definition,
        createdAt: fold.origin.createdAt)
      let record = LogRecord.created(
        origin, event: event, nextTick: Instant(milliseconds: due))
      #expect(one.log.append(record, of: id) == .pending)
    }
    one.log.flush()

    #expect(try owner == nil)
    let stored = one.posted.all { if case .committed(let all) = $0 { all.count } else { nil } }
    #expect(stored.reduce(0, +) == 2)
    try await wait(for: "a claim") { try owner != nil }
    #expect(SQLSessionLog.now >= now + 2000)
    #expect(one.orphans + two.orphans == [SessionID("s")])
    #expect(try shelf.count("SELECT count(*) FROM event") == 2)
    let loaded = try #require(try await (try owner == one.number ? one : two).claim().value)
    #expect(loaded.entryCount == 0 && loaded.missed.isEmpty && loaded.eventSequence == 0)
  }

  @Test func `a session belongs to the node that has claimed it, until that ends`() async throws {
    var one: TestNode? = try node()
    let two = try node()
    let fixture = try one!.create()
    #expect(try owner == one!.number)

    #expect(isElsewhere(try await two.claim()))
    #expect(try await one!.claim().value?.entryCount == 1)
    #expect(try owner == one!.number)
    one!.command(2)
    try await one!.waitForCommitted(1)
    fixture.closeLog()
    one = nil

    #expect(try await two.load().entryCount == 2)
    #expect(try owner == two.number && epoch == "first")
  }

  @Test func `a session that its node has released belongs to the next one that loads it`()
    async throws
  {
    let (one, two) = (try node(), try node())
    let fixture = try one.create()
    fixture.append(.left(MemberID("m_1")))
    fixture.snapshot(isIdle: true)

    one.log.released(one.session)
    one.log.flush()

    #expect(try owner == nil && shelf.count("SELECT count(*) FROM snapshot") == 1)
    let loaded = try #require(try await two.claim().value)
    #expect(loaded.snapshotEntryCount == 2 && loaded.isSnapshotted)
    #expect(try owner == two.number && epoch == "first")
    #expect(isElsewhere(try await one.claim()))
  }

  /// Regression: it was given up when its last snapshot was encoded.
  @Test func `a session that is loaded while it is being released keeps its owner`() async throws {
    let one = try node()
    let fixture = try one.create()
    let hold = one.log.encodingQueue.hold()
    fixture.snapshot(isIdle: true)
    one.log.released(one.session)

    #expect(try await one.claim().value != nil)
    hold.signal()
    one.log.flush()

    #expect(try owner == one.number)
    one.command(2)
    try await one.waitForCommitted(1)
    #expect(one.taken.isEmpty)
  }

  /// Otherwise no node would claim it when it is due.
  @Test func `a release that could not be stored is stored when the database can be written`()
    async throws
  {
    let one = try node()
    let fixture = try one.create()
    fixture.append(.left(MemberID("m_1")))
    fixture.snapshot(isIdle: true)
    one.log.flush()
    try shelf.write("ALTER TABLE session ADD CONSTRAINT fault CHECK (owner IS NOT NULL)")

    one.log.released(one.session)
    one.log.flush()
    #expect(one.log.failure != nil)
    #expect(try owner == one.number)

    try shelf.write("ALTER TABLE session DROP CONSTRAINT fault")
    try await wait(for: "the release") { try owner == nil }
    #expect(one.log.failure == nil)
  }

  @Test func `a session is released after all that was appended before, also in several parts`()
    async throws
  {
    let one = try node()
    let fixture = try one.create()
    one.log.queue.suspend()
    fixture.refuse(2500, by: "m_1")
    fixture.append(.left(MemberID("m_1")))
    fixture.snapshot(isIdle: true)
    one.log.released(one.session)
    one.log.encodingQueue.drain()
    one.log.queue.resume()
    one.log.flush()

    #expect(try owner == nil)
    #expect(one.lost + one.taken == [])
    let loaded = try #require(try await node().claim().value)
    #expect(loaded.entryCount == fixture.entryCount && loaded.isSnapshotted)
  }

  /// Its lock may be free already, and another node may own its sessions.
  @Test func `a node that has lost its connection answers nothing from memory`() async throws {
    let one = try node(waitTime: .seconds(10))
    try one.create()
    let server = try TestServer.shared.connect("postgres")
    try server.run(script: "ALTER DATABASE \(shelf.database) ALLOW_CONNECTIONS false")
    defer { try? server.run(script: "ALTER DATABASE \(shelf.database) ALLOW_CONNECTIONS true") }
    try server.run(
      "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = $1",
      [shelf.database])
    one.log.provenAt.withLock { $0 = one.log.scheduler.instant + .seconds(600) }
    #expect(one.log.isCertain)

    one.command(2)

    try await wait(for: "the doubt") { !one.log.isCertain }
  }

  @Test func `a node that closes gives up all sessions and is forgotten`() async throws {
    let (one, two) = (try node(), try node())
    try one.create()

    one.log.close()

    #expect(try owner == nil && shelf.count("SELECT count(*) FROM node") == 1)
    #expect(try await two.claim().value?.entryCount == 1)
  }

  /// Regression: nobody could have its sessions until the process had ended.
  @Test func `a node that gives up its sessions accepts and answers nothing more`() async throws {
    let (one, two) = (try node(), try node())
    let fixture = try one.create()
    fixture.append(.left(MemberID("m_1")))
    fixture.snapshot(isIdle: true)

    one.log.giveUp()
    one.log.flush()

    #expect(try owner == nil && shelf.count("SELECT count(*) FROM node") == 1)
    #expect(try shelf.count("SELECT count(*) FROM snapshot") == 1)
    #expect(try await two.claim().value?.entryCount == 2)
    let entry = LogEntry(at: Instant(milliseconds: 0), body: .left(MemberID("m_1")))
    #expect(one.log.append(.entry(entry), of: one.session) == .failed)
    #expect(!one.log.isCertain)
    one.log.close()
    #expect(try owner == two.number && one.taken.isEmpty && one.lost.isEmpty)
  }

  @Test func `a node that is not alive any more is reported when its sessions can be claimed`()
    async throws
  {
    let (one, two) = (try node(), try node())
    try one.create()
    one.log.queue.suspend()
    try one.cut()

    let stopped = try await two.posted.wait(for: "the end") {
      if case .stopped(let nodes) = $0 { nodes } else { nil }
    }

    #expect(stopped == [one.number] && !one.log.isCertain)
    one.log.queue.resume()
  }

  @Test(arguments: [nil, "127.0.0.1:7683"])
  func `nodes that cannot relay to each other are warned of once`(address: String?) async throws {
    let nodes = [try node(address: address), try node(address: address)]
    let expected = address.map { "have the same --node-listen \($0)" } ?? "have no --node-listen"

    for node in nodes {
      try await wait(for: "the warning") { node.messages.contains { $0.contains(expected) } }
      #expect(node.messages.count == 1)
    }
  }

  @Test func `a session that does not exist is absent`() async throws {
    guard case .absent = try await node().claim() else { throw StoreProblem("it is not absent") }
  }

  @Test func `a node knows who owns a session, and the address of that`() async throws {
    let (one, two) = (try node(address: "10.0.0.1:7000"), try node())
    let fixture = try one.create()
    func owner(_ node: TestNode, _ session: String = "s") async -> String {
      let owner = await withCheckedContinuation { done in
        node.log.owner(of: SessionID(session)) { done.resume(returning: $0) }
      }
      switch owner {
      case .here: return "here"
      case .node(_, let address): return address ?? "nowhere"
      case .unavailable: return "unavailable"
      }
    }

    #expect(await [owner(one), owner(two)] == ["here", "10.0.0.1:7000"])
    #expect(await [owner(two, "unknown"), owner(two, "nul\0")] == ["here", "here"])
    fixture.append(.left(MemberID("m_1")))
    fixture.snapshot(isIdle: true)
    one.log.released(one.session)
    one.log.flush()
    #expect(await owner(two) == "here")
    #expect(await [owner(one), owner(two)] == ["nowhere", "here"])
    #expect(two.orphans == [two.session])
    #expect(try await two.load().entryCount == 2)
  }

  /// Regression: all of them took it for theirs, and the others closed its members with 4503.
  @Test func `of nodes that are asked for a session at the same time one has it`() async throws {
    let nodes = try (0..<3).map { number in try node(address: "10.0.0.\(number):7000") }
    let fixture = try nodes[0].create()
    fixture.append(.left(MemberID("m_1")))
    nodes[0].log.released(nodes[0].session)
    nodes[0].log.flush()
    let answers = Mutex<[SQLSessionLog.Owner]>([])
    let holds = nodes.map { $0.log.queue.hold() }
    for node in nodes {
      node.log.owner(of: node.session) { owner in answers.withLock { $0.append(owner) } }
      node.log.ownerQueue.drain()
    }

    for hold in holds { hold.signal() }

    try await wait(for: "all answers") { answers.withLock { $0.count == 3 } }
    let others = answers.withLock { $0 }.compactMap {
      if case .node(let number, let address?) = $0 { (number, address) } else { nil }
    }
    let first = try #require(nodes.first { $0.number == (try? owner) })
    #expect(others.count == 2 && others.allSatisfy { $0.0 == first.number })
    #expect(nodes.flatMap(\.orphans) == [first.session])
  }

  /// Otherwise anybody who asks for random ids would delay everybody.
  @Test func `look-ups of owners wait for no loads, and are done together`() async throws {
    let (one, two) = (try node(address: "10.0.0.1:7000"), try node())
    try one.create()
    let (loads, owners) = (two.log.readingQueue.hold(), two.log.ownerQueue.hold())
    let answers = Mutex<[String]>([])
    two.log.owner(of: SessionID("first")) { _ in }
    for number in 0..<2002 {
      let isKnown = number % 1001 == 0
      two.log.owner(of: SessionID(isKnown ? "s" : "unknown\(number % 1001)")) { owner in
        guard case .node(_, let address?) = owner else { return answers.withLock { $0.append("") } }
        answers.withLock { $0.append(address) }
      }
    }
    #expect(two.log.ownerLookUps.withLock { $0.waiting.count } == 1002)

    owners.signal()
    two.log.ownerQueue.drain()

    #expect(answers.withLock { $0.count { $0 == "10.0.0.1:7000" } } == 2)
    #expect(answers.withLock { $0.count { $0.isEmpty } } == 2000)
    loads.signal()
  }

  /// Regression: another node changed it while its former owner answered reads for 1.5 s.
  @Test func `a session is claimed when its former owner cannot answer reads any more`()
    async throws
  {
    let (one, two) = (try node(), try node())
    try one.create()
    one.log.queue.suspend()
    try one.cut()

    #expect(try await two.claim().value?.entryCount == 1)

    #expect(!one.log.isCertain)
    one.log.queue.resume()
  }

  // MARK: Fence

  /// A connection in a transaction that wins every deadlock.
  private func blocker(_ sql: String) throws -> any SQLConnection {
    let blocker = try shelf.connect()
    try blocker.run("SET deadlock_timeout = '10min'")
    try blocker.run("BEGIN")
    try blocker.run(sql)
    return blocker
  }

  /// The connections that wait for a row or a table.
  private let waiting = """
    pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()
    """

  private func waitForLock() async throws {
    try await wait(for: "a transaction that waits") {
      try shelf.count("SELECT count(*) FROM \(waiting)") == 1
    }
  }

  /// Regression: a deadlock was an unknown error. On a slow machine the batch may be given up with
  /// its connection, and is written on the next one.
  @Test func `after a deadlock a batch is written again`() async throws {
    let one = try node()
    let fixture = try one.create()
    let blocker = try blocker("UPDATE feed SET newest = newest")
    fixture.change()
    fixture.feed()
    try await waitForLock()

    try blocker.run("UPDATE session SET rules = rules")
    try blocker.run("COMMIT")
    one.log.flush()

    #expect(try entryCount == 2)
    #expect(one.lost + one.taken == [])
  }

  /// Regression: the sweep that was rolled back had noted the new epoch of the feed already.
  @Test func `after a deadlock a sweep still finds the sessions that another node has renewed`()
    async throws
  {
    let one = try node()
    try one.create()
    try await wait(for: "a sweep") { try shelf.count("SELECT batch FROM node") > 2 }
    let blocker = try blocker("UPDATE session SET owner = NULL, epoch = 'second'")
    try shelf.write("UPDATE feed SET epoch = 'second'")
    try await waitForLock()

    try blocker.run("UPDATE node SET address = address")
    try blocker.run("COMMIT")

    try await wait(for: "the loss") { one.taken == [one.session] }
  }

  @Test func `a node whose session another one has claimed stores nothing more of it`()
    async throws
  {
    let (one, two) = (try node(), try node())
    let fixture = try one.create()
    one.log.queue.suspend()
    try one.cut()
    #expect(try await two.load().entryCount == 1)
    two.command(2)
    try await two.waitForCommitted(1)

    fixture.change()
    fixture.feed()
    fixture.snapshot(isIdle: true)
    one.log.released(one.session)
    one.log.encodingQueue.drain()
    one.log.queue.resume()
    one.log.flush()

    #expect(Set(one.taken) == [one.session])
    #expect(try entryCount == 2 && owner == two.number && epoch == "first")
    #expect(try shelf.count("SELECT newest FROM feed") == 1)
    #expect(try shelf.count("SELECT count(*) FROM snapshot") == 0)
    two.command(3)
    try await two.waitForCommitted(2)
  }

  /// Regression: sessions that others owned by then were taken from them, under new epochs.
  @Test func `a node that was cut off until others have forgotten it takes nothing from them`()
    async throws
  {
    let (one, two) = (try node(), try node())
    try one.create()
    let feedEpoch = two.log.feed.epoch
    one.log.queue.suspend()
    try one.cut()
    #expect(try await two.load().entryCount == 1)
    try await wait(for: "the deletion of its row") {
      try shelf.count("SELECT count(*) FROM node WHERE number = \(one.number)") == 0
    }

    one.command(2)
    one.log.queue.resume()
    one.log.flush()

    #expect(one.lost == [one.session] && one.taken == [one.session])
    #expect(one.messages.allSatisfy { !$0.contains("new epoch") })
    #expect(try entryCount == 1 && owner == two.number && epoch == "first")
    two.command(2)
    try await two.waitForCommitted(1)
    #expect(two.taken.isEmpty)
    try await wait(for: "the next connection") { one.log.failure == nil }
    #expect(isElsewhere(try await one.claim()))
    #expect(try shelf.read(String.self, "SELECT epoch FROM feed") == feedEpoch)
  }

  /// Regression: it took this for the history that it knew, and its sessions for taken.
  @Test func `a node is not deceived by another history with the same number`() async throws {
    let one = try node()
    try one.create()
    let server = try shelf.connect()
    try server.run("UPDATE store SET history = substr(history, 1, 28) || '/7'")
    try server.run("DELETE FROM node")
    one.log.queue.suspend()
    try one.cut()
    one.command(2)
    one.log.queue.resume()
    one.log.flush()

    #expect(one.messages.contains { $0.contains("have a new epoch") })
    #expect(try owner == nil && epoch != "first")
  }

  /// Regression: the next claim hid it, and members kept the epoch of before.
  @Test func `a node notices that another one has renewed a session that it claims again`()
    async throws
  {
    let one = try node()
    try one.create()
    _ = try await one.load()
    #expect(one.lost.isEmpty)
    try shelf.connect().run("UPDATE session SET owner = NULL, epoch = 'renewed', due_at = 0")

    let loaded = try await one.load()

    #expect(one.lost == [one.session] && loaded.fold.origin.epoch == "renewed")
  }

  /// Regression: numbers were counted; a failover that lost the first row gave its number again.
  @Test func `nodes have random numbers`() async throws {
    let (one, two) = (try node(), try node())
    #expect(abs(one.number - two.number) > 1)
  }

  @Test func `a node that connects again keeps its sessions and their epochs`() async throws {
    let (one, two) = (try node(), try node("t"))
    try one.create()
    try two.create()
    for ref in 2...31 {
      one.command(ref)
      two.command(ref)
      if ref.isMultiple(of: 5) { try one.cut() }
      if ref.isMultiple(of: 7) {
        try shelf.connect().run(
          """
          SELECT count(pg_terminate_backend(pid, 5000)) FROM pg_stat_activity
          WHERE datname = current_database() AND pid <> pg_backend_pid()
          """)
      }
    }
    try await one.waitForCommitted(32)
    try await two.waitForCommitted(32)

    #expect(one.lost + two.lost + one.taken + two.taken == [])
    #expect(try entryCount == 62 && owner == one.number)
    #expect(try shelf.count("SELECT count(*) FROM session WHERE epoch = 'first'") == 2)
    #expect(try await one.load().entryCount == 31)
  }

  @Test func `a batch whose connection is lost before its commit is stored once`() async throws {
    let one = try node()
    try one.create()
    let blocker = try shelf.connect()
    try blocker.run("BEGIN")
    try blocker.run("LOCK TABLE entry IN SHARE MODE")
    one.command(2)
    // With the COMMIT after the statement that waits.
    try await waitForLock()

    try shelf.write("SELECT pg_terminate_backend(pid, 5000) FROM \(waiting)")
    try blocker.run("COMMIT")

    try await one.waitForCommitted(3)
    #expect(try entryCount == 2)
    #expect(one.lost.isEmpty)
  }

  /// Regression: the node went on without the lock, as if it had stopped.
  @Test func `a node waits for its own lock, and its commands with it`() async throws {
    let one = try node()
    try one.create()
    let other = try shelf.connect()
    let key = try shelf.count("SELECT classid::bigint FROM pg_locks WHERE objsubid = 2 LIMIT 1")
    one.log.queue.suspend()
    try one.cut()
    #expect(try other.value("SELECT pg_try_advisory_lock(\(key), \(one.number))") == true)
    let ended = "SELECT sessions FROM pg_stat_database WHERE datname = current_database()"
    let before: Int = try #require(try other.value(ended))
    one.log.queue.resume()
    one.command(2)
    // They last some milliseconds, and are seen afterwards. One may be that of `cut()`.
    try await wait(for: "an attempt") {
      let count: Int? = try other.value(ended)
      return count ?? 0 >= before + 2
    }
    #expect(try entryCount == 1)

    try other.run("SELECT pg_advisory_unlock_all()")

    try await one.waitForCommitted(3)
    #expect(one.lost.isEmpty)
  }

  @Test func `commands that wait too long for the database are lost with all sessions of the node`()
    async throws
  {
    let one = try node(waitTime: .seconds(10))
    try one.create()
    let server = try TestServer.shared.connect("postgres")
    try server.run(script: "ALTER DATABASE \(shelf.database) ALLOW_CONNECTIONS false")
    try server.run(
      "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = $1",
      [shelf.database])

    let begin = ContinuousClock.now
    one.command(2)
    try await wait(for: "the loss") { !one.lost.isEmpty }
    #expect(.now - begin > .seconds(9) && one.lost == [one.session])
    #expect(one.log.append(.entry(.init(at: .first, body: .tick)), of: one.session) == .failed)

    try server.run(script: "ALTER DATABASE \(shelf.database) ALLOW_CONNECTIONS true")
    try await wait(for: "the next connection") { one.log.failure == nil }
    #expect(try await one.load().entryCount == 1)
    #expect(try epoch == "first")
  }

  // MARK: Sweep

  @Test func `sessions of a node that has ended are claimed by another one, those of others not`()
    async throws
  {
    var one: TestNode? = try node()
    let (two, three) = (try node("t"), try node())
    let fixture = try one!.create()
    try two.create()
    fixture.closeLog()
    one = nil

    try await wait(for: "the session") {
      Set(two.orphans + three.orphans) == [SessionID("s")]
    }

    #expect(two.orphans.count + three.orphans.count == 1)
    #expect(try owner == (two.orphans.isEmpty ? three.number : two.number))
    try await wait(for: "the end of its row") { try shelf.count("SELECT count(*) FROM node") == 2 }
    #expect(two.taken.isEmpty && two.lost.isEmpty && !three.orphans.contains(two.session))
  }

  @Test func `a released session is claimed when it is due`() async throws {
    let (one, two) = (try node(), try node())
    let fixtures = try ["members", "tick", "expired", "idle"].map { id in
      let fixture = try LogFixture(in: one.log, id: id)
      if id == "members" { fixture.join("m_1") }
      fixture.feed()
      if id != "members" { fixture.snapshot(isIdle: true) }
      return fixture
    }
    one.log.flush()
    let now = SQLSessionLog.now
    try shelf.write(
      """
      UPDATE session SET next_tick = \(now - 1) WHERE id = 'tick';
      UPDATE session SET active_at = \(now) - ttl_seconds * 1000 WHERE id = 'expired';
      """)
    for fixture in fixtures { one.log.released(fixture.origin.id) }
    one.log.flush()

    try await wait(for: "the sessions") { one.orphans.count + two.orphans.count == 3 }

    #expect(Set(one.orphans + two.orphans).map(\.text).sorted() == ["expired", "members", "tick"])
    #expect(try shelf.count("SELECT count(*) FROM session WHERE owner IS NULL") == 1)
  }

  @Test func `sessions are claimed in parts, and all of them`() async throws {
    let one = try node()
    for number in 0..<250 { _ = try LogFixture(in: one.log, id: "s\(number)") }
    one.log.close()

    let two = try node()

    try await wait(for: "all sessions") { two.orphans.count == 250 }
    #expect(Set(two.orphans).count == 250)
    #expect(try shelf.count("SELECT count(*) FROM session WHERE owner = \(two.number)") == 250)
  }

  // MARK: What nodes share

  @Test func `events of two nodes have one order without gaps`() async throws {
    let (one, two) = (try node(), try node("t"))
    let fixtures = [try one.create(), try two.create()]
    for _ in 0..<40 {
      for fixture in fixtures {
        fixture.change()
        fixture.feed()
      }
      if Bool.random() { one.log.flush() }
    }
    for node in [one, two] { node.log.flush() }
    try await wait(for: "the news at both") {
      one.log.feed.signal.position == 82 && two.log.feed.signal.position == 82
    }

    func page(_ node: TestNode) async throws -> FeedPage {
      try await withCheckedContinuation { done in
        node.log.feed.read(FeedRequest(after: 0, types: nil, countMax: 1000)) {
          done.resume(returning: $0)
        }
      }.get()
    }
    let (first, second) = (try await page(one), try await page(two))
    #expect(first.lines.map(\.json) == second.lines.map(\.json))
    #expect(first.lines.map(\.position) == Array(1...82) && first.position == 82)
    #expect(Set(first.lines.map(\.id)).count == 82)
  }

  @Test func `what is known of the logs of other nodes is forgotten`() throws {
    let log = try node().log
    let session = SessionID("s")
    log.state.withLock { $0.note(.max, of: session) }

    log.disown([session])

    #expect(log.state.withLock { $0.full }.isEmpty)
  }

  @Test func `at most 100 cursors are set by several nodes at once`() async throws {
    let (one, two) = (try node(), try node())
    let outcomes = await withTaskGroup(of: Bool.self) { group in
      for number in 0..<110 {
        let feed = (number.isMultiple(of: 2) ? one : two).log.feed
        group.addTask {
          await withCheckedContinuation { done in
            feed.setCursor(CursorName("c\(number)", namespace: nil), to: 0) {
              done.resume(returning: (try? $0.get()) != nil)
            }
          }
        }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
    #expect(outcomes.count { $0 } == 100)
  }

  @Test func `a cursor that another node has set is known`() async throws {
    let (one, two) = (try node(), try node())
    try await withCheckedContinuation { done in
      one.log.feed.setCursor(CursorName("shop", namespace: nil), to: 1) {
        done.resume(returning: $0)
      }
    }.get()

    #expect(
      await withCheckedContinuation { done in
        two.log.feed.refresh { done.resume(returning: $0) }
      })
    #expect(two.log.feed.cursors == ["shop": 1])
  }

  /// Regression: the metric of its lag grew for ever on nodes that its reader does not ask.
  @Test func `a look at the feed finds the cursors of other nodes`() async throws {
    let (one, two) = (try node(), try node())
    try await withCheckedContinuation { done in
      one.log.feed.setCursor(CursorName("shop", namespace: nil), to: 1) {
        done.resume(returning: $0)
      }
    }.get()

    two.log.feed.lookLater(atCursors: true)
    // Its queue answers in order.
    _ = await withCheckedContinuation { done in
      two.log.feed.read(FeedRequest(after: 0, types: nil, countMax: 1)) {
        done.resume(returning: $0)
      }
    }

    #expect(two.log.feed.cursors == ["shop": 1])
  }

  private func create(
    _ id: String, at node: TestNode, external: String? = nil, key: UInt8? = nil, daysAgo: Int64 = 0
  ) throws {
    let base = try LogFixture(in: MemorySessionLog()).origin
    var origin = SessionOrigin(
      id: SessionID(id), epoch: "first", definition: base.definition, createdAt: base.createdAt,
      host: HostFields(external: external))
    let now = SQLSessionLog.now - daysAgo * SessionIndex.keyMilliseconds
    origin.key = key.map {
      CreationKey(
        keyHash: [$0], bodyHash: [2], session: origin.id, epoch: "first", salt: "",
        at: Instant(milliseconds: now))
    }
    _ = node.log.append(.created(origin), of: origin.id)
    try node.log.own(origin.id)
    _ = node.log.append(.entry(LogEntry(at: base.createdAt, body: .tick)), of: origin.id)
    node.log.flush()
  }

  private func isRefused(_ node: TestNode) -> Bool {
    let refused = node.posted.all { if case .refused(let all) = $0 { all } else { nil } }
    return refused.flatMap(\.self) == [node.session] && node.committedCount == 0
  }

  @Test func `a creation whose idempotency key another node has is refused`() async throws {
    let (one, two, old) = (try node(), try node("t"), try node("old"))
    try create("old", at: old, key: 1, daysAgo: 2)
    try create("s", at: one, key: 1)
    try create("t", at: two, key: 1)

    #expect(!isRefused(old) && !isRefused(one) && isRefused(two))
    #expect(try shelf.read(String.self, "SELECT session FROM creation") == "s")
    #expect(try shelf.count("SELECT count(*) FROM entry") == 2)
  }

  @Test func `a creation whose external id another node has is refused`() async throws {
    let (one, two) = (try node(), try node("t"))
    try create("s", at: one, external: "order 7")
    try create("t", at: two, external: "order 7", key: 9)

    #expect(!isRefused(one) && isRefused(two))
    #expect(try shelf.count("SELECT count(*) FROM session") == 1)
    #expect(try shelf.count("SELECT count(*) FROM creation") == 0)
    let names = SessionIndex.Names(external: "order 7", key: nil)
    let found = await withCheckedContinuation { done in
      two.log.find(names, hub: 0) { done.resume(returning: $0) }
    }
    guard case .found(.session(SessionID("s"))) = found else { throw StoreProblem("no owner") }
  }

  @Test func `a node counts its own sessions at once, and those of others soon`() async throws {
    let (one, two) = (try node(), try node())
    let fixtures = try (0..<3).map { try LogFixture(in: one.log, id: "s\($0)") }
    #expect(one.log.clusterCount?.sessions == 3)
    one.log.flush()

    try await wait(for: "the count of the other node") { two.log.clusterCount?.sessions == 3 }
    #expect(try one.log.clusterCount?.sessions == 3 && node().log.clusterCount?.sessions == 3)

    _ = one.log.append(.ended(nil), of: fixtures[0].origin.id)
    one.log.flush()
    try await wait(for: "the end") {
      one.log.clusterCount?.sessions == 2 && two.log.clusterCount?.sessions == 2
    }
  }

  @Test func `idempotency keys are deleted above the maximum, and after a day`() async throws {
    let log = try TestNode(shelf.database, keyCountMax: 2).log
    let now = SQLSessionLog.now
    try shelf.write(
      """
      INSERT INTO creation
      SELECT decode('0' || n, 'hex'), '', 's', 'e', '', \(now) - 1000 + n
      FROM generate_series(1, 5) AS n
      """)

    try await wait(for: "the deletion") { log.clusterCount?.keys == 2 }
    try shelf.write("UPDATE creation SET at = at - 86400000 WHERE key = '\\x04'")
    try await wait(for: "the expiry") { log.clusterCount?.keys == 1 }

    let rest = "SELECT string_agg(encode(key, 'hex'), ' ' ORDER BY key) FROM creation"
    #expect(try shelf.read(String.self, rest) == "05")
  }

  /// Regression: two nodes may create sessions at the same time; a page ended between them, and the
  /// next one began after both.
  @Test func `a page of the list has all sessions with the same ordinal`() async throws {
    let node = try node()
    for name in ["a", "b", "c", "d"] { _ = try LogFixture(in: node.log, id: name) }
    node.log.flush()
    try shelf.write("UPDATE session SET ordinal = CASE id WHEN 'd' THEN 9 ELSE 7 END")
    func page(after ordinal: Int64) async throws -> SessionListPage {
      let query = SessionListQuery(external: nil, status: nil, after: ordinal, limit: 2)
      let outcome = await withCheckedContinuation { done in
        node.log.list(query, hub: 0) { done.resume(returning: $0) }
      }
      return try #require(outcome.value)
    }

    let first = try await page(after: 0)
    #expect(Set(first.sessions.map(\.id.text)) == ["a", "b", "c"] && first.next == 7)
    let second = try await page(after: 7)
    #expect(second.sessions.map(\.id.text) == ["d"] && second.next == nil)
  }

  @Test func `times of a session do not go back when a node with an earlier clock claims it`()
    async throws
  {
    let (one, two) = (try node(), try node())
    try one.create()
    let later = SQLSessionLog.now + 3_600_000
    one.append(.command(MemberID("m_1"), ref: 2, .confirm), at: later)
    one.log.flush()
    try shelf.write("UPDATE session SET active_at = \(later)")
    one.log.released(one.session)
    one.log.flush()

    let loaded = try await two.load()

    #expect(Session(loaded.fold).latestTime.milliseconds == later)
    #expect(loaded.idleMilliseconds == 0)
  }
}

/// Nodes on a database that fails over, or starts again: a server for each test.
@Suite(.serialized, .database) struct HistoryTests {
  private let server = TestServer()

  private func node(_ session: String = "s") throws -> TestNode {
    try TestNode("postgres", session: session, at: server, waitTime: hung)
  }

  private func epochs() throws -> [String] {
    try server.connect("postgres").rows("SELECT epoch FROM session ORDER BY id") { try $0[0] }
  }

  private func feedEpoch() throws -> String? {
    try server.connect("postgres").value("SELECT epoch FROM feed")
  }

  @Test(arguments: ["start", "promote"])
  func `sessions of living nodes keep their epochs when nothing is missing`(command: String)
    async throws
  {
    let (one, two) = (try node(), try node("t"))
    try one.create()
    try two.create()
    let epoch = try feedEpoch()

    if command == "start" { try server.command("crash") }
    try server.command(command)
    one.command(2)
    two.command(2)
    try await one.waitForCommitted(3)
    try await two.waitForCommitted(3)

    #expect(one.lost + two.lost + one.taken + two.taken == [])
    #expect(try epochs() == ["first", "first"])
    #expect(try (feedEpoch() == epoch) == (command == "start"))
    #expect((one.messages + two.messages).allSatisfy { !$0.contains("epoch") })
  }

  @Test func `sessions keep their epochs when all nodes and the database are started again`()
    async throws
  {
    var node: TestNode? = try node()
    let fixture = try node!.create()
    let epoch = try feedEpoch()
    fixture.closeLog()
    node = nil
    try server.command("crash")
    try server.command("start")

    let again = try self.node()

    #expect(!again.log.hasLostHistory)
    #expect(try await again.load().fold.origin.epoch == "first")
    #expect(try feedEpoch() == epoch && again.messages.isEmpty)
  }

  @Test func `sessions of a node whose acknowledged batches are missing have new epochs`()
    async throws
  {
    let one = try node()
    try one.create()
    let epoch = try feedEpoch()
    try server.command("copy")
    try await one.waitForCommitted(2)
    one.command(2)
    try await one.waitForCommitted(3)

    // A sweep notices it.
    try server.command("promote")
    try await wait(for: "the loss") { one.lost.contains(one.session) }
    try await wait(for: "the next connection") { one.log.failure == nil }

    let loaded = try await one.load()
    #expect(loaded.entryCount == 1 && loaded.fold.origin.epoch != "first")
    #expect(try feedEpoch() != epoch)
  }

  /// Whether it has ended, or has given it up.
  @Test(arguments: [false, true])
  func `sessions without a living owner have new epochs after a failover`(
    isGivenUp: Bool
  ) async throws {
    var one: TestNode? = try node()
    let fixture = try one!.create()
    let epoch = try feedEpoch()
    fixture.closeLog()
    if isGivenUp { one!.log.close() }
    one = nil

    try server.command("promote")
    let two = try node()

    #expect(try await two.load().fold.origin.epoch != "first")
    #expect(try feedEpoch() != epoch)
  }

  @Test func `a database restored elsewhere has new epochs`() async throws {
    var node: TestNode? = try node()
    try node!.create().closeLog()
    let epoch = try feedEpoch()
    node!.log.close()
    node = nil
    try server.connect("postgres").run("UPDATE store SET history = 'another/00000001'")

    let again = try self.node()

    #expect(try again.log.hasLostHistory && feedEpoch() != epoch)
    #expect(try await again.load().fold.origin.epoch != "first")
  }
}
