import PickerHub
import PickerModel
import PickerSession
import Testing

@testable import SessionLog

/// Pruning retains the snapshots that loading needs.
@Suite(.database) struct SpacingTests {
  @Test(arguments: [0, 1, 300, 1000, 3000], Engine.allCases)
  func `a reloaded session has its complete history`(history: Int, engine: Engine) async throws {
    var limits = SessionLimits()
    limits.history = history
    let shelf = try Shelf(engine)
    let log = try shelf.store(limits: limits)
    let fixture = try LogFixture(limits: limits, in: log)
    fixture.join("m_1")
    for _ in 0..<8 {
      fixture.tap(500, by: "m_1")
      fixture.snapshot()
    }
    fixture.tap(20, by: "m_1")
    log.flush()
    // The first entries are not needed: loading starts at a snapshot.
    try shelf.write("UPDATE entry SET body = \(shelf.zeros(1)) WHERE sequence < 400")

    let loaded = try await shelf.loaded(fixture.origin.id, from: log, limits: limits)

    #expect(loaded?.fold.history == fixture.fold.history)
    #expect(loaded?.fold.history.count == history)
    #expect(loaded?.fold.state == fixture.fold.state)
  }

  @Test(arguments: Engine.allCases)
  func `a session of joins and refused commands is loaded from a snapshot`(engine: Engine)
    async throws
  {
    let shelf = try Shelf(engine)
    let log = try shelf.store()
    let fixture = try LogFixture(in: log)
    fixture.join("m_0")
    fixture.tap(1, by: "m_0")
    for number in 1...6500 {
      fixture.join("m_\(number)")
      fixture.append(.left(MemberID("m_\(number)")))
      fixture.refuse(1, by: "m_0")
      if number.isMultiple(of: 200) { fixture.snapshot() }
    }
    log.flush()
    let count = try shelf.read(Int.self, "SELECT count(*) FROM snapshot")
    try shelf.write("UPDATE entry SET body = \(shelf.zeros(1)) WHERE sequence < 1000")

    let loaded = try #require(try await shelf.loaded(fixture.origin.id, from: log))

    #expect(loaded.fold.state == fixture.fold.state)
    #expect(loaded.entryCount == fixture.entryCount)
    #expect(try #require(count) <= 20)
  }

  @Test(arguments: Engine.allCases)
  func `entries appended before a snapshot is encoded are loaded`(engine: Engine) async throws {
    let shelf = try Shelf(engine)
    let log = try shelf.store()
    let fixture = try LogFixture(in: log)
    fixture.join("m_1")
    fixture.refuse(10, by: "m_1")
    let hold = log.encodingQueue.hold()
    fixture.snapshot(isIdle: true)
    let early = try #require(try await shelf.loaded(fixture.origin.id, from: log))
    fixture.tap(3, by: "m_1")
    hold.signal()
    log.flush()

    let late = try #require(try await shelf.loaded(fixture.origin.id, from: log))

    #expect(early.spent.dropped == Array(2...11) && early.snapshotEntryCount == 0)
    #expect(late.fold.state == fixture.fold.state && late.snapshotEntryCount == 11)
    #expect(try shelf.read(Bool.self, "SELECT has_members FROM session") == true)
  }
}

/// Slow operations do not delay others.
@Suite(.database) struct QueueTests {
  @Test(arguments: Engine.allCases)
  func `evicted sessions are loaded and records stored while whole logs are read`(engine: Engine)
    async throws
  {
    let shelf = try Shelf(engine)
    let log = try shelf.store()
    let fixture = try LogFixture(in: log)
    fixture.join("m_1")
    fixture.tap(3, by: "m_1")
    let hold = log.historyQueue.hold()
    defer { hold.signal() }
    let position = try #require(
      HistoryPosition(of: fixture.origin, after: 0, through: 3, limits: SessionLimits()))
    log.history(from: position) { _ in }

    let loaded = try await shelf.loaded(fixture.origin.id, from: log)
    fixture.tap(1, by: "m_1")
    log.flush()

    #expect(loaded?.fold.revision == 3)
    #expect(try shelf.read(Int.self, "SELECT entry_count FROM session") == 5)
  }

  @Test(arguments: Engine.allCases)
  func `records are stored while a snapshot is encoded`(engine: Engine) throws {
    let shelf = try Shelf(engine)
    let log = try shelf.store()
    let fixture = try LogFixture(in: log)
    fixture.join("m_1")
    let hold = log.encodingQueue.hold()
    fixture.snapshot()
    fixture.tap(3, by: "m_1")
    // Unlike flush(), this does not wait for the encoding.
    log.queue.sync {}

    #expect(try shelf.read(Int.self, "SELECT entry_count FROM session") == 4)
    hold.signal()
    log.flush()
    #expect(try shelf.read(Int.self, "SELECT count(*) FROM snapshot") == 1)
  }
}
