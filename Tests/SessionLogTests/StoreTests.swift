import CivilTime
import Foundation
import GRDB
import PickerHub
import PickerModel
import PickerSession
import Synchronization
import Testing

@testable import SessionLog

/// A store in a temporary folder, and the notices that it has posted.
final class Shelf: Sendable {
  let path: String
  private let notices = Mutex<[StoreNotice]>([])

  init() throws {
    let folder = NSTemporaryDirectory() + "pickerd-store-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    path = folder + "/store.sqlite"
  }

  deinit {
    let folder = (path as NSString).deletingLastPathComponent
    try? FileManager.default.removeItem(atPath: folder)
  }

  func open(
    limits: SessionLimits = SessionLimits(), feedLimits: FeedLimits = FeedLimits(),
    zone: ZoneRules = .utc,
    versions: FoldVersions = FoldVersions(tzdata: "2025a"),
    pendingByteCountMax: Int = SQLiteSessionLog.pendingByteCountMax,
    afterIteration: @escaping AfterIteration = { $1() },
    digest: @escaping @Sendable ([UInt8]) -> [UInt8] = { $0 }
  ) throws -> SQLiteSessionLog {
    try SQLiteSessionLog(
      path: path, limits: limits, feedLimits: feedLimits, zone: { _ in zone }, digest: digest,
      versions: versions,
      pendingByteCountMax: pendingByteCountMax, afterIteration: afterIteration
    ) { notice in
      self.notices.withLock { $0.append(notice) }
    }
  }

  func write(_ sql: String) throws {
    let queue = try DatabaseQueue(path: path)
    try queue.writeWithoutTransaction { try $0.execute(sql: sql) }
    try queue.close()
  }

  /// Creates the file from a dump of an older one.
  func write(golden name: String) throws {
    let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    try write(String(contentsOf: tests.appending(path: "golden/\(name)"), encoding: .utf8))
  }

  /// Waits until the store has posted a notice that `pick` accepts.
  func notice<Found>(_ pick: (StoreNotice) -> Found?) async throws -> Found {
    for _ in 0..<2000 {
      let posted = notices.withLock { $0 }
      if let found = posted.compactMap(pick).last { return found }
      try await Task.sleep(for: .milliseconds(5))
    }
    throw StoreProblem("the store has posted no such notice")
  }

  func forget() { notices.withLock { $0 = [] } }

  func read<Value>(_ type: Value.Type, _ sql: String) throws -> Value?
  where Value: DatabaseValueConvertible {
    let queue = try DatabaseQueue(path: path)
    return try queue.read { try Value.fetchOne($0, sql: sql) }
  }

  func loaded(
    _ id: SessionID, from log: SQLiteSessionLog, limits: SessionLimits = SessionLimits(),
    hub: Int = 0
  ) async throws -> LoadedSession? {
    forget()
    log.load(id, limits: limits, hub: hub)
    return try await notice { if case .loaded(id, let loaded) = $0 { .some(loaded) } else { nil } }
  }
}

@Suite struct StoreTests {
  private func store(_ session: GeneratedSession, in log: SQLiteSessionLog) {
    _ = log.append(.created(session.origin), of: session.origin.id)
    for entry in session.entries { _ = log.append(.entry(entry), of: session.origin.id) }
  }

  @Test func `commits are flushed to disk`() throws {
    let log = try Shelf().open()

    let level = try log.pool.writeWithoutTransaction { database in
      try Int.fetchOne(database, sql: "PRAGMA synchronous")
    }

    #expect(level == 2)
  }

  @Test func `sessions are loaded from a file unchanged`() async throws {
    let shelf = try Shelf()
    let sessions = try (UInt64(1)...24).map { try GeneratedSession(seed: $0) }
    var log: SQLiteSessionLog? = try shelf.open()
    for session in sessions { store(session, in: log!) }
    log!.flush()
    log = nil

    log = try shelf.open()

    #expect(!log!.hasLostHistory)
    #expect(Set(log!.restored.map(\.id)) == Set(sessions.map(\.origin.id)))
    for session in sessions {
      let loaded = try #require(try await shelf.loaded(session.origin.id, from: log!))
      #expect(loaded.fold.state == session.fold.state)
      #expect(loaded.fold.history == session.fold.history)
      #expect(loaded.entryCount == session.entries.count)
    }
  }

  @Test func `loaded sessions share equal definitions within a hub`() async throws {
    let shelf = try Shelf()
    let log = try shelf.open()
    let count = UInt64(GeneratedSession.definitions.count)
    let sessions = try [5, 5 + count, 5 + 2 * count, 6].map { try GeneratedSession(seed: $0) }
    for session in sessions { store(session, in: log) }
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

  @Test func `an unused loaded definition is released`() async throws {
    let shelf = try Shelf()
    let log = try shelf.open()
    let session = try GeneratedSession(seed: 5)
    store(session, in: log)
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

  @Test func `a session is loaded from an idle snapshot and later entries`() async throws {
    let shelf = try Shelf()
    let session = try GeneratedSession(seed: 77)
    let log = try shelf.open()
    _ = log.append(.created(session.origin), of: session.origin.id)
    for (place, entry) in session.entries.enumerated() {
      _ = log.append(.entry(entry), of: session.origin.id)
      guard place % 9 == 8 else { continue }
      _ = log.store(
        LogSnapshot(
          entryCount: place + 1, state: session.folds[place].state, isIdle: place % 2 == 0,
          nextTick: nil, idleMilliseconds: 0), of: session.origin.id)
    }

    let loaded = try #require(try await shelf.loaded(session.origin.id, from: log))

    #expect(loaded.fold.state == session.fold.state)
    #expect(loaded.entryCount == session.entries.count)
  }

  @Test func `records of one event-loop iteration are one batch`() async throws {
    let shelf = try Shelf()
    let turns = Mutex<[@Sendable () -> Void]>([])
    let log = try shelf.open { _, work in turns.withLock { $0.append(work) } }

    for seed in UInt64(1)...30 { store(try GeneratedSession(seed: seed), in: log) }
    #expect(turns.withLock { $0.count } == 1)
    for turn in turns.withLock({ $0 }) { turn() }
    log.flush()

    #expect(log.batchCount == 1)
  }

  @Test func `a batch of many sessions writes few pages`() throws {
    let turns = Mutex<[@Sendable () -> Void]>([])
    let log = try Shelf().open { _, work in turns.withLock { $0.append(work) } }
    let origins = try (UInt64(1)...300).map { try GeneratedSession(seed: $0).origin }
    let entry = try #require(try GeneratedSession(seed: 1).entries.last)
    for origin in origins {
      _ = log.append(.created(origin), of: origin.id)
      for _ in 0..<20 { _ = log.append(.entry(entry), of: origin.id) }
    }
    log.flush()

    for origin in origins { _ = log.append(.entry(entry), of: origin.id) }
    for turn in turns.withLock({ $0 }) { turn() }
    let pageCount = try log.queue.sync {
      try log.pool.writeWithoutTransaction { database in
        try Row.fetchOne(database, sql: "PRAGMA wal_checkpoint(PASSIVE)")?[1] as Int?
      }
    }

    #expect(try #require(pageCount) < 200)
  }

  @Test func `an ended session has no rows`() throws {
    let log = try Shelf().open()
    let session = try GeneratedSession(seed: 5)
    store(session, in: log)
    _ = log.append(.ended(nil), of: session.origin.id)
    log.flush()

    let count = try log.pool.read { database in
      try Int.fetchOne(
        database, sql: "SELECT (SELECT count(*) FROM session) + (SELECT count(*) FROM entry)")
    }

    #expect(count == 0)
  }

  @Test func `a second store on one file is refused`() throws {
    let shelf = try Shelf()
    let log = try shelf.open()

    #expect(throws: StoreProblem.self) { try shelf.open() }
    withExtendedLifetime(log) {}
  }

  @Test func `a file of the first schema opens`() async throws {
    let shelf = try Shelf()
    try shelf.write(golden: "store-schema-1.sql")

    let log = try shelf.open()

    let restored = try #require(log.restored.first)
    let loaded = try #require(try await shelf.loaded(restored.id, from: log))
    #expect(log.restored.count == 1 && loaded.fold.origin.epoch == "FirstEpoch")
    #expect(loaded.fold.revision == 3)
    #expect(loaded.fold.membersInOrder.map(\.name) == ["Ana"])
    #expect(loaded.fold.picker.value == .keys(["Linux"]))
  }

  @Test func `a session of an older schema is in the list, with a status not known yet`() throws {
    let shelf = try Shelf()
    try shelf.write(golden: "store-schema-1.sql")

    let names = try shelf.open().restoredNames

    let listed = SessionIndex.Entry(
      id: SessionID("FirstSession"), ordinal: 1, external: nil, status: nil)
    #expect(names.entries == [listed] && names.keys.isEmpty)
  }
}
