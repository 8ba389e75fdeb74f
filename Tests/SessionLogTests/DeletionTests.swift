import CivilTime
import Foundation
import PickerHub
import PickerSession
import Testing

@testable import SessionLog

/// Deletion of long logs in batches.
@Suite(.database) struct DeletionTests {
  private let total = """
    SELECT (SELECT count(*) FROM session) + (SELECT count(*) FROM entry)
      + (SELECT count(*) FROM snapshot)
    """

  private func end(_ fixture: LogFixture, _ log: any TestedStore) {
    #expect(log.append(.ended(nil), of: fixture.origin.id) == .pending)
    log.flush()
  }

  /// Waits until all rows of the session are deleted.
  private func waitUntilEmpty(_ shelf: Shelf) async throws {
    for _ in 0..<12_000 {
      if try shelf.read(Int.self, total) == 0 { return }
      try await Task.sleep(for: .milliseconds(5))
    }
    Issue.record("all rows are deleted")
  }

  @Test(arguments: Engine.allCases)
  func `a deleted long log is unavailable immediately, and its rows are deleted in batches`(
    engine: Engine
  )
    async throws
  {
    let shelf = try Shelf(engine)
    let log = try shelf.store()
    let fixture = try LogFixture(in: log)
    fixture.join("m_1")
    fixture.tap(3500, by: "m_1")
    fixture.snapshot()

    log.flush()
    let hold = log.historyQueue.hold()
    end(fixture, log)
    let left = try #require(try shelf.read(Int.self, "SELECT count(*) FROM entry"))
    hold.signal()

    #expect(left >= 2501)
    #expect(try await shelf.loaded(fixture.origin.id, from: log) == nil)
    #expect(throws: ReplayProblem.self) {
      try shelf.replay(fixture.origin.id, versions: FoldVersions(tzdata: nil), zone: .utc)
    }
    try await waitUntilEmpty(shelf)
  }

  @Test(arguments: Engine.allCases)
  func `rows of ended sessions are deleted after a restart`(engine: Engine) async throws {
    let shelf = try Shelf(engine)
    var log: (any TestedStore)? = try shelf.store()
    let fixture = try LogFixture(in: log!)
    fixture.join("m_1")
    fixture.tap(1500, by: "m_1")
    log!.flush()
    fixture.closeLog()
    log = nil
    try shelf.write("UPDATE session SET isEnded = 1")

    log = try shelf.store()

    #expect(try log!.stored().isEmpty)
    try await waitUntilEmpty(shelf)
  }
}

/// Expiry after a start with an implausible clock.
@Suite(.database) struct ClockDoubtTests {
  private let day: Int64 = 86_400_000

  private func session(_ shelf: Shelf, written: Int64, active: Int64) throws {
    let log = try shelf.store()
    _ = try LogFixture(in: log)
    log.flush()
    let now = "CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER)"
    try shelf.write(
      """
      UPDATE session SET ttlSeconds = 60, activeAt = \(now) - \(active);
      UPDATE store SET writtenAt = \(now) - \(written)
      """)
  }

  @Test func `sessions live for an hour if the clock is a year ahead`() throws {
    let shelf = try Shelf()
    try session(shelf, written: 365 * day, active: 365 * day)

    let log = try shelf.open()
    let restored = try #require(log.restored.first)
    let left = Int64(restored.ttlSeconds) * 1000 - restored.idleMilliseconds

    #expect(left == 3_600_000)
    let fixture = try LogFixture(in: log, id: "another")
    fixture.join("m_1")
    log.flush()
    let written = try shelf.read(
      Int.self, "SELECT julianday('now') - 2440587.5 - writtenAt / 86400000.0 FROM store")
    #expect(try #require(written) >= 364)
  }

  @Test func `events and idempotency keys live for an hour if the clock is a year ahead`() throws {
    let shelf = try Shelf()
    try session(shelf, written: 365 * day, active: 365 * day)
    try shelf.write(
      """
      INSERT INTO event (position, at, type, id, body) VALUES (1, 0, 'x', 'ev_1', x'7b7d');
      UPDATE feed SET newest = 1, byteCount = 6;
      INSERT INTO creation (key, body, session, epoch, salt, at) VALUES (x'01', x'', 's', '', '', 0)
      """)

    let log = try shelf.open()
    let now = Int64(Date.now.timeIntervalSince1970 * 1000)
    let restored = try #require(log.restoredNames.keys.first)
    let left = restored.at.milliseconds + SessionIndex.keyMilliseconds - now
    #expect(abs(left - 3_600_000) < 600_000)
    let key = CreationKey(
      keyHash: [2], bodyHash: [], session: SessionID("t"), epoch: "", salt: "",
      at: Instant(milliseconds: now))
    var origin = SessionOrigin(
      id: SessionID("t"), epoch: "first",
      definition: try LogFixture(in: log, id: "u").origin.definition, createdAt: key.at)
    origin.key = key
    try LogFixture(origin, in: log).feed()
    log.flush()

    #expect(try shelf.read(Int.self, "SELECT count(*) FROM event") == 2)
    #expect(try shelf.read(Int.self, "SELECT count(*) FROM creation") == 2)
  }

  @Test func `sessions that expired while the server was down end immediately`() throws {
    let shelf = try Shelf()
    try session(shelf, written: 61_000, active: 61_000)

    let restored = try #require(try shelf.open().restored.first)

    #expect(restored.idleMilliseconds >= 61_000)
  }
}
