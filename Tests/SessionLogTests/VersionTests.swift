import CivilTime
import PickerHub
import PickerModel
import PickerSession
import Testing

@testable import SessionLog

/// Folds depend on the versions of the rules and of the zone database.
@Suite(.database) struct VersionTests {
  private static let slot = #"{"kind":"slot","timeZone":"Here/There"}"#
  private let old = FoldVersions(rules: 1, tzdata: "2025a")
  private let new = FoldVersions(rules: 1, tzdata: "2026a")

  private func zone(offset: Int) -> ZoneRules {
    ZoneRules(
      name: "Here/There", initialOffsetSeconds: offset, transitions: [], footer: nil)
  }

  /// A store with a session of a few taps in a zone three hours ahead.
  private func fill(
    _ shelf: Shelf, definition: String = slot, hasSnapshot: Bool = true, isIdle: Bool = false,
    hasTail: Bool = false
  ) throws -> LogFixture {
    let log = try shelf.store(zone: zone(offset: 10_800), versions: old)
    let fixture = try LogFixture(definition, zone: zone(offset: 10_800), in: log)
    fixture.join("m_1")
    for row in 1...3 {
      let generation = fixture.fold.picker.columns[0].generation
      fixture.append(
        .command(
          MemberID("m_1"), ref: row,
          .act(.select(.init(column: 0, row: row, generation: generation, key: nil)))))
    }
    if hasSnapshot { fixture.snapshot(isIdle: isIdle) }
    if hasTail { fixture.append(.command(MemberID("m_1"), ref: 9, .undo)) }
    log.close()
    fixture.closeLog()
    return fixture
  }

  private func epoch(_ shelf: Shelf) throws -> String? {
    try shelf.read(String.self, "SELECT epoch FROM session")
  }

  @Test(arguments: [false, true], Engine.allCases)
  func `a session gets a new epoch if another zone database changes its rows`(
    isIdle: Bool, engine: Engine
  )
    async throws
  {
    let shelf = try Shelf(engine)
    let fixture = try fill(shelf, isIdle: isIdle)
    let log = try shelf.store(zone: zone(offset: -36_000), versions: new)

    let loaded = try #require(try await shelf.loaded(fixture.origin.id, from: log))
    let again = try #require(try await shelf.loaded(fixture.origin.id, from: log))
    let replay = try shelf.replay(fixture.origin.id, versions: new, zone: zone(offset: -36_000))

    #expect(loaded.fold.origin.epoch != "first" && loaded.fold.history.isEmpty)
    #expect(loaded.fold.revision == fixture.fold.revision)
    #expect(loaded.fold.origin.epoch == again.fold.origin.epoch)
    #expect(replay.fold.revision == fixture.fold.revision)
    #expect(replay.remarks.contains { $0.contains("rules 1, tzdata 2025a") })
    #expect(await history(of: fixture, from: log) == [])
  }

  @Test(arguments: Engine.allCases)
  func `a session that is left as it was renewed keeps the note of the renewal`(engine: Engine)
    async throws
  {
    let shelf = try Shelf(engine)
    let fixture = try fill(shelf)
    let log = try shelf.store(zone: zone(offset: -36_000), versions: new)
    let loaded = try #require(try await shelf.loaded(fixture.origin.id, from: log))

    _ = log.store(
      LogSnapshot(
        epoch: loaded.fold.origin.epoch, entryCount: fixture.entryCount, state: loaded.fold.state,
        picker: loaded.fold.picker, isIdle: true, nextTick: nil, idleMilliseconds: 0),
      of: fixture.origin.id)
    log.flush()

    #expect(try shelf.count("SELECT count(*) FROM snapshot WHERE replaces IS NOT NULL") == 1)
    let replay = try shelf.replay(fixture.origin.id, versions: new, zone: zone(offset: -36_000))
    #expect(replay.remarks.contains { $0.contains("rules 1, tzdata 2025a") })
  }

  @Test(arguments: Engine.allCases)
  func `a session retains its epoch if a new zone database does not change it`(engine: Engine)
    async throws
  {
    let shelf = try Shelf(engine)
    let fixture = try fill(shelf)
    let log = try shelf.store(zone: zone(offset: 10_800), versions: new)

    let loaded = try #require(try await shelf.loaded(fixture.origin.id, from: log))

    #expect(loaded.fold.origin.epoch == "first")
    #expect(loaded.fold.history == fixture.fold.history)
    #expect(await history(of: fixture, from: log) == fixture.deltas)
  }

  @Test(arguments: Engine.allCases)
  func `a session with entries after its last snapshot gets a new epoch`(engine: Engine)
    async throws
  {
    for hasSnapshot in [true, false] {
      let shelf = try Shelf(engine)
      let fixture = try fill(shelf, hasSnapshot: hasSnapshot, hasTail: true)
      let log = try shelf.store(zone: zone(offset: 10_800), versions: new)

      let loaded = try #require(try await shelf.loaded(fixture.origin.id, from: log))
      let again = try #require(try await shelf.loaded(fixture.origin.id, from: log))

      #expect(loaded.fold.origin.epoch != "first")
      #expect(loaded.fold.origin.epoch == again.fold.origin.epoch)
      #expect(loaded.fold.state == fixture.fold.state)
    }
  }

  @Test(arguments: Engine.allCases)
  func `a session in UTC depends on the rules, but not on the zone database`(engine: Engine)
    async throws
  {
    let shelf = try Shelf(engine)
    let definition = #"{"kind":"slot","timeZone":"UTC"}"#
    let fixture = try fill(shelf, definition: definition, hasTail: true)
    var log: SQLSessionLog? = try shelf.store(versions: new)
    let loaded = try #require(try await shelf.loaded(fixture.origin.id, from: log!))
    log = nil
    shelf.forget()

    log = try shelf.store(versions: FoldVersions(rules: 2, tzdata: "2025a"))
    let later = try #require(try await shelf.loaded(fixture.origin.id, from: log!))

    #expect(loaded.fold.origin.epoch == "first")
    #expect(later.fold.origin.epoch != "first")
  }

  @Test(arguments: Engine.allCases)
  func `a session gets a new epoch if changed rules change its state`(engine: Engine) async throws {
    let shelf = try Shelf(engine)
    let fixture = try fill(shelf)
    try shelf.write("UPDATE snapshot SET checksum = checksum + 1, rules = 0")
    let log = try shelf.store(zone: zone(offset: 10_800), versions: old)

    let loaded = try #require(try await shelf.loaded(fixture.origin.id, from: log))

    #expect(loaded.fold.origin.epoch != "first")
    #expect(loaded.fold.state == fixture.fold.state)
  }
}
