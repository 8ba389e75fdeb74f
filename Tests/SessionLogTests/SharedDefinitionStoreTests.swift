import CivilTime
import JSONText
import PickerHub
import PickerModel
import PickerSession
import Synchronization
import Testing

@testable import SessionLog

/// Definitions that many sessions use.
@Suite(.database) struct SharedDefinitionStoreTests {
  private func draft(
    _ name: String = "room", days: Int, isReported: Bool = false
  ) throws -> SharedDraft {
    let months = #""months":{"from":"2018-10","through":"2018-12"}"#
    let json = #"{"kind":"calendar",\#(months),"maxDays":\#(days)}"#
    let definition = try Definition.make(from: try JSONTree.parse(Array(json.utf8))) { _ in .utc }
    let notes = try JSONTree.parse(Array(#"{"days":{"2018-12-24":{"text":"\#(days)"}}}"#.utf8))
    return SharedDraft(
      name: name, document: definition.document(full: true),
      notes: try #require(Notes(tree: notes)), isReported: isReported)
  }

  /// The number of transactions that an SQLite store has committed.
  private func transactionCount(_ shelf: Shelf) throws -> Int {
    try shelf.count("SELECT batch FROM store")
  }

  /// The types and data of the events of a namespace.
  private func events(_ feed: any EventFeed, namespace: String) async throws -> [String] {
    let page = await withCheckedContinuation { continuation in
      feed.read(FeedRequest(after: 0, types: nil, namespace: namespace, countMax: 100)) {
        continuation.resume(returning: $0)
      }
    }
    return try page.get().lines.map { line in
      let data = try JSONTree.parse(line.json)["data"]?.serialized() ?? []
      return "\(line.type) \(String(decoding: data, as: UTF8.self))"
    }
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

  @Test func `the parsed versions in memory have a maximum, and count`() throws {
    let memory = CountedMemory()
    var versions = SQLSessionLog.SharedVersions()
    let text = JSONTree.string(String(repeating: "x", count: 60))
    let document = JSONTree.array(Array(repeating: text, count: 10_000))
    for number in 1...30 {
      versions.note(
        SharedDefinition(
          name: "\(number)", version: number, document: document, notes: Notes(), memory: memory))
    }
    #expect((1 << 23...1 << 24).contains(memory.byteCount.load(ordering: .relaxed)))
    versions.note(
      SharedDefinition(
        name: "large", version: 31, document: .array(Array(repeating: document, count: 20)),
        notes: Notes(), memory: memory))
    #expect(Array(versions.known.keys) == ["large"])
    versions = SQLSessionLog.SharedVersions()
    #expect(memory.byteCount.load(ordering: .relaxed) == 0)
  }

  @Test(arguments: Engine.allCases)
  func `versions ascend, and only the current one is replaced`(engine: Engine) async throws {
    let shelf = try Shelf(engine)
    let log = try shelf.store()
    #expect(await read("room", in: log) == nil)
    #expect(await write(try draft(days: 1), replacing: nil, in: log) == .done(version: 1))
    #expect(await write(try draft(days: 2), replacing: nil, in: log) == .outdated(current: 1))
    #expect(await write(try draft("b", days: 2), replacing: nil, in: log) == .done(version: 2))
    #expect(await write(try draft(days: 3), replacing: 1, in: log) == .done(version: 3))
    let found = try #require(await read("room", in: log))
    #expect(found.version == 3 && found.document["maxDays"]?.integer == 3)
    #expect(found.notes.days.count == 1)
    #expect(await remove("room", if: .oneOf(["\"1\""]), in: log) == .outdated(current: 3))
    #expect(await remove("room", in: log) == .done(version: 3))
    #expect(await remove("room", in: log) == .absent)
    // Never again the number of an earlier version.
    #expect(await write(try draft(days: 5), replacing: nil, in: log) == .done(version: 4))
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

  @Test func `what cannot be deleted costs no transaction`() async throws {
    let shelf = try Shelf()
    let log = try shelf.store()
    _ = await write(try draft(days: 1), replacing: nil, in: log)
    let shared = try #require(await read("room", in: log))
    _ = try LogFixture(try origin(shared), in: log)
    log.flush()
    let count = try transactionCount(shelf)

    #expect(await remove("hall", in: log) == .absent)
    #expect(await remove("room", in: log) == .inUse)
    #expect(await remove("room", if: .oneOf(["\"7\""]), in: log) == .outdated(current: 1))
    await withCheckedContinuation { continuation in
      log.feed.setCursor(CursorName("shop", namespace: nil), to: nil) { _ in continuation.resume() }
    }

    #expect(try transactionCount(shelf) == count)
  }

  @Test func `changes that wait for the store share a transaction`() async throws {
    let shelf = try Shelf()
    let log = try shelf.store()
    for name in ["a", "b"] { _ = await write(try draft(name, days: 1), replacing: nil, in: log) }
    let count = try transactionCount(shelf)
    let outcomes = Mutex<[SharedWriting]>([])
    let hold = log.queue.hold()
    for (name, version) in [("a", 1), ("c", nil), ("a", 1)] as [(String, Int?)] {
      log.write(try draft(name, days: 2), replacing: version) { outcome in
        outcomes.withLock { $0.append(outcome) }
      }
    }
    log.remove("b", if: nil) { outcome in outcomes.withLock { $0.append(outcome) } }
    log.readingQueue.drain()
    hold.signal()
    log.flush()

    #expect(
      outcomes.withLock { $0 } == [
        .done(version: 3), .done(version: 4), .outdated(current: 3), .done(version: 2),
      ])
    #expect(try transactionCount(shelf) == count + 1)
  }

  @Test func `a transaction has at most 64 changes`() async throws {
    let log = try Shelf().store()
    let count = Mutex(0)
    let hold = log.queue.hold()
    for number in 0...StoreChanges.countMax {
      log.write(try draft("room-\(number)", days: 1), replacing: nil) { _ in
        count.withLock { $0 += 1 }
      }
    }
    let after = Mutex<Int?>(nil)
    log.queue.async { after.withLock { $0 = count.withLock { $0 } } }
    hold.signal()
    log.flush()
    // The first transaction asks for the second one, maybe behind the first flush.
    log.flush()

    #expect(after.withLock { $0 } == StoreChanges.countMax, "a batch need not wait for more")
    #expect(count.withLock { $0 } == StoreChanges.countMax + 1)
  }

  /// A failover may have lost a version that the hubs of this node know.
  @Test func `a version is greater than all that this node has written`() async throws {
    let shelf = try Shelf()
    let log = try shelf.store()
    #expect(await write(try draft(days: 1), replacing: nil, in: log) == .done(version: 1))
    #expect(await write(try draft(days: 2), replacing: 1, in: log) == .done(version: 2))
    try shelf.write(
      "UPDATE shared_definition SET version = 1; UPDATE store SET shared_version = 1")
    #expect(await write(try draft(days: 3), replacing: 1, in: log) == .done(version: 3))
  }

  @Test(arguments: Engine.allCases)
  func `another definition is an event of the feed, other notes are none`(engine: Engine)
    async throws
  {
    let log = try Shelf(engine).store()
    _ = await write(try draft("shop/room", days: 1), replacing: nil, in: log)
    _ = await write(try draft("shop/room", days: 2, isReported: true), replacing: 1, in: log)
    _ = await write(try draft("shop/room", days: 2), replacing: 2, in: log)
    // Of a change that is refused, nothing is reported.
    _ = await write(try draft("shop/room", days: 3, isReported: true), replacing: 1, in: log)

    #expect(
      try await events(log.feed, namespace: "shop")
        == [#"definition.changed {"name":"room","version":2}"#])
    #expect(try await events(log.feed, namespace: "hotel") == [])
  }

  @Test(arguments: Engine.allCases)
  func `a definition that no session uses is deleted after its time`(engine: Engine) async throws {
    let shelf = try Shelf(engine)
    let log = try shelf.store(unusedSeconds: 86_400)
    func look(before end: Int64) {
      log.readingQueue.async { log.lookForUnused(before: end) }
      log.readingQueue.drain()
      log.flush()
    }
    _ = await write(try draft(days: 1), replacing: nil, in: log)
    _ = await write(try draft("hall", days: 1), replacing: nil, in: log)
    let shared = try #require(await read("room", in: log))
    let fixture = try LogFixture(try origin(shared), in: log)
    fixture.feed()
    log.flush()

    look(before: .max)
    #expect(await read("hall", in: log) == nil)
    #expect(await read("room", in: log) != nil)
    #expect(try shelf.count("SELECT count(*) FROM shared_definition WHERE unused_since > 0") == 0)

    _ = log.append(.ended(nil), of: fixture.origin.id)
    log.flush()
    look(before: 0)
    #expect(try shelf.count("SELECT count(*) FROM shared_definition WHERE unused_since > 0") == 1)
    look(before: .max)
    #expect(await read("room", in: log) == nil)
  }

  @Test func `a definition in memory that no session uses ends after its time`() async throws {
    let now = Mutex<Int64>(0)
    let store = MemorySharedDefinitions(
      unusedSeconds: 60, now: { now.withLock { $0 } }, notify: { _ in })
    let log = MemorySessionLog(shared: store)
    _ = await write(try draft(days: 1), replacing: nil, in: store)
    let shared = try #require(store.read("room"))
    now.withLock { $0 = 59_999 }
    #expect(log.append(.created(try origin(shared)), of: SessionID("s")) == .stored)
    now.withLock { $0 = 1_000_000 }
    #expect(store.read("room") != nil)
    _ = log.append(.ended(nil), of: SessionID("s"))
    now.withLock { $0 = 1_059_999 }
    #expect(store.read("room") != nil)
    now.withLock { $0 = 1_060_000 }
    #expect(log.append(.created(try origin(shared)), of: SessionID("s2")) == .failed)
    #expect(await read("room", in: store) == nil)
    #expect(await remove("room", in: store) == .absent)
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
    let change = try #require(loaded.step?.change(after: loaded.fold.version))
    #expect(change.follows?.version == 3)
    fixture.append(.revised(change))
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

/// The memory of what is counted.
private final class CountedMemory: MemoryAccount {
  let byteCount = Atomic(0)

  func add(_ byteCount: Int) { self.byteCount.add(byteCount, ordering: .relaxed) }
}
