import CivilTime
import Foundation
import PickerHub
import PickerModel
import PickerSession
import Synchronization

@testable import SessionLog

/// A store in a temporary folder or in a test database, and the notices that it has posted.
final class Shelf: Sendable {
  private let engine: Engine
  let path: String
  /// The name of the database; empty for SQLite.
  let database: String
  private let notices = Mutex<[StoreNotice]>([])
  private let isReused: Bool

  /// - Parameter isReused: Whether a later test may have the database.
  init(_ engine: Engine = .sqlite, isReused: Bool = true) throws {
    self.engine = engine
    self.isReused = isReused
    let folder = NSTemporaryDirectory() + "pickerd-store-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    path = folder + "/store.sqlite"
    database = engine == .sqlite ? "" : try TestServer.shared.acquire()
  }

  deinit {
    let folder = (path as NSString).deletingLastPathComponent
    try? FileManager.default.removeItem(atPath: folder)
    if engine == .postgres && isReused { TestServer.shared.release(database) }
  }

  func open(
    limits: SessionLimits = SessionLimits(), feedLimits: FeedLimits = FeedLimits(),
    zone: ZoneRules = .utc,
    versions: FoldVersions = FoldVersions(tzdata: "2025a"),
    pendingByteCountMax: Int = SQLiteSessionLog.pendingByteCountMax,
    storeByteCountMax: Int = .max, afterIteration: @escaping AfterIteration = { $1() },
    digest: @escaping @Sendable ([UInt8]) -> [UInt8] = { $0 }
  ) throws -> SQLiteSessionLog {
    try whenUnlocked {
      try SQLiteSessionLog(
        path: path, limits: limits, feedLimits: feedLimits, zone: { _ in zone }, digest: digest,
        versions: versions, pendingByteCountMax: pendingByteCountMax,
        storeByteCountMax: storeByteCountMax, afterIteration: afterIteration
      ) { notice in
        self.notices.withLock { $0.append(notice) }
      }
    }
  }

  /// A store that a test has released exists until its queues have ended what they do.
  private func whenUnlocked<Store>(_ open: () throws -> Store) throws -> Store {
    for _ in 0..<100 {
      do {
        return try open()
      } catch let problem as StoreProblem where problem.isLocked {
        Thread.sleep(forTimeInterval: 0.02)
      }
    }
    return try open()
  }

  /// Opens the store of this shelf's engine.
  func store(
    limits: SessionLimits = SessionLimits(), feedLimits: FeedLimits = FeedLimits(),
    zone: ZoneRules = .utc,
    versions: FoldVersions = FoldVersions(tzdata: "2025a"),
    pendingByteCountMax: Int = SQLiteSessionLog.pendingByteCountMax,
    afterIteration: @escaping AfterIteration = { $1() },
    digest: @escaping @Sendable ([UInt8]) -> [UInt8] = { $0 }
  ) throws -> any TestedStore {
    if engine == .sqlite {
      return try open(
        limits: limits, feedLimits: feedLimits, zone: zone, versions: versions,
        pendingByteCountMax: pendingByteCountMax, afterIteration: afterIteration, digest: digest)
    }
    return try PostgresSessionLog(
      TestServer.shared.address(database), limits: limits, feedLimits: feedLimits,
      zone: { _ in zone }, digest: digest, versions: versions,
      pendingByteCountMax: pendingByteCountMax, afterIteration: afterIteration
    ) { notice in
      self.notices.withLock { $0.append(notice) }
    }
  }

  func write(_ sql: String) throws {
    if engine == .postgres {
      return try TestServer.shared.connect(database).execute(script: Shelf.translated(sql))
    }
    try SQLiteConnection(path).run(script: sql)
  }

  func read<Value>(_ type: Value.Type, _ sql: String) throws -> Value?
  where Value: SQLiteValue {
    if engine == .postgres {
      let rows = try TestServer.shared.connect(database).run(Shelf.translated(sql))
      if type == Int.self { return rows.int(0, 0) as? Value }
      if type == Bool.self { return rows.bool(0, 0) as? Value }
      return rows.text(0, 0) as? Value
    }
    return try SQLiteConnection(path).value(sql)
  }

  /// SQL with the names of PostgreSQL's columns.
  private static func translated(_ sql: String) -> String {
    let names = [
      ("byteCount", "byte_count"), ("entryCount", "head"), ("hasMembers", "has_members"),
      ("isEnded = 1", "ended_at = 1"), ("x'00'", "'\\x00'"),
    ]
    return names.reduce(sql) { $0.replacing($1.0, with: $1.1) }
      .replacing(/\bplace\b/, with: "sequence")
  }

  /// Waits until the store has posted a notice that `pick` accepts.
  func notice<Found>(_ pick: (StoreNotice) -> Found?) async throws -> Found {
    for _ in 0..<12_000 {
      let posted = notices.withLock { $0 }
      if let found = posted.compactMap(pick).last { return found }
      try await Task.sleep(for: .milliseconds(5))
    }
    throw StoreProblem("the store has posted no such notice")
  }

  /// The lines that the store has posted for the log.
  var messages: [String] {
    notices.withLock { $0 }.compactMap { if case .message(let text) = $0 { text } else { nil } }
  }

  func forget() { notices.withLock { $0 = [] } }

  func loaded(
    _ id: SessionID, from log: any SessionLog, limits: SessionLimits = SessionLimits(),
    hub: Int = 0
  ) async throws -> LoadedSession? {
    forget()
    log.load(id, limits: limits, hub: hub)
    let loaded = try await notice {
      if case .loaded(id, let outcome) = $0 { .some(outcome.value) } else { nil }
    }
    if loaded == nil { for message in messages { print("not loaded: \(message)") } }
    return loaded
  }

  /// Replays a session of the store.
  func replay(
    _ id: SessionID, versions: FoldVersions = FoldVersions(tzdata: "2025a"),
    zone: ZoneRules = .utc
  ) throws -> ReplayReport {
    if engine == .sqlite {
      return try SQLiteReplay.replay(
        path, session: id, at: nil, limits: SessionLimits(), versions: versions,
        zone: { _ in zone }, each: { _ in })
    }
    return try PostgresReplay.replay(
      TestServer.shared.address(database), session: id, at: nil, limits: SessionLimits(),
      versions: versions, zone: { _ in zone }, each: { _ in })
  }
}
