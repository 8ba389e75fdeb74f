import PickerHub
import PickerModel
import PickerSession
import Testing

@testable import SessionLog

/// Compaction: deleting refused commands does not change the session or its log.
@Suite(.database) struct CompactionTests {
  /// Appends a generated session with snapshots at random positions.
  private func fill(_ session: GeneratedSession, seed: UInt64, _ log: any SessionLog) throws
    -> LogFixture
  {
    var random = SplitMix(state: seed)
    let fixture = try LogFixture(session.origin, in: log)
    for entry in session.entries {
      fixture.append(entry)
      if Int.random(in: 0..<25, using: &random) == 0 { fixture.snapshot() }
    }
    return fixture
  }

  @Test(arguments: UInt64(1)...30, Engine.allCases)
  func `a compacted session loads, reads and replays unchanged`(seed: UInt64, engine: Engine)
    async throws
  {
    let shelf = try Shelf(engine)
    let log = try shelf.store()
    let session = try GeneratedSession(seed: seed, entryCount: 200)
    let fixture = try fill(session, seed: seed, log)
    log.flush()
    let id = session.origin.id

    let loaded = try #require(try await shelf.loaded(id, from: log))
    let rows = try shelf.read(Int.self, "SELECT count(*) FROM entry")
    let replay = try shelf.replay(id, versions: FoldVersions(tzdata: "2025a"), zone: .utc)

    #expect(loaded.fold.state == session.fold.state)
    #expect(loaded.fold.history == session.fold.history)
    #expect(loaded.fold.origin.epoch == session.origin.epoch)
    #expect(loaded.entryCount == session.entries.count)
    #expect(replay.difference == nil && replay.lastRevision == session.fold.revision)
    #expect(replay.fold.state == session.fold.state)
    #expect(try #require(rows) < session.entries.count)
    #expect(await history(of: fixture, from: log) == fixture.deltas)
    let later = fixture.deltas.filter { $0.revision > 7 }
    #expect(await history(of: fixture, after: 7, from: log) == later)
  }

  @Test(arguments: UInt64(1)...30)
  func `a compacted log in memory has the same history`(seed: UInt64) async throws {
    let log = MemorySessionLog()
    let session = try GeneratedSession(seed: seed, entryCount: 200)
    let fixture = try fill(session, seed: seed, log)

    let entries = log.entries(of: session.origin.id)

    #expect(entries.count < session.entries.count)
    #expect(log.byteCount(of: session.origin.id) == entries.reduce(0) { $0 + $1.facts.byteCount })
    #expect(await history(of: fixture, from: log) == fixture.deltas)
  }

  /// Regression: the ticks were deleted, so that a replay selected another date.
  @Test(arguments: Engine.allCases)
  func `a date keeps its bounds when its log is compacted`(engine: Engine) async throws {
    let shelf = try Shelf(engine)
    let log = try shelf.store()
    let fixture = try LogFixture(
      #"{"kind":"date","min":"today","max":"2018-12-01","initial":"2018-12-01"}"#, in: log)
    fixture.join("m_1")
    func append(_ body: LogEntry.Body, day: Int64) {
      let at = fixture.origin.createdAt.adding(milliseconds: day * 86_400_000)
      fixture.append(LogEntry(at: at, body: body))
    }
    for day in 1...3 as ClosedRange<Int64> { append(.tick, day: day) }
    let november = RowSelection(column: 1, row: 0, generation: 1, key: nil)
    append(.command(MemberID("m_1"), ref: 1, .act(.select(november))), day: 20)
    fixture.snapshot()
    log.flush()

    let replay = try shelf.replay(
      fixture.origin.id, versions: FoldVersions(tzdata: "2025a"), zone: .utc)

    #expect(fixture.fold.picker.value == .keys(["2018", "11", "26"]))
    #expect(await history(of: fixture, from: log) == fixture.deltas)
    #expect(replay.difference == nil && replay.fold.state == fixture.fold.state)
  }

  @Test(arguments: Engine.allCases)
  func `compaction leaves only the snapshot and the revisions`(engine: Engine) async throws {
    let shelf = try Shelf(engine)
    let log = try shelf.store()
    let fixture = try LogFixture(in: log)
    log.flush()
    let created = try #require(try shelf.read(Int.self, "SELECT byte_count FROM session"))
    fixture.join("m_1")
    for _ in 0..<20 {
      fixture.refuse(499, by: "m_1")
      fixture.tap(1, by: "m_1")
      fixture.snapshot()
    }
    log.flush()

    let entries = try shelf.read(Int.self, "SELECT count(*) FROM entry")
    let snapshots = try shelf.read(Int.self, "SELECT count(*) FROM snapshot")
    let bytes = try shelf.read(Int.self, "SELECT byte_count FROM session")
    let real = try shelf.read(
      Int.self,
      """
      SELECT (SELECT sum(length(body)) FROM entry) + (SELECT sum(length(body)) FROM snapshot)
      """)

    #expect(entries == 21 && snapshots == 1)
    #expect(bytes == real.map { $0 + created })
    #expect(try await shelf.loaded(fixture.origin.id, from: log)?.fold.state == fixture.fold.state)
  }
}
