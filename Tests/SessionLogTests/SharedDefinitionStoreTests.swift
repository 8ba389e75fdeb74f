import CivilTime
import JSONText
import PickerHub
import PickerModel
import PickerSession
import Testing

@testable import SessionLog

/// Definitions that many sessions use.
@Suite(.database) struct SharedDefinitionStoreTests {
  private func draft(_ name: String = "room", days: Int) throws -> SharedDraft {
    let months = #""months":{"from":"2018-10","through":"2018-12"}"#
    let json = #"{"kind":"calendar",\#(months),"maxDays":\#(days)}"#
    let definition = try Definition.make(from: try JSONTree.parse(Array(json.utf8))) { _ in .utc }
    let notes = try JSONTree.parse(Array(#"{"days":{"2018-12-24":{"text":"\#(days)"}}}"#.utf8))
    return SharedDraft(
      name: name, document: definition.document(full: true),
      notes: try #require(Notes(tree: notes)))
  }

  private func write(
    _ draft: SharedDraft, replacing version: Int?, in store: any SharedDefinitions
  ) async -> SharedWriting {
    await withCheckedContinuation { continuation in
      store.write(draft, replacing: version) { continuation.resume(returning: $0) }
    }
  }

  private func read(_ name: String, in store: any SharedDefinitions) async -> SharedDefinition? {
    await withCheckedContinuation { continuation in
      store.read(name) { continuation.resume(returning: $0.value) }
    }
  }

  private func remove(
    _ name: String, if versions: VersionMatch? = nil, in store: any SharedDefinitions
  ) async -> SharedWriting {
    await withCheckedContinuation { continuation in
      store.remove(name, if: versions) { continuation.resume(returning: $0) }
    }
  }

  /// The origin of a session that uses a definition.
  private func origin(_ shared: SharedDefinition, id: String = "s") throws -> SessionOrigin {
    var origin = SessionOrigin(
      id: SessionID(id), epoch: "first",
      definition: try Definition.make(from: shared.document) { _ in .utc },
      notes: shared.notes,
      createdAt: Instant(milliseconds: 1_542_938_400_000))
    origin.uses = SharedUse(
      name: shared.name, version: shared.version, own: .object([]))
    return origin
  }

  @Test(arguments: Engine.allCases)
  func `versions ascend, and only the current one is replaced`(engine: Engine) async throws {
    let shelf = try Shelf(engine)
    let log = try shelf.store()
    #expect(await read("room", in: log) == nil)
    #expect(await write(try draft(days: 1), replacing: nil, in: log) == .done(version: 1))
    #expect(await write(try draft(days: 2), replacing: nil, in: log) == .outdated(current: 1))
    #expect(await write(try draft("b", days: 2), replacing: nil, in: log) == .done(version: 3))
    #expect(await write(try draft(days: 3), replacing: 1, in: log) == .done(version: 4))
    let found = try #require(await read("room", in: log))
    #expect(found.version == 4 && found.document["maxDays"]?.integer == 3)
    #expect(found.notes.days.count == 1)
    #expect(await remove("room", if: .oneOf(["\"1\""]), in: log) == .outdated(current: 4))
    #expect(await remove("room", in: log) == .done(version: 4))
    #expect(await remove("room", in: log) == .absent)
    // Never again the number of an earlier version.
    #expect(await write(try draft(days: 5), replacing: nil, in: log) == .done(version: 5))
  }

  @Test(arguments: Engine.allCases)
  func `a definition in use is not deleted, and no session is created without it`(
    engine: Engine
  ) async throws {
    let shelf = try Shelf(engine)
    let log = try shelf.store()
    _ = await write(try draft(days: 1), replacing: nil, in: log)
    let shared = try #require(await read("room", in: log))
    let fixture = try LogFixture(try origin(shared), in: log)
    fixture.feed()
    log.flush()
    #expect(await remove("room", in: log) == .inUse)
    _ = log.append(.ended(nil), of: fixture.origin.id)
    log.flush()
    #expect(await remove("room", in: log) == .done(version: 1))
    _ = try LogFixture(try origin(shared, id: "late"), in: log)
    log.flush()
    #expect(try shelf.count("SELECT count(*) FROM session") == 0)
  }

  @Test(arguments: Engine.allCases)
  func `a session that is loaded gets the newest version, once`(engine: Engine) async throws {
    let shelf = try Shelf(engine)
    let log = try shelf.store()
    _ = await write(try draft(days: 1), replacing: nil, in: log)
    let fixture = try LogFixture(try origin(try #require(await read("room", in: log))), in: log)
    fixture.feed()
    log.flush()
    #expect(try await shelf.loaded(fixture.origin.id, from: log)?.step == nil)
    _ = await write(try draft(days: 2), replacing: 1, in: log)
    _ = await write(try draft(days: 3), replacing: 2, in: log)

    let loaded = try #require(try await shelf.loaded(fixture.origin.id, from: log))
    let adoption = try #require(loaded.step?.adoption(after: loaded.fold.version))
    #expect(adoption.version == 3)
    fixture.append(.adopted(adoption))
    fixture.snapshot()
    fixture.feed()
    log.flush()

    let again = try #require(try await shelf.loaded(fixture.origin.id, from: log))
    #expect(again.step == nil && again.fold.state == fixture.fold.state)
    #expect(again.fold.shared?.version == 3 && again.fold.revision == 1)
    #expect(again.fold.notes == fixture.fold.notes && again.fold.history.count == 1)
  }

  @Test func `a change at one node is reported at the other`() async throws {
    let shelf = try Shelf(.postgres)
    let (one, two) = (try TestNode(shelf.database), try TestNode(shelf.database))
    for (writer, reader, version) in [(one, two, nil), (two, one, 1)] {
      reader.posted.forget()
      let written = await write(
        try draft(days: 1 + (version ?? 0)), replacing: version, in: writer.log)
      #expect(written == .done(version: 1 + (version ?? 0)))
      let seen = try await reader.posted.wait(for: "the version") { notice -> Int? in
        if case .shared(let shared) = notice { shared.version } else { nil }
      }
      #expect(seen == 1 + (version ?? 0))
    }
  }

  @Test func `shared definitions are moved with the sessions that use them`() async throws {
    let (old, new) = (try Shelf(), try Shelf(.postgres))
    var log: SQLSessionLog? = try old.store()
    _ = await write(try draft(days: 1), replacing: nil, in: log!)
    let fixture = try LogFixture(
      try origin(try #require(await read("room", in: log!))), in: log!)
    fixture.feed()
    _ = await write(try draft("gone", days: 2), replacing: nil, in: log!)
    _ = await remove("gone", in: log!)
    fixture.closeLog()
    try await old.close(&log)
    _ = try StoreMove.move(from: old.path, to: new.address)
    let moved = try new.store()
    #expect(await read("room", in: moved)?.version == 1)
    #expect(await remove("room", in: moved) == .inUse)
    #expect(await write(try draft(days: 4), replacing: 1, in: moved) == .done(version: 3))
  }

  @Test func `a store in memory has a maximum of definitions, and counts their uses`()
    async throws
  {
    let store = MemorySharedDefinitions { _ in }
    let log = MemorySessionLog(shared: store)
    let first = try draft(days: 1)
    for number in 1...SharedDefinition.countMax {
      let name = "room-\(number)"
      let next = SharedDraft(name: name, document: first.document, notes: first.notes)
      #expect(await write(next, replacing: nil, in: store) == .done(version: number))
    }
    #expect(await write(try draft("b", days: 1), replacing: nil, in: store) == .tooMany)
    let shared = try #require(store.read("room-1"))
    #expect(log.append(.created(try origin(shared)), of: SessionID("s")) == .stored)
    #expect(await remove("room-1", in: store) == .inUse)
    _ = log.append(.ended(nil), of: SessionID("s"))
    #expect(await remove("room-1", in: store) == .done(version: 1))
    #expect(log.append(.created(try origin(shared)), of: SessionID("s2")) == .failed)
  }
}
