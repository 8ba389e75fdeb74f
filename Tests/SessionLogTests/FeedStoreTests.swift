import Foundation
import JSONText
import PickerHub
import PickerModel
import PickerSession
import Synchronization
import Testing

@testable import SessionLog

/// The feed of a store: every event once, in order, whatever is lost between two of them.
@Suite(.database) struct FeedStoreTests {
  private func page(
    _ feed: any EventFeed, after position: Int = 0, types: [String]? = nil, countMax: Int = 1000
  ) async throws -> FeedPage {
    let request = FeedRequest(after: position, types: types, countMax: countMax)
    return try await withCheckedContinuation { continuation in
      feed.read(request) { continuation.resume(returning: $0) }
    }.get()
  }

  private func types(_ page: FeedPage) -> [String] {
    page.lines.map { "\($0.position) \($0.type.split(separator: ".")[1])" }
  }

  @Test(arguments: Engine.allCases)
  func `positions count from 1 over all sessions, also after a restart`(engine: Engine) async throws
  {
    let shelf = try Shelf(engine)
    var log: SQLSessionLog! = try shelf.store()
    for id in ["a", "b"] {
      let fixture = try LogFixture(in: log, id: id)
      fixture.join("m_1")
      fixture.change()
      fixture.feed()
      fixture.closeLog()
    }
    log.flush()
    log = nil
    log = try shelf.store()
    let fixture = try LogFixture(in: log, id: "c")
    fixture.feed()
    log.flush()

    let page = try await page(log.feed)

    #expect(
      types(page) == ["1 created", "2 confirmed", "3 created", "4 confirmed", "5 created"])
    #expect(page.position == 5)
    #expect(log.feed.signal.position == 5)
  }

  @Test(arguments: Engine.allCases)
  func `events that were not stored before a crash are derived again, once`(engine: Engine)
    async throws
  {
    let shelf = try Shelf(engine)
    var log: SQLSessionLog! = try shelf.store()
    let fixture = try LogFixture(in: log)
    fixture.join("m_1")
    fixture.change()
    fixture.feed()
    fixture.change()
    fixture.change()
    log.flush()
    fixture.closeLog()
    log = nil
    log = try shelf.store()
    #expect(try log.stored().map(\.hasMembers) == [true])

    let loaded = try #require(try await shelf.loaded(fixture.origin.id, from: log))
    #expect(loaded.missed.map { $0.events.map(\.type) } == [[.reopened], [.confirmed]])
    for missed in loaded.missed + loaded.missed {
      #expect(log.feed(missed, of: fixture.origin.id))
    }
    log.flush()

    #expect(
      types(try await page(log.feed))
        == ["1 created", "2 confirmed", "3 reopened", "4 confirmed"])
    let again = try #require(try await shelf.loaded(fixture.origin.id, from: log))
    #expect(again.missed.isEmpty)
    #expect(again.eventSequence == loaded.missed.last?.sequence)
  }

  @Test(arguments: Engine.allCases)
  func `a creation whose event was lost is loaded after a crash`(engine: Engine) async throws {
    let shelf = try Shelf(engine)
    var log: SQLSessionLog! = try shelf.store()
    let fixture = try LogFixture(in: log)
    log.flush()
    fixture.closeLog()
    log = nil
    log = try shelf.store()

    #expect(try log.stored().map(\.hasMembers) == [true])
    let loaded = try #require(try await shelf.loaded(fixture.origin.id, from: log))
    #expect(loaded.missed.flatMap(\.events).map(\.type) == [.created])
  }

  @Test(arguments: Engine.allCases)
  func `events after lost ones are refused, and the session is reported as lost`(engine: Engine)
    async throws
  {
    let shelf = try Shelf(engine)
    let log = try shelf.store()
    let fixture = try LogFixture(in: log)
    fixture.join("m_1")
    fixture.change()
    let event = fixture.fold.endEvent(.deleted, at: fixture.origin.createdAt)

    _ = log.feed(FeedRecord(events: [event], sequence: 2, previous: 0), of: fixture.origin.id)
    log.flush()

    let lost = try await shelf.notice { if case .lost(let sessions) = $0 { sessions } else { nil } }
    #expect(lost == [fixture.origin.id])
    #expect(try await page(log.feed).lines.isEmpty)
  }

  @Test(arguments: Engine.allCases)
  func `a snapshot that covers lost events is refused`(engine: Engine) async throws {
    let shelf = try Shelf(engine)
    let log = try shelf.store()
    let fixture = try LogFixture(in: log)
    fixture.join("m_1")
    fixture.change()
    let fold = fixture.fold

    _ = log.store(
      LogSnapshot(
        epoch: fold.origin.epoch, entryCount: 2, state: fold.state, picker: fold.picker,
        isIdle: true, nextTick: nil, idleMilliseconds: 0, eventSequence: 2), of: fixture.origin.id)
    log.flush()

    #expect(try shelf.read(Int.self, "SELECT count(*) FROM snapshot") == 0)
    let loaded = try #require(try await shelf.loaded(fixture.origin.id, from: log))
    #expect(loaded.missed.flatMap(\.events).map(\.type) == [.created, .confirmed])
  }

  @Test(arguments: Engine.allCases)
  func `a snapshot after the last event leaves nothing to be derived`(engine: Engine) async throws {
    let shelf = try Shelf(engine)
    var log: SQLSessionLog! = try shelf.store()
    let fixture = try LogFixture(in: log)
    fixture.join("m_1")
    fixture.change()
    fixture.feed()
    fixture.append(.left(MemberID("m_1")))
    fixture.snapshot(isIdle: true)
    log.flush()
    fixture.closeLog()
    log = nil
    log = try shelf.store()

    #expect(try log.stored().map(\.hasMembers) == [false])
    #expect(try await shelf.loaded(fixture.origin.id, from: log)?.missed.isEmpty == true)
  }

  @Test(arguments: Engine.allCases)
  func `a snapshot has a result that is not reported yet`(engine: Engine) async throws {
    let shelf = try Shelf(engine)
    let log = try shelf.store()
    let base = try LogFixture(in: log, id: "base").origin
    let origin = SessionOrigin(
      id: SessionID("w"), epoch: "first", definition: base.definition, createdAt: base.createdAt,
      host: HostFields(watched: [.result]))
    let fixture = try LogFixture(origin, in: log)
    fixture.join("m_1")
    fixture.tap(1, by: "m_1")
    fixture.feed()
    fixture.snapshot()
    log.flush()

    let loaded = try #require(try await shelf.loaded(origin.id, from: log))

    #expect(loaded.fold.unreported == fixture.fold.unreported)
    #expect(loaded.fold.unreported != nil)
  }

  @Test(arguments: Engine.allCases)
  func `the end of a session is an event of the same transaction`(engine: Engine) async throws {
    let log = try Shelf(engine).store()
    let fixture = try LogFixture(in: log)
    fixture.feed()
    let event = fixture.fold.endEvent(.deleted, at: fixture.origin.createdAt)
    #expect(log.append(.ended(event), of: fixture.origin.id) == .pending)
    #expect(log.append(.ended(event), of: fixture.origin.id) == .pending)
    log.flush()

    let page = try await page(log.feed)

    #expect(types(page) == ["1 created", "2 ended"])
    let line = try JSONTree.parse(page.lines[1].json)
    #expect(line["position"]?.integer == 2)
    #expect(line["type"]?.string == "session.ended")
    #expect(line["timestamp"]?.string == fixture.origin.createdAt.rfc3339)
    #expect(line["data"]?["reason"]?.string == "deleted")
  }

  @Test(arguments: Engine.allCases)
  func `the end of a session that cannot be read has its id and epoch`(engine: Engine) async throws
  {
    let log = try Shelf(engine).store()
    let fixture = try LogFixture(in: log)
    _ = log.append(.ended(nil), of: fixture.origin.id)
    log.flush()

    let line = try JSONTree.parse(try #require(try await page(log.feed).lines.first).json)

    #expect(line["data"]?["session"]?.string == "s")
    #expect(line["data"]?["epoch"]?.string == "first")
  }

  @Test(arguments: Engine.allCases)
  func `events beyond the limit are deleted, and readers receive the remaining range`(
    engine: Engine
  )
    async throws
  {
    var limits = FeedLimits()
    limits.events = 5
    let log = try Shelf(engine).store(feedLimits: limits)
    let fixture = try LogFixture(in: log)
    fixture.join("m_1")
    for _ in 1...20 {
      fixture.change()
      fixture.feed()
      log.flush()
    }

    await #expect(throws: FeedProblem.gone(oldest: 17, newest: 21)) {
      _ = try await page(log.feed, after: 15)
    }
    #expect(try await page(log.feed, after: 16).lines.map(\.position) == [17, 18, 19, 20, 21])
    await #expect(throws: FeedProblem.gone(oldest: 17, newest: 21)) {
      _ = try await page(log.feed, after: 22)
    }
  }

  @Test(arguments: Engine.allCases)
  func `the feed has a maximum of bytes`(engine: Engine) throws {
    var limits = FeedLimits()
    limits.bytes = 1000
    let shelf = try Shelf(engine)
    let log = try shelf.store(feedLimits: limits)
    let fixture = try LogFixture(in: log)
    fixture.join("m_1")
    for _ in 1...20 {
      fixture.change()
      fixture.feed()
    }
    log.flush()

    let stored = try shelf.count("SELECT byte_count FROM feed")
    #expect(stored <= 1000)
    #expect(try stored == shelf.count("SELECT sum(length(id) + length(body)) FROM event"))
  }

  @Test(arguments: Engine.allCases)
  func `events that are too old are deleted, and their positions are not used again`(engine: Engine)
    async throws
  {
    var limits = FeedLimits()
    limits.milliseconds = -1
    let log = try Shelf(engine).store(feedLimits: limits)
    for id in ["a", "b"] {
      try LogFixture(in: log, id: id).feed()
      log.flush()
    }

    await #expect(throws: FeedProblem.gone(oldest: 3, newest: 2)) {
      _ = try await page(log.feed, after: 0)
    }
    #expect(try await page(log.feed, after: 2).position == 2)
  }

  /// Otherwise a reader would go on after events that it was not sent.
  @Test(arguments: Engine.allCases)
  func `a page that is full of bytes ends at its last event`(engine: Engine) async throws {
    let shelf = try Shelf(engine)
    let log = try shelf.store()
    let fixture = try LogFixture(in: log)
    fixture.join("m_1")
    for _ in 1...4 { fixture.change() }
    fixture.feed()
    log.flush()
    try shelf.write("UPDATE event SET body = \(shelf.zeros(FeedRequest.byteCountMax / 2))")

    let first = try await page(log.feed)
    let rest = try await page(log.feed, after: first.position)

    #expect(first.lines.map(\.position) == [1, 2] && first.position == 2)
    #expect(rest.lines.map(\.position) == [3, 4] && rest.position == 4)
  }

  @Test(arguments: Engine.allCases)
  func `a page ends at its maximum of events, and can have some types only`(engine: Engine)
    async throws
  {
    let log = try Shelf(engine).store()
    let fixture = try LogFixture(in: log)
    fixture.join("m_1")
    for _ in 1...6 { fixture.change() }
    fixture.feed()
    log.flush()

    let first = try await page(log.feed, countMax: 2)
    let reopened = try await page(log.feed, after: 2, types: ["session.reopened"], countMax: 2)
    let last = try await page(log.feed, after: 5, types: ["session.reopened"])

    #expect(types(first) == ["1 created", "2 confirmed"])
    #expect(first.position == 2)
    #expect(types(reopened) == ["3 reopened", "5 reopened"])
    #expect(reopened.position == 5)
    #expect(types(last) == ["7 reopened"])
    #expect(last.position == 7)
  }

  @Test(arguments: Engine.allCases)
  func `memory gives the same feed as a file`(engine: Engine) async throws {
    let memory = MemoryFeed(digest: { $0 }, now: { 0 })
    let file = try Shelf(engine).store()
    for log in [MemorySessionLog(feed: memory), file] as [any SessionLog] {
      let fixture = try LogFixture(in: log)
      fixture.join("m_1")
      for _ in 1...5 { fixture.change() }
      fixture.feed()
      let event = fixture.fold.endEvent(.deleted, at: fixture.origin.createdAt)
      _ = log.append(.ended(event), of: fixture.origin.id)
    }
    file.flush()

    for (after, types, countMax) in [
      (0, nil, 1000), (3, nil, 2), (1, ["session.reopened"], 2), (7, nil, 10),
    ] as [(Int, [String]?, Int)] {
      let left = try await page(memory, after: after, types: types, countMax: countMax)
      let right = try await page(file.feed, after: after, types: types, countMax: countMax)
      #expect(left.lines.map(\.json) == right.lines.map(\.json))
      #expect(left.position == right.position)
    }
    await #expect(throws: FeedProblem.gone(oldest: 1, newest: 7)) {
      _ = try await page(memory, after: 8)
    }
  }

  @Test func `a feed in memory has a maximum of bytes`() async throws {
    var limits = FeedLimits()
    limits.memoryBytes = 1000
    let memory = MemoryFeed(limits: limits, digest: { $0 }, now: { 0 })
    let fixture = try LogFixture(in: MemorySessionLog(feed: memory))
    fixture.join("m_1")
    for _ in 1...50 {
      fixture.change()
      fixture.feed()
    }

    let oldest = memory.signal.position
    await #expect(throws: FeedProblem.self) { _ = try await page(memory, after: 0) }
    #expect(oldest == 51)
    #expect(try await page(memory, after: 49).lines.count == 2)
  }

  /// The check is part of the transaction.
  @Test func `there are at most 100 cursors, also if they are set at once`() async throws {
    let shelf = try Shelf()
    let log = try shelf.store()
    let outcomes = Mutex<[Bool]>([])
    let hold = log.queue.hold()
    for number in 0..<105 {
      log.feed.setCursor(CursorName("c\(number)", namespace: nil), to: 0) { result in
        outcomes.withLock { $0.append((try? result.get()) != nil) }
      }
    }
    _ = try await page(log.feed)
    hold.signal()
    log.flush()
    log.flush()

    #expect(outcomes.withLock { $0.count { $0 } } == 100)
    #expect(try shelf.count("SELECT count(*) FROM feed_cursor") == 100)
    #expect(log.feed.cursors.count == 100)
  }

  @Test(arguments: Engine.allCases)
  func `there are at most 100 cursors`(engine: Engine) async throws {
    let log = try Shelf(engine).store()
    defer { withExtendedLifetime(log) {} }
    let feeds: [any EventFeed] = [MemoryFeed(digest: { $0 }, now: { 0 }), log.feed]
    for feed in feeds {
      func set(_ name: String, _ position: Int?) async -> Result<Void, FeedProblem> {
        await withCheckedContinuation { continuation in
          feed.setCursor(CursorName(name, namespace: nil), to: position) {
            continuation.resume(returning: $0)
          }
        }
      }
      for number in 1...100 { try await set("c\(number)", number).get() }
      await #expect(throws: FeedProblem.tooManyCursors) { try await set("one more", 1).get() }
      try await set("c7", 70).get()

      #expect(feed.cursors["c7"] == 70)
      #expect(feed.cursors.count == 100)
      try await set("c8", nil).get()
      try await set("one more", 1).get()
    }
  }

  @Test func `a waiting reader is resumed by the next event, or when its time is over`()
    async throws
  {
    let memory = MemoryFeed(digest: { $0 }, now: { 0 })
    let log = MemorySessionLog(feed: memory)
    let (resumptions, continuation) = AsyncStream.makeStream(of: Void.self)
    let first = FeedRequest(after: 0, types: nil, countMax: 1)
    memory.signal.wait(for: first, milliseconds: 3_600_000) { continuation.finish() }
    #expect(memory.signal.waiterCount == 1)
    try LogFixture(in: log).feed()
    for await _ in resumptions {}

    await withCheckedContinuation { continuation in
      memory.signal.wait(for: first.following(1), milliseconds: 20) { continuation.resume() }
    }
    #expect(memory.signal.waiterCount == 0)
  }

  @Test(arguments: Engine.allCases)
  func `the feed of a new store has an epoch of its own, which stays`(engine: Engine) throws {
    let shelf = try Shelf(engine)
    var log: SQLSessionLog! = try shelf.store()
    let epoch = log.feed.epoch
    #expect(epoch.count == 32)
    log.flush()
    log = nil
    log = try shelf.store()

    #expect(log.feed.epoch == epoch)
    #expect(try Shelf(engine).store().feed.epoch != epoch)
  }
}
