import CivilTime
import Foundation
import PickerHub
import PickerSession
import Testing

@testable import SessionLog

/// Deletion of long logs and large definitions in batches.
@Suite(.database) struct DeletionTests {
  private let total = """
    SELECT (SELECT count(*) FROM session) + (SELECT count(*) FROM entry)
      + (SELECT count(*) FROM snapshot) + (SELECT count(*) FROM definition)
    """

  private func end(_ fixture: LogFixture, _ log: SQLSessionLog) {
    #expect(log.append(.ended(nil), of: fixture.origin.id) == .pending)
    log.flush()
  }

  /// Waits until all rows of the session are deleted.
  private func waitUntilEmpty(_ shelf: Shelf) async throws {
    try await wait(for: "the deletion of all rows") { try shelf.read(Int.self, total) == 0 }
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
    #expect(log.append(.ended(nil), of: fixture.origin.id) == .pending)
    // After the batch with the end, and before the other parts.
    let hold = log.queue.hold()
    try await wait(for: "the end") {
      try shelf.count("SELECT count(*) FROM session WHERE NOT ended") == 0
    }
    let left = try shelf.count("SELECT count(*) FROM entry")
    hold.signal()

    #expect(left >= 2501)
    #expect(try await shelf.loaded(fixture.origin.id, from: log) == nil)
    #expect(throws: ReplayProblem.self) {
      try shelf.replay(fixture.origin.id)
    }
    try await waitUntilEmpty(shelf)
  }

  @Test(arguments: Engine.allCases)
  func `rows of ended sessions are deleted after a restart`(engine: Engine) async throws {
    let shelf = try Shelf(engine)
    var log: SQLSessionLog? = try shelf.store()
    let fixture = try LogFixture(in: log!)
    fixture.join("m_1")
    fixture.tap(1500, by: "m_1")
    log!.close()
    fixture.closeLog()
    log = nil
    try shelf.write("UPDATE session SET ended = true")

    log = try shelf.store()

    #expect(try log!.stored().isEmpty)
    try await waitUntilEmpty(shelf)
  }

  private static let byteCountMax = SQLWriter.deletedByteCountMax
  private let size = "SELECT coalesce(sum(length(body)), 0) FROM definition"

  /// A store with one session, which has one entry and definitions of these sizes.
  private func store(of sizes: [Int], _ engine: Engine = .sqlite) throws -> (Shelf, SessionID) {
    let shelf = try Shelf(engine)
    let log = try shelf.store()
    let fixture = try LogFixture(in: log)
    fixture.join("m_1")
    log.close()
    for (number, size) in sizes.enumerated() {
      try shelf.connect().run(
        """
        INSERT INTO definition (session, digest, body, is_logged)
          SELECT number, $1, \(shelf.zeros(size)), true FROM session
        """, [Data([UInt8(number)])])
    }
    try shelf.write("UPDATE session SET byte_count = (\(size))")
    return (shelf, fixture.origin.id)
  }

  @Test(arguments: [0, 1], Engine.allCases)
  func `a session with few rows is deleted at once only up to a maximum of bytes`(
    excess: Int, engine: Engine
  ) async throws {
    let part = DeletionTests.byteCountMax / 4
    let (shelf, id) = try store(of: [part, part, part, part + excess], engine)
    let log = try shelf.store()
    _ = try await shelf.loaded(id, from: log)

    #expect(log.append(.ended(nil), of: id) == .pending)
    // After the batch, and before the first part of the deletion.
    let left = try log.queue.sync { try shelf.read(Int.self, size) }

    #expect(left == (excess == 0 ? 0 : 4 * part + excess))
    try await waitUntilEmpty(shelf)
  }

  @Test(arguments: Engine.allCases)
  func `a part of a deletion has a maximum of bytes, or a single row`(engine: Engine) throws {
    let small = [Int](repeating: 300_000, count: 7)
    let (shelf, _) = try store(of: small + [4_000_000] + small, engine)
    let store = try shelf.connect()
    for sequence in 0...1 {
      try store.run(
        """
        INSERT INTO snapshot (session, sequence, revision, is_idle, row_count, checksum, rules, body)
          SELECT number, $1, 0, false, 0, 0, 1, \(shelf.zeros(900_000)) FROM session
        """, [sequence])
    }
    try store.run("UPDATE entry SET body = \(shelf.zeros(800_000))")
    try store.run("UPDATE session SET origin = \(shelf.zeros(700_000)), ended = true")
    let sizes = """
      SELECT body FROM definition UNION ALL SELECT body FROM snapshot UNION ALL
      SELECT body FROM entry UNION ALL SELECT origin FROM session
      """
    func left() throws -> (rows: Int, bytes: Int) {
      try #require(
        try store.first(
          "SELECT count(*), coalesce(sum(length(body)), 0) FROM (\(sizes)) AS rest"
        ) { row in (try row[0], try row[1]) })
    }

    var before = try left()
    var partCount = 0
    while try !EndedRows.deletePart(store) {
      let after = try left()
      let (rows, bytes) = (before.rows - after.rows, before.bytes - after.bytes)
      #expect(rows == 1 || rows > 1 && bytes <= DeletionTests.byteCountMax)
      (before, partCount) = (after, partCount + 1)
    }

    #expect(try store.value(total, as: Int.self) == 0)
    #expect(partCount == 11)
  }

  @Test func `a deletion writes few of the deleted pages to the journal`() async throws {
    let (shelf, _) = try store(of: [Int](repeating: 600_000, count: 8))
    try shelf.write("UPDATE session SET ended = true")
    let log = try shelf.store()
    try await waitUntilEmpty(shelf)
    let journal = try FileManager.default.attributesOfItem(atPath: shelf.path + "-wal")
    withExtendedLifetime(log) {}

    #expect(try #require(journal[.size] as? Int) < 600_000)
  }

  @Test func `a deletion of large definitions that was interrupted goes on after a restart`()
    async throws
  {
    let (shelf, _) = try store(of: [Int](repeating: 600_000, count: 8))
    try shelf.write("UPDATE session SET ended = true")
    for _ in 0..<3 { _ = try EndedRows.deletePart(try SQLiteConnection(shelf.path)) }
    #expect(try shelf.read(Int.self, size) == 3_000_000)

    let log = try shelf.store()

    #expect(log.restored.isEmpty)
    try await waitUntilEmpty(shelf)
  }
}

/// Expiry after a start with an implausible clock.
@Suite(.database) struct ClockDoubtTests {
  private let day: Int64 = 86_400_000
  private let now = SQLSessionLog.now

  /// Makes a session that has been active, in a store that was written, so long ago.
  private func session(_ shelf: Shelf, written: Int64, active: Int64) async throws {
    var log: SQLSessionLog? = try shelf.store()
    _ = try LogFixture(in: log!)
    try await shelf.close(&log)
    try shelf.write(
      """
      UPDATE session SET ttl_seconds = 60, active_at = \(now - active);
      UPDATE store SET written_at = \(now - written)
      """)
  }

  private func left(_ log: SQLSessionLog) throws -> Int64 {
    let session = try #require(try log.stored().first)
    return Int64(session.ttlSeconds) * 1000 - session.idleMilliseconds
  }

  @Test(arguments: Engine.allCases)
  func `sessions live for an hour if the clock is a year ahead`(engine: Engine) async throws {
    let shelf = try Shelf(engine)
    try await session(shelf, written: 365 * day, active: 365 * day)

    let log = try shelf.store()

    #expect(try left(log) == 3_600_000)
    let fixture = try LogFixture(in: log, id: "another")
    fixture.join("m_1")
    log.flush()
    let written = Int64(try shelf.count("SELECT written_at FROM store"))
    #expect(now - written >= 364 * day)
  }

  @Test(arguments: Engine.allCases)
  func `events and idempotency keys live for an hour if the clock is a year ahead`(
    engine: Engine
  ) async throws {
    let shelf = try Shelf(engine)
    try await session(shelf, written: 365 * day, active: 365 * day)
    let bytes = shelf.zeros(1)
    try shelf.write(
      """
      INSERT INTO event (position, at, type, id, body) VALUES (1, 0, 'x', 'ev_1', \(bytes));
      UPDATE feed SET newest = 1, byte_count = 5;
      INSERT INTO creation (key, body, session, epoch, salt, at)
        VALUES (\(bytes), \(bytes), 's', '', '', 1)
      """)

    let log = try shelf.store()
    if engine == .sqlite {
      let restored = try #require(log.restoredNames.keys.first)
      let left = restored.at.milliseconds + SessionIndex.keyMilliseconds - now
      #expect(abs(left - 3_600_000) < 600_000)
    } else {
      let outcome = await withCheckedContinuation { done in
        log.find(SessionIndex.Names(external: nil, key: [0]), hub: 0) { done.resume(returning: $0) }
      }
      guard case .found(.key) = outcome else { throw StoreProblem("the key has expired") }
    }
    let key = CreationKey(
      keyHash: [2], bodyHash: [], session: SessionID("t"), epoch: "", salt: "",
      at: Instant(milliseconds: now))
    var origin = SessionOrigin(
      id: SessionID("t"), epoch: "first",
      definition: try LogFixture(in: log, id: "u").origin.definition, createdAt: key.at)
    origin.key = key
    try LogFixture(origin, in: log).feed()
    log.flush()

    #expect(try shelf.count("SELECT count(*) FROM event") == 2)
    #expect(try shelf.count("SELECT count(*) FROM creation") == 2)
  }

  @Test(arguments: Engine.allCases)
  func `sessions that expired while the server was down end immediately`(engine: Engine)
    async throws
  {
    let shelf = try Shelf(engine)
    try await session(shelf, written: 61_000, active: 61_000)

    #expect(try left(try shelf.store()) <= 0)
  }
}
