import CivilTime
import Foundation
import JSONText
import PickerHub
import PickerModel
import PickerSession
import Synchronization
import Testing

@testable import SessionLog

/// Several nodes on one database.
@Suite(.database) struct NodesTests {
  private let ana = MemberID("m_1")

  private func command(_ ref: Int) -> LogEntry.Body { .command(ana, ref: ref, .clear) }

  @Test func `entries of two nodes have one order at both`() async throws {
    let shelf = try Shelf(.postgres)
    let (one, two, _) = try await TestNode.pair(shelf)
    for number in 1...60 {
      one.append(command(number))
      two.append(command(1000 + number))
      if number.isMultiple(of: 7) { try await Task.sleep(for: .milliseconds(3)) }
    }

    let first = try await one.refs(120, own: Array(1...60))
    let second = try await two.refs(120, own: Array(1001...1060))

    #expect(first == second && Set(first).count == 120)
    #expect(first.filter { $0 < 1000 } == Array(1...60))
    #expect(try shelf.read(Int.self, "SELECT head FROM pickerd.session") == 121)
    #expect(try await one.load().fold.state == two.load().fold.state)
  }

  @Test func `other nodes receive one notification of a batch`() async throws {
    let shelf = try Shelf(.postgres)
    let (one, two, _) = try await TestNode.pair(shelf)
    let listener = try Listener(shelf)

    for turn in 0..<3 {
      one.log.queue.suspend()
      for number in 1...20 { one.append(command(20 * turn + number)) }
      one.log.queue.resume()
      _ = try await two.records(20 * (turn + 1))
    }

    let batches = try listener.messages().map(\.facts).filter { $0.count > 1 }
    #expect(batches.map(\.last) == [21, 41, 61].map { .head(one.session, $0) })
    #expect(batches.map(\.count) == [22, 22, 22])
  }

  @Test func `other nodes are notified only of sessions that one of them has`() async throws {
    let shelf = try Shelf(.postgres)
    let (one, two, _) = try await TestNode.pair(shelf)
    two.log.released(two.session)
    try await wait(for: "the release") { one.log.reports.use { $0.isOnlyHere(one.session) } }
    let listener = try Listener(shelf)

    one.append(command(1))
    _ = try await one.records(1)
    #expect(try await two.load().entryCount == 2)
    one.append(command(2))
    _ = try await one.records(2)
    // What was to be sent was sent before the node's second beat.
    var facts: [[NodeFact]] = []
    try await wait(for: "two beats") {
      facts += try listener.messages().filter { $0.sender == one.log.follower.incarnation }
        .map(\.facts)
      return facts.count >= 2
    }
    #expect(facts.allSatisfy { $0.isEmpty })

    two.log.announce(.serving, of: two.session)
    try await wait(for: "the answer") {
      try listener.messages().contains { $0.facts == [.head(one.session, 3)] }
    }
    #expect(try await two.refs(1, own: []) == [2], "which it has not loaded")
    one.append(command(3))
    try await wait(for: "the notification") {
      try listener.messages().contains { $0.facts.last == .head(one.session, 4) }
    }
    #expect(try await two.refs(2, own: []) == [2, 3])
  }

  /// Receives the notifications of the nodes.
  private struct Listener {
    let connection: PostgresConnection

    init(_ shelf: Shelf) throws {
      connection = try TestServer.shared.connect(shelf.database)
      try connection.run("LISTEN pickerd")
    }

    /// The messages since the last call.
    func messages() throws -> [NodeMessage] {
      try connection.run("SELECT 1")
      return connection.takeNotifications().compactMap { NodeMessage($0) }
    }
  }

  @Test func `a time in which a node did not receive is no silence of the others`() {
    var others = OtherNodes()
    others.noteMessage(of: 7)
    // Negative: so much earlier was the last message.
    others.excuse(.seconds(-10))
    others.excuse(.seconds(8))
    #expect(others.silent(for: .seconds(5)) == [])
    others.excuse(.seconds(100))
    others.excuse(.seconds(-6))
    #expect(others.silent(for: .seconds(5)) == [7], "no message can be later than now")
    #expect(others.isEmpty)
  }

  @Test func `a node that is silent has no session in memory, as far as the others know`() {
    var served = ServedSessions()
    let sessions = (0..<3).map { SessionID("s\($0)") }
    for session in sessions {
      served.beginLoad(session, hub: 0)
      _ = served.loaded(session, position: 5, epoch: "e")
      served.noted(5, of: session)
      #expect(served.share(session, with: 1) == 5 && served.share(session, with: 1) == nil)
    }
    #expect(served.share(sessions[0], with: 2) == 5)

    served.unshareAll(with: 1)

    #expect(sessions.map(served.isShared) == [true, false, false])
    #expect(sessions.map(served.isOnlyHere) == [false, true, true])
    served.unshare(sessions[0], with: 2)
    #expect(served.isOnlyHere(sessions[0]) && !served.isOnlyHere(SessionID("other")))
    #expect(served.share(sessions[0], with: 1) == 5, "it has announced the session again")
    served.beginLoad(sessions[1], hub: 0)
    #expect(!served.isOnlyHere(sessions[1]), "its former entries may be committed now")
  }

  @Test func `a node counts its own sessions at once, and those of others soon`() async throws {
    let shelf = try Shelf(.postgres)
    let (one, two) = (try TestNode(shelf), try TestNode(shelf))
    let fixtures = try (0..<3).map { try LogFixture(in: one.log, id: "s\($0)") }
    #expect(one.log.sharedCount?.sessions == 3)
    one.log.flush()

    try await wait(for: "the count of the other node") { two.log.sharedCount?.sessions == 3 }
    #expect(one.log.sharedCount?.sessions == 3)
    #expect(try TestNode(shelf).log.sharedCount?.sessions == 3)

    _ = one.log.append(.ended(nil), of: fixtures[0].origin.id)
    one.log.flush()
    try await wait(for: "the end") {
      one.log.sharedCount?.sessions == 2 && two.log.sharedCount?.sessions == 2
    }
  }

  @Test func `creations during a count are not forgotten`() {
    let creation = SharedCount(sessions: 1, keys: 1)
    var count = CreationCount()
    for _ in 0..<5 { count.append(creation) }
    for _ in 0..<3 { count.settle(creation) }
    let settled = count.settled
    count.settle(creation)
    count.append(creation)

    count.haveCounted(SharedCount(sessions: 10, keys: 7), settled: settled, in: .seconds(1))

    // Of six creations three were settled before the count.
    #expect(count.total == SharedCount(sessions: 13, keys: 10) && count.settled == creation)
    #expect(count.nextCounting > .now + .seconds(40))
  }

  @Test func `idempotency keys are deleted above the maximum, and after a day`() async throws {
    let shelf = try Shelf(.postgres)
    let log = try PostgresSessionLog(
      TestServer.shared.address(shelf.database), zone: { _ in .utc }, digest: { $0 },
      keyCountMax: 2
    ) { _ in }
    try shelf.write(
      """
      INSERT INTO pickerd.creation
      SELECT decode('0' || n, 'hex'), '', 's', 'e', '', pickerd.now_ms() - 1000 + n
      FROM generate_series(1, 5) AS n
      """)

    try await wait(for: "the deletion") { log.sharedCount?.keys == 2 }
    try shelf.write("UPDATE pickerd.creation SET at = at - 86400000 WHERE key = '\\x04'")
    try await wait(for: "the expiry") { log.sharedCount?.keys == 1 }

    let rest = "SELECT string_agg(encode(key, 'hex'), ' ' ORDER BY key) FROM pickerd.creation"
    #expect(try shelf.read(String.self, rest) == "05")
  }

  @Test func `a lost notification costs time only`() async throws {
    let shelf = try Shelf(.postgres)
    let (one, _, _) = try await TestNode.pair(shelf)
    try shelf.write(
      """
      INSERT INTO pickerd.entry
        SELECT number, 2, 7, 1, '{"at":1,"tick":true}'::bytea FROM pickerd.session;
      UPDATE pickerd.session SET head = 2, row_count = 2
      """)

    guard case .foreign(let entry)? = try await one.records(1).first else {
      Issue.record("no entry of another node")
      return
    }
    #expect(entry.body == .tick)
  }

  @Test func `entries that are not in the log any more make a session lost`() async throws {
    let shelf = try Shelf(.postgres)
    let (one, _, fixture) = try await TestNode.pair(shelf)
    // As compacted: the number is missing.
    try shelf.write("UPDATE pickerd.session SET head = 2")

    let lost = try await one.wait(for: "lost") {
      if case .lost(let sessions) = $0 { sessions } else { nil }
    }
    #expect(lost == [fixture.origin.id])
  }

  @Test func `no entry is lost or doubled when the connections of both nodes break`() async throws {
    let shelf = try Shelf(.postgres)
    let (one, two, _) = try await TestNode.pair(shelf)
    for number in 1...40 {
      one.append(command(number))
      two.append(command(1000 + number))
      if number.isMultiple(of: 4) {
        try TestServer.shared.connect(shelf.database).run(
          """
          SELECT count(pg_terminate_backend(pid, 5000)) FROM pg_stat_activity
          WHERE datname = current_database() AND pid <> pg_backend_pid()
          """)
      }
    }

    let first = try await one.refs(80, own: Array(1...40))
    let second = try await two.refs(80, own: Array(1001...1040))

    #expect(first == second && Set(first).count == 80)
    #expect(try shelf.read(Int.self, "SELECT count(*) FROM pickerd.entry") == 81)
  }

  @Test func `a creation whose idempotency key another node has is refused`() async throws {
    let shelf = try Shelf(.postgres)
    let nodes = [try TestNode(shelf), try TestNode(shelf, session: "t"), try TestNode(shelf)]
    let base = try LogFixture(in: nodes[0].log, id: "base").origin
    let day = SessionIndex.keyMilliseconds
    func create(_ id: String, at node: TestNode, daysAgo: Int64 = 0) {
      let now = Instant(milliseconds: Int64(Date().timeIntervalSince1970 * 1000) - daysAgo * day)
      var origin = SessionOrigin(
        id: SessionID(id), epoch: "first", definition: base.definition, createdAt: base.createdAt)
      origin.key = CreationKey(
        keyHash: [1], bodyHash: [2], session: origin.id, epoch: "first", salt: "", at: now)
      _ = node.log.append(.created(origin), of: origin.id)
      node.log.flush()
    }

    create("old", at: nodes[2], daysAgo: 2)
    create("s", at: nodes[0])
    create("t", at: nodes[1])

    guard case .own? = try await nodes[0].records(1).first,
      case .refused? = try await nodes[1].records(1).first
    else {
      Issue.record("the key of two days ago has expired, that of now has a session")
      return
    }
    #expect(try shelf.read(String.self, "SELECT session FROM pickerd.creation") == "s")
  }

  @Test func `a creation whose external id another node has is refused`() async throws {
    let shelf = try Shelf(.postgres)
    let (one, two) = (try TestNode(shelf), try TestNode(shelf, session: "t"))
    let base = try LogFixture(in: one.log, id: "base").origin
    let origins = ["s", "t"].map { id in
      SessionOrigin(
        id: SessionID(id), epoch: "first", definition: base.definition, createdAt: base.createdAt,
        host: HostFields(external: "order 7"))
    }
    _ = one.log.append(.created(origins[0]), of: origins[0].id)
    one.log.flush()
    _ = two.log.append(.created(origins[1]), of: origins[1].id)
    _ = two.log.append(.entry(LogEntry(at: base.createdAt, body: .tick)), of: origins[1].id)
    two.log.flush()

    guard case .own? = try await one.records(1).first,
      case .refused? = try await two.records(1).first
    else {
      Issue.record("one of two creations is refused")
      return
    }
    #expect(two.records.count == 1)
    #expect(try shelf.read(Int.self, "SELECT count(*) FROM pickerd.session") == 2)
    let owner = await withCheckedContinuation { continuation in
      two.log.find(SessionIndex.Names(external: "order 7", key: nil), hub: 0) {
        continuation.resume(returning: $0)
      }
    }
    guard case .found(.session(SessionID("s"))) = owner else {
      Issue.record("the first session has the external id")
      return
    }
  }

  @Test func `a command that is sent through two nodes is done once`() async throws {
    let shelf = try Shelf(.postgres)
    let (one, two, _) = try await TestNode.pair(shelf)
    let selection = Command.Selection(column: 0, row: 1, generation: 1, key: nil)
    one.append(.command(ana, ref: 5, .select(selection)))
    two.append(.command(ana, ref: 5, .select(selection)))
    _ = try await one.records(2)

    let loaded = try await one.load()

    #expect(loaded.entryCount == 3 && loaded.fold.revision == 1)
  }

  @Test func `ticks of two nodes for the same instant are done once`() async throws {
    let shelf = try Shelf(.postgres)
    let (one, two) = (try TestNode(shelf), try TestNode(shelf))
    let fixture = try LogFixture(
      #"{"kind":"slot","leadMinutes":0,"stepMinutes":10,"days":2}"#, in: one.log)
    fixture.join("m_1")
    one.log.flush()
    let before = try await one.load().fold
    _ = try await two.load()
    let due = try #require(before.nextTick)

    one.append(.tick, at: due.milliseconds)
    two.append(.tick, at: due.milliseconds + 40)
    _ = (try await one.records(2), try await two.records(2))

    let (first, second) = (try await one.load(), try await two.load())
    #expect(first.entryCount == 3 && first.fold.revision == before.revision + 1)
    #expect(first.fold.state == second.fold.state)
  }

  @Test func `entries of a stopped node that are missing give their session an epoch`() async throws
  {
    let shelf = try Shelf(.postgres)
    let one = try TestNode(shelf)
    var two: TestNode? = try TestNode(shelf)
    let fixture = try LogFixture(in: one.log)
    fixture.join("m_1")
    one.log.flush()
    _ = (try await one.load(), try await two!.load())
    two!.append(command(2))
    _ = (try await one.records(1), try await two!.records(1))
    two = nil
    // As after the promotion of a standby without the entry.
    try shelf.write(
      "DELETE FROM pickerd.entry WHERE sequence = 2; UPDATE pickerd.session SET head = 1")

    let lost = try await one.wait(for: "lost") {
      if case .lost(let sessions) = $0 { sessions } else { nil }
    }
    #expect(lost == [fixture.origin.id])
    #expect(try await one.load().fold.origin.epoch != "first")
  }

  @Test func `the end by another node is reported`() async throws {
    let shelf = try Shelf(.postgres)
    let (one, two, _) = try await TestNode.pair(shelf)
    _ = two.log.append(.ended(nil), of: two.session)

    guard case .foreignEnd? = try await one.records(1).first,
      case .own? = try await two.records(1).first
    else {
      Issue.record("both nodes have the end")
      return
    }
  }

  @Test func `the definition of another node's change is there`() async throws {
    let shelf = try Shelf(.postgres)
    let (one, two, _) = try await TestNode.pair(shelf)
    let tree = try JSONTree.parse(Array(#"{"kind":"columns","columns":[["p","q"]]}"#.utf8))
    let definition = try Definition.make(from: tree) { _ in .utc }
    two.append(
      .define(.init(version: 2, definition: definition, source: .whole, needsBase: true)))

    guard case .foreign(let entry)? = try await one.records(1).first,
      case .define(let change) = entry.body
    else {
      Issue.record("no change of the definition")
      return
    }
    #expect(change.definition.isSame(as: definition) && change.needsBase)
  }

  @Test func `announcements reach all nodes in one order, the sender included`() async throws {
    let shelf = try Shelf(.postgres)
    let (one, two, _) = try await TestNode.pair(shelf)
    let members = (0..<500).map { MemberID("m_0123456789012345678_\($0)") }
    for number in 0..<20 {
      one.log.announce(.connected(MemberID("a\(number)")), of: one.session)
      two.log.announce(.connected(MemberID("b\(number)")), of: two.session)
    }
    one.log.announce(.touched(ana, .row(column: 0, row: 2)), of: one.session)
    one.log.announce(.present(members), of: one.session)

    func announced(_ node: TestNode) async throws -> [String] {
      try await node.wait(for: "announcements") { _ in
        let all = node.all { notice -> String? in
          guard case .announced(let announcement, by: let by, _) = notice else { return nil }
          return "\(by) \(announcement)"
        }
        return all.count == 42 ? all : nil
      }
    }
    let (first, second) = (try await announced(one), try await announced(two))
    #expect(first == second)
    let present = one.all {
      if case .announced(.present(let found), by: _, _) = $0 { found } else { nil }
    }
    #expect(present == [members])
  }

  /// What its hub announces in answer must not be dropped as that of a lone node.
  @Test func `a node is not alone when it handles the first message of another one`() async throws {
    final class Alone: Sendable {
      let log = Mutex<PostgresSessionLog?>(nil)
      let found = Mutex<[Bool]>([])
    }
    let (shelf, alone) = (try Shelf(.postgres), Alone())
    let log = try PostgresSessionLog(
      TestServer.shared.address(shelf.database), zone: { _ in .utc }, digest: { $0 }
    ) { notice in
      guard case .announced = notice else { return }
      let isAlone = alone.log.withLock { $0?.follower.isAlone }
      if let isAlone { alone.found.withLock { $0.append(isAlone) } }
    }
    alone.log.withLock { $0 = log }
    defer { alone.log.withLock { $0 = nil } }
    _ = try LogFixture(in: log)
    log.flush()
    #expect(log.follower.isAlone)

    try shelf.write("SELECT pg_notify('pickerd', E'77 1\\ns s')")

    try await wait(for: "the announcement") { !alone.found.withLock { $0 }.isEmpty }
    #expect(alone.found.withLock { $0 } == [false])
  }

  @Test func `a node that has stopped is reported, and its sessions are adopted`() async throws {
    let shelf = try Shelf(.postgres)
    let one = try TestNode(shelf)
    var two: TestNode? = try TestNode(shelf)
    try await wait(for: "the other node") { !one.log.follower.isAlone }
    let fixture = try LogFixture(in: two!.log)
    fixture.join("m_1")
    two!.log.flush()
    let node = two!.log.node
    fixture.closeLog()
    two = nil

    let lost = try await one.wait(for: "nodeLost") {
      if case .nodeLost(let node) = $0 { node } else { nil }
    }
    let orphans = try await one.wait(for: "orphaned") {
      if case .orphaned(let sessions) = $0 { sessions.map(\.id) } else { nil }
    }
    #expect(lost == node && orphans == [SessionID("s")])
  }

  /// The second time is after the sweeps that follow each other: these may be far apart.
  @Test(arguments: [20, 70])
  func `sessions of a node are adopted also if it seemed to have stopped before`(
    seconds: Int
  ) async throws {
    let shelf = try Shelf(.postgres)
    let one = try TestNode(shelf)
    let fixture = try LogFixture(in: one.log)
    fixture.join("m_1")
    one.log.flush()

    try shelf.write(
      """
      INSERT INTO pickerd.node (incarnation, rules) VALUES (77, 1);
      UPDATE pickerd.session SET served_by = 77
      """)
    one.log.sweeping.withLock { _ = $0.noteStopped([77], at: .now - .seconds(seconds)) }

    let orphans = try await one.wait(for: "orphaned") {
      if case .orphaned(let sessions) = $0 { sessions.map(\.id) } else { nil }
    }
    #expect(orphans == [SessionID("s")])
  }

  @Test func `events of a node that has stopped are stored by another one, once`() async throws {
    let shelf = try Shelf(.postgres)
    let (one, two, fixture) = try await TestNode.pair(shelf)
    two.append(.command(ana, ref: 2, .confirm))
    _ = try await one.records(1)
    // What a hub passes on.
    var fold = fixture.fold
    let outcomes = fold.apply(
      LogEntry(at: fixture.origin.createdAt, body: .command(ana, ref: 2, .confirm)))
    let events = outcomes.compactMap { fold.event(of: $0, at: fixture.origin.createdAt) }
    func record(isOwn: Bool) -> FeedRecord {
      FeedRecord(events: events, sequence: 2, previous: 1, isOwn: isOwn, status: .confirmed)
    }

    #expect(one.log.feed(record(isOwn: false), of: one.session))
    try await wait(for: "the event") { one.log.feed.signal.position == 2 }
    #expect(two.log.feed(record(isOwn: true), of: two.session))
    two.log.flush()

    #expect(try shelf.read(Int.self, "SELECT newest FROM pickerd.feed") == 2)
    #expect(try shelf.read(String.self, "SELECT status FROM pickerd.session") == "confirmed")
  }

  @Test func `events of another node's entry are stored before later ones`() async throws {
    let shelf = try Shelf(.postgres)
    let (one, two, fixture) = try await TestNode.pair(shelf)
    two.append(.command(ana, ref: 2, .confirm))
    one.append(.command(ana, ref: 3, .reopen))
    let event = fixture.fold.endEvent(.deleted, at: fixture.origin.createdAt)

    _ = one.log.feed(
      FeedRecord(events: [event], sequence: 2, previous: 1, isOwn: false), of: one.session)
    _ = one.log.feed(FeedRecord(events: [event], sequence: 3, previous: 2), of: one.session)
    one.log.flush()
    _ = two.log.feed(FeedRecord(events: [event], sequence: 2, previous: 1), of: two.session)
    two.log.flush()

    #expect(try shelf.read(Int.self, "SELECT newest FROM pickerd.feed") == 3)
    let lost = one.all { if case .lost(let sessions) = $0 { sessions } else { nil } }
    #expect(lost.isEmpty)
  }

  @Test func `a session that is lost while it is being loaded is not loaded`() async throws {
    let shelf = try Shelf(.postgres)
    let (one, _, _) = try await TestNode.pair(shelf)
    func loads() -> [LoadedSession?] {
      one.all { if case .loaded(_, let outcome) = $0 { .some(outcome.value) } else { nil } }
    }
    let count = loads().count

    one.log.readingQueue.suspend()
    one.log.load(one.session, limits: SessionLimits(), hub: 0)
    one.log.flush()
    one.log.reports.lost([one.session])
    one.log.readingQueue.resume()

    try await wait(for: "an outcome") { loads().count > count }
    #expect(loads().count == count + 1 && loads()[count] == nil)
    #expect(try await one.load().entryCount == 1)
  }

  @Test func `events that the store does not accept wait for the next attempt`() async throws {
    let shelf = try Shelf(.postgres)
    let (one, two, fixture) = try await TestNode.pair(shelf)
    two.append(.command(ana, ref: 2, .confirm))
    _ = try await one.records(1)
    let event = fixture.fold.endEvent(.deleted, at: fixture.origin.createdAt)
    let state = fixture.fold.state
    #expect(
      one.log.feed(
        FeedRecord(events: [event], sequence: 2, previous: 1, isOwn: false), of: one.session))

    one.log.state.withLock { $0.failure = "the disk is full" }
    let snapshot = LogSnapshot(
      epoch: fixture.origin.epoch, entryCount: 2, state: state, picker: fixture.fold.picker,
      isIdle: false, nextTick: nil, idleMilliseconds: 0, spent: SpentEntries(), eventSequence: 1)
    #expect(!one.log.store(snapshot, of: one.session))
    #expect(one.log.append(.ended(event), of: one.session) == .failed)
    #expect(one.log.figures.backlog.encodingByteCount == 0)
    one.log.state.withLock { $0.failure = nil }
    #expect(one.log.append(.ended(event), of: one.session) == .pending)
    one.log.flush()

    #expect(try shelf.read(Int.self, "SELECT newest FROM pickerd.feed") == 3)
  }

  @Test func `a reload makes the waiting events of other nodes' entries superfluous`() async throws
  {
    let shelf = try Shelf(.postgres)
    let (one, two, fixture) = try await TestNode.pair(shelf)
    one.append(command(2))
    two.append(.command(ana, ref: 3, .confirm))
    _ = try await one.records(2)
    let event = fixture.fold.endEvent(.deleted, at: fixture.origin.createdAt)
    func record(_ sequence: Int, isOwn: Bool) -> FeedRecord {
      FeedRecord(events: [event], sequence: sequence, previous: sequence - 1, isOwn: isOwn)
    }

    // The record before it was lost.
    #expect(one.log.feed(record(3, isOwn: false), of: one.session))
    _ = try await one.load()
    for sequence in 2...3 {
      #expect(one.log.feed(record(sequence, isOwn: true), of: one.session))
    }
    one.log.flush()

    #expect(try shelf.read(Int.self, "SELECT newest FROM pickerd.feed") == 3)
    let lost = one.all { if case .lost(let sessions) = $0 { sessions } else { nil } }
    #expect(lost.isEmpty)
  }

  @Test func `events of another node's entry are stored before the end of the session`()
    async throws
  {
    let shelf = try Shelf(.postgres)
    let (one, two, fixture) = try await TestNode.pair(shelf)
    two.append(.command(ana, ref: 2, .confirm))
    let (confirmed, ended) = (
      fixture.fold.endEvent(.expired, at: fixture.origin.createdAt),
      fixture.fold.endEvent(.deleted, at: fixture.origin.createdAt)
    )

    _ = one.log.feed(
      FeedRecord(events: [confirmed], sequence: 2, previous: 1, isOwn: false), of: one.session)
    _ = one.log.append(.ended(ended), of: one.session)
    one.log.flush()
    _ = two.log.feed(FeedRecord(events: [confirmed], sequence: 2, previous: 1), of: two.session)
    two.log.flush()

    #expect(try shelf.read(Int.self, "SELECT newest FROM pickerd.feed") == 3)
  }

  @Test func `all nodes load their sessions again after a restore to the past`() async throws {
    let shelf = try Shelf(.postgres)
    let (one, two, fixture) = try await TestNode.pair(shelf)
    let epoch = one.log.feed.epoch
    one.append(command(2))
    _ = try await two.records(1)
    // As after a restore to the time before it; the other node has lost nothing.
    try shelf.write(
      """
      UPDATE pickerd.node SET batch = 0
        WHERE incarnation = (SELECT node FROM pickerd.entry WHERE sequence = 2);
      DELETE FROM pickerd.entry WHERE sequence = 2; UPDATE pickerd.session SET head = 1;
      SELECT count(pg_terminate_backend(pid, 5000)) FROM pg_stat_activity
        WHERE datname = current_database() AND pid <> pg_backend_pid()
      """)

    for node in [one, two] {
      let lost = try await node.wait(for: "lost") {
        if case .lost(let sessions) = $0 { sessions } else { nil }
      }
      #expect(lost == [fixture.origin.id])
      try await wait(for: "a new epoch") { node.log.feed.epoch != epoch }
      #expect(try await node.load().fold.origin.epoch != "first")
    }
  }

  /// Regression: each batch failed until the connection happened to break.
  @Test func `a node whose row another one has deleted registers again`() async throws {
    let shelf = try Shelf(.postgres)
    let (one, _, _) = try await TestNode.pair(shelf)
    try shelf.write("DELETE FROM pickerd.node")

    one.append(command(2))
    one.log.flush()

    guard case .own? = try await one.records(1).first else {
      Issue.record("the entry is lost")
      return
    }
    let count = "SELECT count(*) FROM pickerd.node JOIN pickerd.entry ON node = incarnation"
    #expect(try shelf.read(Int.self, count) ?? 0 > 0)
  }

  /// Regression: the node went on without the lock, as if it had stopped.
  @Test func `a node waits for its own lock`() async throws {
    let shelf = try Shelf(.postgres)
    let (one, _, _) = try await TestNode.pair(shelf)
    let key = one.log.follower.incarnation
    let other = try TestServer.shared.connect(shelf.database)
    try other.run(
      """
      SELECT count(pg_terminate_backend(pid, 5000)) FROM pg_locks
      WHERE locktype = 'advisory' AND objsubid = 1
        AND classid::bigint << 32 | objid::bigint = $1 AND pg_try_advisory_lock($1) IS NOT NULL
      """, [.int(key)])
    for _ in 0..<100 where try !other.run("SELECT pg_try_advisory_lock($1)", [.int(key)]).bool(0, 0)
    {
      try await Task.sleep(for: .milliseconds(1))
    }
    try await Task.sleep(for: .milliseconds(500))
    try other.run("SELECT pg_advisory_unlock_all()")

    let holders = """
      SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND objsubid = 1 AND granted
        AND classid::bigint << 32 | objid::bigint = \(key)
      """
    try await wait(for: "the lock") { try shelf.read(Int.self, holders) == 1 }
  }

  @Test func `a cursor that another node has set is known although its notification was lost`()
    async throws
  {
    let shelf = try Shelf(.postgres)
    let (one, _, _) = try await TestNode.pair(shelf)

    try shelf.write("INSERT INTO pickerd.feed_cursor VALUES ('shop', 1)")

    try await wait(for: "the cursor") { one.log.feed.cursors["shop"] == 1 }
  }

  /// Regression: it waited for the next one, or for a second.
  @Test func `a notification that arrives with the rows of a statement is noticed at once`() throws
  {
    let shelf = try Shelf(.postgres)
    let (one, two) = (
      try TestServer.shared.connect(shelf.database), try TestServer.shared.connect(shelf.database)
    )
    let wake = WakeSignal()
    try one.run("LISTEN turns")
    try two.run("SELECT pg_notify('turns', 'now')")
    try one.run("SELECT pg_sleep(0.2)")

    let begin = ContinuousClock.now
    try one.waitForInput(or: wake.descriptor, milliseconds: 30_000)

    #expect(.now - begin < .seconds(20))
    #expect(one.takeNotifications() == ["now"])
  }

  /// Regression: they were stored, and later events of the session were not. Those that were added
  /// while the log was read were taken for lost.
  @Test func `events of entries that the log has lost are not stored`() {
    let session = SessionID("s")
    func sequences(_ log: DeferredEvents.Log?) -> [Int] {
      var deferred = DeferredEvents()
      for sequence in [4, 8, 9] {
        deferred.add(
          FeedRecord(events: [], sequence: sequence, previous: sequence - 1, isOwn: false),
          of: session, epoch: "e")
      }
      let begin = ContinuousClock.now
      deferred.add(
        FeedRecord(events: [], sequence: 12, previous: 11, isOwn: false), of: session, epoch: "e")
      _ = deferred.read(log, of: session, begin: begin)
      var found: [Int] = []
      while let record = deferred.first(of: session) {
        found.append(record.sequence)
        deferred.removeFirst(of: session)
      }
      #expect(deferred.byteCount == 0)
      return found
    }

    #expect(sequences(.init(mark: 4, head: 9, epoch: "e")) == [8, 9, 12])
    #expect(sequences(.init(mark: 4, head: 8, epoch: "e")) == [8, 12])
    #expect(sequences(.init(mark: 4, head: 9, epoch: "renewed")) == [12])
    #expect(sequences(nil) == [12])
  }

  @Test func `an expired session is ended by one node for all`() async throws {
    let shelf = try Shelf(.postgres)
    let (one, two, _) = try await TestNode.pair(shelf)
    try shelf.write("UPDATE pickerd.session SET active_at = 0")

    for node in [one, two] {
      guard case .foreignEnd? = try await node.records(1).first else {
        Issue.record("a node does not have the end")
        return
      }
    }
    #expect(
      try shelf.read(String.self, "SELECT type FROM pickerd.event ORDER BY position DESC LIMIT 1")
        == "session.ended")
    #expect(try shelf.read(Int.self, "SELECT newest FROM pickerd.feed") == 2)
  }

  @Test func `the return of a member is activity`() async throws {
    let shelf = try Shelf(.postgres)
    let (one, _, _) = try await TestNode.pair(shelf)
    try shelf.write("UPDATE pickerd.session SET active_at = 1, ttl_seconds = 9000000000")

    one.log.noteVisit(of: one.session)

    try await wait(for: "activity") {
      try shelf.read(Int.self, "SELECT active_at FROM pickerd.session") != 1
    }
  }

  @Test func `nodes have the clock of the database`() async throws {
    let shelf = try Shelf(.postgres)
    let node = try TestNode(shelf)
    let clock = try #require(node.log.clock)

    // The best of several measurements counts: the first one may have waited for a core.
    try await wait(for: "the clock of the database") {
      let before = try #require(try shelf.read(Int.self, "SELECT pickerd.now_ms()"))
      let now = Int(clock())
      let after = try #require(try shelf.read(Int.self, "SELECT pickerd.now_ms()"))
      return (before - 20...after + 20).contains(now)
    }
  }
}

/// The lines of notifications.
@Suite struct NodeMessageTests {
  @Test func `facts come back from their lines`() throws {
    let (session, member) = (SessionID("abc-_9"), MemberID("m_1"))
    let facts: [NodeFact] = [
      .entry(session, epoch: "e", sequence: 7, body: #"{"at": 1,"name":"Ana Ñ\u000a"}"#),
      .batch(3), .head(session, 57), .head(session, nil), .feed(9), .cursors,
      .announced(session, .serving),
      .announced(session, .connected(member)), .announced(session, .disconnected(member)),
      .released(session),
      .announced(session, .present([])), .announced(session, .present([member, MemberID("m_2")])),
      .presentPart(session, [member]),
      .announced(session, .touched(member, .row(column: 1, row: -1))),
      .announced(session, .touched(member, .row(column: 1, row: 2, isHover: true))),
      .announced(session, .touched(member, .lifted)),
      .announced(
        session, .touched(member, .date(try #require(CivilDate(year: 2026, month: 2, day: 9))))),
    ]
    var number = 0
    let payloads = NodeMessage.payloads(of: facts, by: 12, number: &number)

    #expect(payloads.count == 1 && number == 1)
    #expect(NodeMessage(payloads[0])?.facts == facts && NodeMessage(payloads[0])?.sender == 12)
  }

  @Test func `payloads are smaller than the maximum, and no fact is lost`() {
    let facts = (0..<2000).map { (place: Int) in
      NodeFact.head(SessionID("session-with-an-id-\(place)"), place)
    }
    var number = 0
    let payloads = NodeMessage.payloads(of: facts, by: .max, number: &number)

    #expect(payloads.allSatisfy { $0.utf8.count < 8000 } && number == payloads.count)
    #expect(payloads.flatMap { NodeMessage($0)?.facts ?? [] } == facts)
    #expect(Set(NodeMessage.payloads(of: [], by: 1, number: &number)).count == 1)
  }

  @Test func `unknown lines are ignored`() {
    let lines = "12 1\nz future words\nf 3\nt s m_1 x\ne s e x {}\ne s e 1"
    #expect(NodeMessage(lines)?.facts == [.feed(3)])
    #expect(NodeMessage("") == nil && NodeMessage("x") == nil)
  }
}
