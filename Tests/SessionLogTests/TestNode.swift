import CivilTime
import PickerHub
import PickerSession
import Synchronization
import Testing

@testable import SessionLog

/// A node of a cluster, with one session in memory.
final class TestNode: Sendable {
  private final class Posted: Sendable {
    let notices = Mutex<[StoreNotice]>([])
  }

  private let posted = Posted()
  let log: PostgresSessionLog
  let session: SessionID

  init(_ shelf: Shelf, session: String = "s", at address: PostgresAddress? = nil) throws {
    self.session = SessionID(session)
    log = try PostgresSessionLog(
      address ?? TestServer.shared.address(shelf.database), zone: { _ in .utc }, digest: { $0 },
      versions: FoldVersions(tzdata: "2025a")
    ) { [posted] notice in
      if case .run(_, let body) = notice { body() }
      if case .runInHub(_, let body) = notice { body() }
      posted.notices.withLock { $0.append(notice) }
    }
  }

  /// The notices about the session, in order.
  func all<Found>(_ pick: (StoreNotice) -> Found?) -> [Found] {
    posted.notices.withLock { $0 }.compactMap(pick)
  }

  /// Waits until a notice was posted that `pick` accepts.
  @discardableResult
  func wait<Found>(for what: String, _ pick: (StoreNotice) -> Found?) async throws -> Found {
    for _ in 0..<12_000 {
      if let found = all(pick).last { return found }
      try await Task.sleep(for: .milliseconds(5))
    }
    throw StoreProblem("no notice: \(what)")
  }

  func load() async throws -> LoadedSession {
    posted.notices.withLock { $0 = [] }
    log.load(session, limits: SessionLimits(), hub: 0)
    return try await loaded()
  }

  /// Waits for the end of a load.
  func loaded() async throws -> LoadedSession {
    let loaded = try await wait(for: "loaded") { notice in
      if case .loaded(self.session, let outcome) = notice { outcome } else { nil }
    }
    return try #require(loaded.value)
  }

  func append(_ body: LogEntry.Body, at milliseconds: Int64 = 1_542_938_400_000) {
    let entry = LogEntry(at: Instant(milliseconds: milliseconds), body: body)
    #expect(log.append(.entry(entry), of: session) == .pending)
  }

  /// The records that were reported since the load, one by one.
  var records: [CommittedRecord] {
    all { notice -> [CommittedRecord]? in
      guard case .committed(let parts) = notice else { return nil }
      return parts.filter { $0.session == self.session }.flatMap { part in
        switch part.records {
        case .own(let count): [CommittedRecord](repeating: .own, count: count)
        case .mixed(let records): records
        }
      }
    }.flatMap(\.self)
  }

  /// Waits until so many records were reported.
  func records(_ count: Int) async throws -> [CommittedRecord] {
    try await wait(for: "\(count) records, now \(records.count)") { _ in
      self.records.count >= count ? self.records : nil
    }
  }

  /// The refs of the reported commands: own ones in the order of their appends.
  func refs(_ count: Int, own: [Int]) async throws -> [Int] {
    var own = own[...]
    return try await records(count).compactMap { record in
      switch record {
      case .own: own.popFirst()
      case .foreign(let entry):
        if case .command(_, let ref, _, _) = entry.body { ref } else { nil }
      case .refused, .foreignEnd: nil
      }
    }
  }
}

extension TestNode {
  /// Two nodes that have a session with a member in memory; the first one has created it.
  static func pair(_ shelf: Shelf) async throws -> (TestNode, TestNode, LogFixture) {
    let (one, two) = (try TestNode(shelf), try TestNode(shelf))
    for _ in 0..<3000 where one.log.follower.isAlone || two.log.follower.isAlone {
      try await Task.sleep(for: .milliseconds(20))
    }
    let fixture = try LogFixture(in: one.log)
    fixture.join("m_1")
    fixture.feed()
    one.log.flush()
    _ = try await one.load()
    #expect(try await two.load().entryCount == 1)
    try await TestNode.share(one, two)
    return (one, two, fixture)
  }

  /// Announces that both nodes have the session in memory, as their hubs do, and waits until they
  /// know it.
  static func share(_ one: TestNode, _ two: TestNode) async throws {
    two.log.announce(.serving, of: two.session)
    one.log.announce(.present([]), of: one.session)
    func isKnown(_ node: TestNode) -> Bool { node.log.reports.use { $0.isShared(node.session) } }
    for _ in 0..<3000 where !isKnown(one) || !isKnown(two) {
      try await Task.sleep(for: .milliseconds(20))
    }
    for node in [one, two] { node.posted.notices.withLock { $0 = [] } }
  }
}

/// Waits until a condition holds that no notice reports.
func wait(for what: String, _ holds: () throws -> Bool) async throws {
  for _ in 0..<3000 {
    if try holds() { return }
    try await Task.sleep(for: .milliseconds(20))
  }
  throw StoreProblem("not within 60 s: \(what)")
}
