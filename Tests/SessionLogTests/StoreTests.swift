import CivilTime
import Foundation
import PickerHub
import PickerModel
import PickerSession
import Synchronization
import Testing

@testable import SessionLog

@Suite(.database) struct StoreTests {
  private func store(_ session: GeneratedSession, in log: SQLSessionLog) throws {
    _ = log.append(.created(session.origin), of: session.origin.id)
    try log.own(session.origin.id)
    for entry in session.entries { _ = log.append(.entry(entry), of: session.origin.id) }
  }

  @Test func `commits are flushed to disk`() throws {
    let log = try Shelf().store()

    let level = try log.queue.sync {
      try log.connected().value("PRAGMA synchronous", as: Int.self)
    }

    #expect(level == 2)
  }

  @Test(arguments: Engine.allCases)
  func `sessions are loaded from a file unchanged`(engine: Engine) async throws {
    let shelf = try Shelf(engine)
    let sessions = try (UInt64(1)...24).map { try GeneratedSession(seed: $0) }
    var log: SQLSessionLog? = try shelf.store()
    for session in sessions { try store(session, in: log!) }
    try await shelf.close(&log)

    log = try shelf.store()

    #expect(!log!.hasLostHistory)
    #expect(Set(try log!.stored().map(\.id)) == Set(sessions.map(\.origin.id)))
    for session in sessions {
      let loaded = try #require(try await shelf.loaded(session.origin.id, from: log!))
      #expect(loaded.fold.state == session.fold.state)
      #expect(loaded.fold.history == session.fold.history)
      #expect(loaded.entryCount == session.entries.count)
    }
  }

  @Test(arguments: Engine.allCases)
  func `loaded sessions share equal definitions within a hub`(engine: Engine) async throws {
    let shelf = try Shelf(engine)
    let log = try shelf.store()
    let count = UInt64(GeneratedSession.definitions.count)
    let sessions = try [5, 5 + count, 5 + 2 * count, 6].map { try GeneratedSession(seed: $0) }
    for session in sessions { try store(session, in: log) }
    var loaded: [LoadedSession] = []
    for (session, hub) in zip(sessions, [0, 0, 1, 0]) {
      loaded.append(
        try #require(try await shelf.loaded(session.origin.id, from: log, hub: hub)))
    }

    let definitions = loaded.map(\.fold.origin.definition)
    #expect(definitions[1] === definitions[0])
    #expect(definitions[2] !== definitions[0])
    #expect(definitions[3] !== definitions[0])
    #expect(loaded.map(\.fold.state) == sessions.map(\.fold.state))
  }

  @Test(arguments: Engine.allCases)
  func `an unused loaded definition is released`(engine: Engine) async throws {
    let shelf = try Shelf(engine)
    let log = try shelf.store()
    let session = try GeneratedSession(seed: 5)
    try store(session, in: log)
    weak var definition: Definition?
    do {
      let loaded = try await shelf.loaded(session.origin.id, from: log)
      definition = try #require(loaded).fold.origin.definition
      #expect(definition != nil)
    }
    shelf.forget()

    #expect(definition == nil)
    #expect(try await shelf.loaded(session.origin.id, from: log) != nil)
  }

  @Test(arguments: Engine.allCases)
  func `a session is loaded from an idle snapshot and later entries`(engine: Engine) async throws {
    let shelf = try Shelf(engine)
    let session = try GeneratedSession(seed: 77)
    let log = try shelf.store()
    _ = log.append(.created(session.origin), of: session.origin.id)
    try log.own(session.origin.id)
    for (place, entry) in session.entries.enumerated() {
      _ = log.append(.entry(entry), of: session.origin.id)
      guard place % 9 == 8 else { continue }
      _ = log.store(
        LogSnapshot(
          epoch: session.origin.epoch, entryCount: place + 1, state: session.folds[place].state,
          picker: session.folds[place].picker, isIdle: place % 2 == 0, nextTick: nil,
          idleMilliseconds: 0), of: session.origin.id)
    }

    let loaded = try #require(try await shelf.loaded(session.origin.id, from: log))

    #expect(loaded.fold.state == session.fold.state)
    #expect(loaded.entryCount == session.entries.count)
  }

  /// A state that members never had would be worse than none.
  @Test(arguments: Engine.allCases)
  func `a session with a missing entry is not loaded, whichever is missing`(engine: Engine)
    async throws
  {
    let session = try GeneratedSession(seed: 77)
    let count = session.entries.count
    for (missing, problem) in [
      ("1", "entry 1 of session"), ("7", "entry 7 of session"),
      ("(SELECT max(sequence) FROM entry)", "has \(count - 1) of \(count) entries"),
    ] {
      let shelf = try Shelf(engine)
      let log = try shelf.store()
      try store(session, in: log)
      log.flush()

      try shelf.write("DELETE FROM entry WHERE sequence = \(missing)")

      #expect(try await shelf.loaded(session.origin.id, from: log) == nil)
      #expect(shelf.messages.contains { $0.contains(problem) })
    }
  }

  @Test(arguments: Engine.allCases)
  func `records of one event-loop iteration are one batch`(engine: Engine) async throws {
    let shelf = try Shelf(engine)
    let turns = Mutex<[@Sendable () -> Void]>([])
    let log = try shelf.store { work in turns.withLock { $0.append(work) } }

    for seed in UInt64(1)...8 {
      let session = try GeneratedSession(seed: seed)
      _ = log.append(.created(session.origin), of: session.origin.id)
      for entry in session.entries { _ = log.append(.entry(entry), of: session.origin.id) }
    }
    #expect(turns.withLock { $0.count } == 1)
    for turn in turns.withLock({ $0 }) { turn() }
    log.flush()

    #expect(log.batchCount == 1)
  }

  @Test func `a batch of many sessions writes few pages`() throws {
    let turns = Mutex<[@Sendable () -> Void]>([])
    let log = try Shelf().store { work in turns.withLock { $0.append(work) } }
    let origins = try (UInt64(1)...300).map { try GeneratedSession(seed: $0).origin }
    let entry = try #require(try GeneratedSession(seed: 1).entries.last)
    for origin in origins {
      _ = log.append(.created(origin), of: origin.id)
      for _ in 0..<20 { _ = log.append(.entry(entry), of: origin.id) }
    }
    log.flush()
    let checkpoint = { (mode: SQLiteCheckpoint.Mode) in
      try log.queue.sync {
        try SQLiteCheckpoint(mode, try #require(log.connected() as? SQLiteConnection))
      }
    }
    // The journal also has the pages of the batches before.
    _ = try checkpoint(.truncate)

    for origin in origins { _ = log.append(.entry(entry), of: origin.id) }
    for turn in turns.withLock({ $0 }) { turn() }
    let pageCount = try checkpoint(.passive)?.frameCount

    #expect(try #require(pageCount) < 200)
  }

  @Test(arguments: Engine.allCases)
  func `an ended session has no rows`(engine: Engine) throws {
    let shelf = try Shelf(engine)
    let log = try shelf.store()
    let session = try GeneratedSession(seed: 5)
    try store(session, in: log)
    _ = log.append(.ended(nil), of: session.origin.id)
    log.flush()

    let rows = "SELECT (SELECT count(*) FROM session) + (SELECT count(*) FROM entry)"
    #expect(try shelf.count(rows) == 0)
  }

  @Test func `a second store on one file is refused`() throws {
    let shelf = try Shelf()
    let log = try shelf.store()

    #expect(throws: StoreProblem.self) { try shelf.store(patience: .zero) }
    withExtendedLifetime(log) {}
  }
}
