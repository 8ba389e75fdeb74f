import CivilTime
import PickerHub
import PickerModel
import PickerSession
import Testing

@testable import SessionLog

/// The byte limit of a store.
@Suite(.database) struct StoreLimitTests {
  private let session = SessionID("s")

  private func entry(_ body: LogEntry.Body) -> LogRecord {
    .entry(LogEntry(at: Instant(milliseconds: 0), body: body))
  }

  private func add(_ record: LogRecord, to pending: inout PendingRecords) -> AppendOutcome {
    pending.add(.log(record, session), needsBudget: record.needsBudget).outcome
  }

  @Test func `a full store refuses what grows it and accepts what frees it`() throws {
    var pending = PendingRecords(
      byteCountMax: 1_000_000, logByteCountMax: 1_000_000, storeByteCountMax: 1000)
    let member = MemberID("m_1")
    let joining = LogEntry.Joining(member: member, secret: hash(1), name: "", role: nil)
    let growing = [
      .created(try GeneratedSession(seed: 1).origin), entry(.joined(joining)),
      entry(.command(member, ref: 1, .act(.clear))), entry(.roleChanged(member, .viewer)),
    ]
    let others = [entry(.tick), entry(.left(member)), .ended(nil)]

    // Before the first batch the size may be unknown.
    for size in [nil, 999, 1000, 999] {
      if let size { pending.noteStoreSize(size) }
      for record in growing {
        #expect(add(record, to: &pending) == (size == 1000 ? .storeFull : .pending))
      }
      for record in others { #expect(add(record, to: &pending) == .pending) }
      #expect(pending.figures.storeByteCount == size)
    }
  }

  /// The bytes in use, by another connection.
  private func size(_ shelf: Shelf) throws -> Int {
    try SQLiteConnection(shelf.path).usedByteCount
  }

  @Test func `the size of a store is that of the pages in use, from its opening on`() async throws {
    let shelf = try Shelf()
    var log: SQLSessionLog? = try shelf.store()
    let empty = try #require(log!.figures.storeByteCount)
    #expect(try empty == size(shelf))
    try createLarge("a", in: log!)
    let full = try #require(log!.figures.storeByteCount)
    #expect(try full == size(shelf) && full > empty + 2_000_000)
    log = nil

    log = try shelf.store()
    #expect(log!.figures.storeByteCount == full)
    #expect(log!.append(.ended(nil), of: SessionID("a")) == .pending)

    try await wait(for: "the deletion") { log!.figures.storeByteCount ?? 0 < empty + 100_000 }
    #expect(try log!.figures.storeByteCount == size(shelf))
  }

  @Test func `a full store accepts everything again when a session was deleted`() async throws {
    let shelf = try Shelf()
    var log: SQLSessionLog? = try shelf.store(storeByteCountMax: 1_000_000)
    let fixture = try LogFixture(in: log!)
    fixture.join("m_1")
    try createLarge("a", in: log!)

    #expect(fixture.append(.command(MemberID("m_1"), ref: 1, .act(.clear))) == .storeFull)
    fixture.closeLog()
    log = nil
    log = try shelf.store(storeByteCountMax: 1_000_000)
    let created = LogRecord.created(try GeneratedSession(seed: 1).origin)
    #expect(log!.append(created, of: SessionID("b")) == .storeFull)
    #expect(log!.append(.ended(nil), of: SessionID("a")) == .pending)

    try await wait(for: "space") { log!.append(created, of: SessionID("b")) == .pending }
  }

  @Test func `a store is full at its limit although little was written since its size was read`()
    throws
  {
    let shelf = try Shelf()
    let log = try shelf.store(storeByteCountMax: 900_000)
    let created = LogRecord.created(try GeneratedSession(seed: 1).origin)
    try createLarge("a", rowCount: 2000, in: log)
    #expect(try size(shelf) < 900_000)
    try createLarge("b", rowCount: 2000, in: log)
    #expect(try size(shelf) >= 900_000)

    #expect(log.append(created, of: SessionID("c")) == .storeFull)
  }

  /// Creates a session with a definition of 2 MB, or fewer rows.
  private func createLarge(
    _ id: String, rowCount: Int = 11_000, in log: SQLSessionLog
  ) throws {
    let row = String(repeating: "x", count: 180)
    let rows = (0..<rowCount).map { "\"\($0)\(row)\"" }.joined(separator: ",")
    _ = try LogFixture(#"{"kind":"columns","columns":[[\#(rows)]]}"#, in: log, id: id)
    log.flush()
  }
}
