import CivilTime
import PickerHub
import PickerModel
import PickerSession
import Testing

@testable import SessionLog

/// A node of a cluster, and what its log has reported about one session.
final class TestNode: Sendable {
  let posted = Posted()
  let log: SQLSessionLog
  let session: SessionID
  /// Its number, with which it has registered first.
  let number: Int64
  private let server: TestServer
  private let database: String

  init(
    _ database: String, session: String = "s", address: String? = nil,
    at server: TestServer = .shared, versions: FoldVersions = FoldVersions(tzdata: "2025a"),
    keyCountMax: Int? = nil, waitTime: Duration = .seconds(10)
  ) throws {
    self.session = SessionID(session)
    (self.server, self.database) = (server, database)
    var settings = SQLSessionLog.Settings(
      zone: { _ in .utc }, digest: { $0 }, notify: { [posted] in posted.add($0) })
    (settings.versions, settings.nodeAddress) = (versions, address)
    (settings.keyCountMax, settings.waitTime) = (keyCountMax, waitTime)
    let log = try SQLSessionLog(database: server.address(database), settings)
    self.log = log
    number = log.queue.sync { log.ownership?.node ?? 0 }
  }

  /// Creates the session with one member.
  @discardableResult
  func create() throws -> LogFixture {
    let fixture = try LogFixture(in: log, id: session.text)
    fixture.join("m_1")
    fixture.feed()
    log.flush()
    return fixture
  }

  /// Claims and loads the session.
  func claim() async throws -> LogLookup<LoadedSession> {
    posted.forget()
    log.load(session, limits: SessionLimits(), hub: 0)
    return try await posted.wait(for: "loaded") {
      if case .loaded(self.session, let outcome) = $0 { outcome } else { nil }
    }
  }

  /// As ``claim()``, when the database has noticed that its owner has ended.
  func load() async throws -> LoadedSession {
    let begin = ContinuousClock.now
    while begin.duration(to: .now) < hung {
      if let loaded = try await claim().value { return loaded }
      try await Task.sleep(for: .milliseconds(50))
    }
    throw StoreProblem("another node owns session \(session)")
  }

  func append(_ body: LogEntry.Body, at milliseconds: Int64 = 1_542_938_400_000) {
    let entry = LogEntry(at: Instant(milliseconds: milliseconds), body: body)
    #expect(log.append(.entry(entry), of: session) == .pending)
  }

  /// Appends a command that changes nothing.
  func command(_ ref: Int) { append(.command(MemberID("m_1"), ref: ref, .act(.clear))) }

  /// The number of records of the session that were reported as committed, since the last claim.
  var committedCount: Int {
    posted.all { notice -> Int? in
      guard case .committed(let parts) = notice else { return nil }
      return parts.filter { $0.session == session }.reduce(0) { $0 + $1.count }
    }.reduce(0, +)
  }

  func waitForCommitted(_ count: Int) async throws {
    try await wait(for: "\(count) records") { committedCount >= count }
    #expect(committedCount == count)
  }

  var lost: [SessionID] {
    posted.all { if case .lost(let sessions) = $0 { sessions } else { nil } }.flatMap(\.self)
  }

  /// The lines for the log.
  var messages: [String] { posted.all { if case .message(let text) = $0 { text } else { nil } } }

  var taken: [SessionID] {
    posted.all { if case .taken(let sessions) = $0 { sessions } else { nil } }.flatMap(\.self)
  }

  /// The sessions that it has claimed by itself.
  var orphans: [SessionID] {
    posted.all { if case .orphaned(let sessions) = $0 { sessions.map(\.id) } else { nil } }
      .flatMap(\.self)
  }

  /// Ends its writing connection at the server. Returns when its lock is free.
  func cut() throws {
    try server.connect(database).run(
      """
      SELECT count(pg_terminate_backend(pid, 5000)) FROM pg_locks
      WHERE locktype = 'advisory' AND objsubid = 2 AND objid::bigint = $1
        AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
      """, [number])
  }
}
