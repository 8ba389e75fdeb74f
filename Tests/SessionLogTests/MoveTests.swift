import CivilTime
import PickerHub
import PickerModel
import PickerSession
import Testing

@testable import SessionLog

/// Moving an SQLite store to a database.
@Suite(.database) struct MoveTests {
  private func feed(_ log: SQLSessionLog) async throws -> [String] {
    let request = FeedRequest(after: 0, types: nil, countMax: 1000)
    let page = try await withCheckedContinuation { continuation in
      log.feed.read(request) { continuation.resume(returning: $0) }
    }.get()
    return page.lines.map { String(decoding: $0.json, as: UTF8.self) }
  }

  private func list(_ log: any SessionLog) async throws -> [SessionIndex.Entry] {
    let query = SessionListQuery(external: nil, status: nil, after: -1, limit: 100)
    let found = await withCheckedContinuation { continuation in
      log.list(query, hub: 0) { continuation.resume(returning: $0) }
    }
    guard case .found(let page) = found else { throw StoreProblem("the list cannot be read") }
    return page.sessions
  }

  /// A store with sessions of all kinds, one of which has a definition, snapshots and events.
  private func fill(_ log: SQLSessionLog) throws -> (LogFixture, [GeneratedSession]) {
    let fixture = try LogFixture(in: log)
    fixture.join("m_1")
    let second = try Definition.make(
      from: .object([
        .init("kind", .string("columns")),
        .init("columns", .array([.array([.string("x"), .string("y"), .string("z")])])),
      ])
    ) { _ in .utc }
    fixture.append(
      .revised(.init(definition: .init(version: 2, definition: second, source: .whole))))
    for _ in 0..<3 {
      fixture.tap(400, by: "m_1")
      fixture.refuse(10, by: "m_1")
      fixture.change()
      fixture.change()
      fixture.feed()
      fixture.snapshot()
    }
    let sessions = try (UInt64(1)...12).map { try GeneratedSession(seed: $0) }
    for session in sessions {
      var origin = session.origin
      if session.origin.id == sessions[0].origin.id { origin.key = Self.key(of: origin.id) }
      _ = log.append(.created(origin), of: session.origin.id)
      try log.own(session.origin.id)
      for entry in session.entries { _ = log.append(.entry(entry), of: session.origin.id) }
    }
    log.flush()
    return (fixture, sessions)
  }

  private static func key(of session: SessionID) -> CreationKey {
    CreationKey(
      keyHash: [7], bodyHash: [2], session: session, epoch: "first", salt: "salt",
      at: Instant(milliseconds: SQLSessionLog.now))
  }

  @Test func `a moved store has the same sessions, feed, names and keys`() async throws {
    let (old, new) = (try Shelf(), try Shelf(.postgres))
    var log: SQLSessionLog? = try old.store()
    let (fixture, sessions) = try fill(log!)
    let (events, epoch) = (try await feed(log!), log!.feed.epoch)
    fixture.closeLog()
    try await old.close(&log)

    #expect(try StoreMove.move(from: old.path, to: new.address) == 13)

    let moved = try new.store()
    #expect(try !moved.hasLostHistory && moved.stored().count == 13)
    #expect(try await feed(moved) == events && moved.feed.epoch == epoch)
    let loaded = try #require(try await new.loaded(fixture.origin.id, from: moved))
    #expect(loaded.fold.state == fixture.fold.state && loaded.fold.origin.epoch == "first")
    #expect(loaded.fold.history.map(\.revision) == fixture.fold.history.map(\.revision))
    #expect(loaded.entryCount == fixture.entryCount && loaded.missed.isEmpty)
    for session in sessions {
      let loaded = try #require(try await new.loaded(session.origin.id, from: moved))
      #expect(loaded.fold.state == session.fold.state)
    }
    let outcome = await withCheckedContinuation { done in
      moved.find(SessionIndex.Names(external: nil, key: [7]), hub: 0) { done.resume(returning: $0) }
    }
    guard case .found(.key(let key)) = outcome else { throw StoreProblem("the key is missing") }
    #expect(key.session == sessions[0].origin.id && key.bodyHash == [2] && key.salt == "salt")
    let listed = try await list(moved)
    #expect(
      listed.compactMap(\.external).sorted()
        == sessions.compactMap(\.origin.host.external).sorted())
    #expect(listed.count == 13 && listed.allSatisfy { $0.status != nil })
  }

  @Test func `an interrupted move is refused by a server, and continued`() async throws {
    let (old, new) = (try Shelf(), try Shelf(.postgres))
    var log: SQLSessionLog? = try old.store()
    let (fixture, _) = try fill(log!)
    fixture.closeLog()
    try await old.close(&log)
    _ = try StoreMove.move(from: old.path, to: new.address)
    #expect(throws: StoreProblem.self) { try StoreMove.move(from: old.path, to: new.address) }
    let batch = try #require(try old.read(Int.self, "SELECT batch FROM store"))
    let epoch = try #require(try old.read(String.self, "SELECT epoch FROM feed"))
    // As if the move had been killed.
    try new.write(
      "DELETE FROM session WHERE id = 's'; UPDATE store SET moving_from = '\(epoch)/\(batch)'")

    #expect(throws: StoreProblem.self) { try new.store() }
    #expect(try StoreMove.move(from: old.path, to: new.address) == 13)

    let loaded = try await new.loaded(fixture.origin.id, from: try new.store())
    #expect(loaded?.fold.state == fixture.fold.state)
  }

  @Test func `a move begins again when the store was served meanwhile`() async throws {
    let (old, new) = (try Shelf(), try Shelf(.postgres))
    var log: SQLSessionLog? = try old.store()
    let (fixture, _) = try fill(log!)
    #expect(throws: StoreProblem.self) { try StoreMove.move(from: old.path, to: new.address) }
    fixture.closeLog()
    try await old.close(&log)
    _ = try StoreMove.move(from: old.path, to: new.address)
    try new.write("UPDATE store SET moving_from = 'older'; UPDATE session SET entry_count = 0")

    _ = try StoreMove.move(from: old.path, to: new.address)

    let loaded = try await new.loaded(fixture.origin.id, from: try new.store())
    #expect(loaded?.entryCount == fixture.entryCount)
  }

  @Test func `a served backup has the sessions under new epochs, and the feed with another one`()
    async throws
  {
    let (shelf, copy) = (try Shelf(), try Shelf())
    let log = try shelf.store()
    let (fixture, sessions) = try fill(log)
    let copied = try SQLiteBackup(of: shelf.path).copy(to: copy.path, isForced: false)
    #expect(copied.sessionCount == 13)

    let served = try copy.store()

    #expect(served.hasLostHistory && served.feed.epoch != log.feed.epoch)
    #expect(served.ticketKey != log.ticketKey)
    #expect(try await feed(served) == feed(log))
    let loaded = try #require(try await copy.loaded(fixture.origin.id, from: served))
    #expect(loaded.fold.state == fixture.fold.state && loaded.fold.origin.epoch != "first")
    for session in sessions {
      let loaded = try #require(try await copy.loaded(session.origin.id, from: served))
      #expect(loaded.fold.state == session.fold.state)
    }
  }
}
