import CivilTime
import Foundation
import PickerHub
import PickerModel
import PickerSession
import Synchronization

@testable import SessionLog

/// The databases that have the same tests.
enum Engine: CaseIterable, Sendable { case sqlite, postgres }

/// A store in a temporary folder or in a test database, and the notices that it has posted.
final class Shelf: Sendable {
  let engine: Engine
  let path: String
  /// The name of the database; empty for SQLite.
  let database: String
  private let posted = Posted()
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

  var address: PostgresAddress { get throws { try TestServer.shared.address(database) } }

  func store(
    limits: SessionLimits = SessionLimits(), feedLimits: FeedLimits = FeedLimits(),
    zone: ZoneRules = .utc,
    versions: FoldVersions = FoldVersions(tzdata: "2025a"),
    pendingByteCountMax: Int = SQLSessionLog.pendingByteCountMax,
    storeByteCountMax: Int = .max, afterIteration: @escaping AfterIteration = { $0() },
    digest: @escaping @Sendable ([UInt8]) -> [UInt8] = { $0 },
    unusedSeconds: Int? = nil, patience: Duration = hung
  ) throws -> SQLSessionLog {
    var settings = SQLSessionLog.Settings(
      zone: { _ in zone }, digest: digest, notify: { self.posted.add($0) })
    (settings.limits, settings.feedLimits, settings.versions) = (limits, feedLimits, versions)
    settings.pendingByteCountMax = pendingByteCountMax
    (settings.storeByteCountMax, settings.unusedSeconds) = (storeByteCountMax, unusedSeconds)
    settings.afterIteration = afterIteration
    switch engine {
    case .sqlite: return try whenUnlocked(patience) { try SQLSessionLog(file: path, settings) }
    case .postgres: return try SQLSessionLog(database: address, settings)
    }
  }

  /// A store that a test has released exists until its queues have ended what they do.
  private func whenUnlocked<Store>(
    _ patience: Duration, _ open: () throws -> Store
  ) throws -> Store {
    let begin = ContinuousClock.now
    while true {
      do {
        return try open()
      } catch let problem as StoreProblem
        where problem.isLocked && begin.duration(to: .now) < patience
      {
        Thread.sleep(forTimeInterval: 0.02)
      }
    }
  }

  /// Closes a store, and waits until its queues have ended what they do.
  func close(_ log: inout SQLSessionLog?) async throws {
    log?.close()
    weak let rest = log
    log = nil
    try await wait(for: "the end of the store") { rest == nil }
  }

  /// A connection of its own.
  func connect() throws -> any SQLConnection {
    switch engine {
    case .sqlite: try SQLiteConnection(path)
    case .postgres: try TestServer.shared.connect(database)
    }
  }

  func write(_ sql: String) throws { try connect().run(script: sql) }

  func read<Value: SQLValue>(_ type: Value.Type, _ sql: String) throws -> Value? {
    try connect().value(sql)
  }

  func count(_ sql: String) throws -> Int { try read(Int.self, sql) ?? 0 }

  /// SQL for so many bytes of 0.
  func zeros(_ count: Int) -> String {
    switch engine {
    case .sqlite: "zeroblob(\(count))"
    case .postgres: "decode(repeat('00', \(count)), 'hex')"
    }
  }

  /// Waits until the store has posted a notice that `pick` accepts.
  func notice<Found>(_ pick: (StoreNotice) -> Found?) async throws -> Found {
    try await posted.wait(for: "such a notice", pick)
  }

  /// The lines that the store has posted for the log.
  var messages: [String] { posted.all { if case .message(let text) = $0 { text } else { nil } } }

  func forget() { posted.forget() }

  func all<Found>(_ pick: (StoreNotice) -> Found?) -> [Found] { posted.all(pick) }

  /// Loads a session. That of a store that a test has released can be claimed when the database has
  /// noticed the end of its connection.
  func loaded(
    _ id: SessionID, from log: SQLSessionLog, limits: SessionLimits = SessionLimits(), hub: Int = 0
  ) async throws -> LoadedSession? {
    let begin = ContinuousClock.now
    while begin.duration(to: .now) < hung {
      forget()
      log.load(id, limits: limits, hub: hub)
      let outcome = try await notice {
        if case .loaded(id, let outcome) = $0 { outcome } else { nil }
      }
      guard case .elsewhere = outcome else { return outcome.value }
      try await Task.sleep(for: .milliseconds(50))
    }
    throw StoreProblem("another node owns session \(id)")
  }

  /// Replays a session of the store.
  func replay(
    _ id: SessionID, versions: FoldVersions = FoldVersions(tzdata: "2025a"), zone: ZoneRules = .utc
  ) throws -> ReplayReport {
    let settings = SQLReplay.Settings(
      revision: nil, limits: SessionLimits(), versions: versions, zone: { _ in zone },
      each: { _ in })
    switch engine {
    case .sqlite: return try SQLReplay.replay(file: path, id, settings)
    case .postgres: return try SQLReplay.replay(database: address, id, settings)
    }
  }
}

/// The notices of a store, in order.
final class Posted: Sendable {
  private let notices = Mutex<[StoreNotice]>([])

  func add(_ notice: StoreNotice) {
    switch notice {
    case .run(_, let work), .runInHub(_, let work): work()
    default: notices.withLock { $0.append(notice) }
    }
  }

  func all<Found>(_ pick: (StoreNotice) -> Found?) -> [Found] {
    notices.withLock { $0 }.compactMap(pick)
  }

  /// Waits until a notice was posted that `pick` accepts, and returns the last of them.
  @discardableResult
  func wait<Found>(for what: String, _ pick: (StoreNotice) -> Found?) async throws -> Found {
    try await found(what) { all(pick).last }
  }

  func forget() { notices.withLock { $0 = [] } }
}

/// Only a hung process takes as long, however busy the machine is. `PATIENCE` sets other seconds, as
/// for the product's tests.
let hung = Duration.seconds(
  ProcessInfo.processInfo.environment["PATIENCE"].flatMap(Int.init) ?? 600)

/// Waits until a condition holds that no notice reports.
func wait(for what: String, _ holds: () throws -> Bool) async throws {
  _ = try await found(what) { try holds() ? true : nil }
}

/// Waits until there is a value.
func found<Found>(_ what: String, _ find: () throws -> Found?) async throws -> Found {
  let begin = ContinuousClock.now
  while begin.duration(to: .now) < hung {
    if let found = try find() { return found }
    try await Task.sleep(for: .milliseconds(5))
  }
  throw StoreProblem("not within \(hung): \(what)")
}

extension SQLSessionLog {
  /// Whether any log has reached its maximum size.
  var hasFullLog: Bool { state.withLock { !$0.full.isEmpty } }

  /// The sessions of the store that have not ended.
  func stored() throws -> [DormantSession] {
    try engine.read { [clockDoubt] connection in
      try connection.rows("SELECT \(DormantSession.columns) FROM session WHERE NOT ended") {
        try DormantSession($0, clockDoubt, at: SQLSessionLog.now)
      }
    }
  }
}
