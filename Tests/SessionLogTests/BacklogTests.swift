import CivilTime
import PickerHub
import PickerSession
import Testing

@testable import SessionLog

/// What a store reports as not stored yet.
@Suite(.database) struct BacklogTests {
  private func pending(_ count: Int) -> PendingRecords {
    var pending = PendingRecords(byteCountMax: 100_000, logByteCountMax: 100_000)
    for _ in 0..<count { add(to: &pending) }
    return pending
  }

  private func add(to pending: inout PendingRecords) {
    let entry = LogEntry(at: Instant(milliseconds: 0), body: .tick)
    _ = pending.add(.log(.entry(entry), SessionID("s")), needsBudget: false)
  }

  @Test func `records count until their batch is committed, with the age of the oldest`() throws {
    var pending = pending(3)
    let size = pending.figures.backlog.byteCount
    #expect(pending.figures.backlog.recordCount == 3 && size > 0)

    let batch = pending.takeBatch()
    add(to: &pending)
    let begin = ContinuousClock.now
    let written = pending.figures.backlog
    #expect(written.recordCount == 4 && written.byteCount > size)
    #expect(written.oldestSeconds >= (begin - batch.appendedAt) / .seconds(2))
    pending.committed(batch, begin: .now)

    #expect(pending.figures.backlog.recordCount == 1)
    let last = pending.takeBatch()
    pending.committed(last, begin: .now)
    #expect(pending.figures.backlog == StoreBacklog())
  }

  @Test func `a batch has a maximum of records, and loads wait for the last one`() {
    var pending = pending(5)
    let size = pending.figures.backlog.byteCount
    let load = PendingLoad(session: SessionID("s"), limits: SessionLimits(), hub: 0)
    _ = pending.add(load)

    let first = pending.takeBatch(of: 2)
    #expect(first.records.count == 2 && first.isPartial && first.loads.isEmpty)
    #expect(pending.figures.backlog.recordCount == 5)
    #expect(pending.figures.backlog.byteCount == size)
    pending.committed(first, begin: .now)
    #expect(pending.figures.backlog.recordCount == 3)
    let second = pending.takeBatch(of: 2)
    #expect(second.records.count == 2 && second.isPartial)

    let last = pending.takeBatch(of: 2)
    #expect(last.records.count == 1 && !last.isPartial && last.loads.count == 1)
  }

  @Test func `lost records do not count`() {
    var pending = pending(3)
    _ = pending.takeBatch()
    add(to: &pending)

    let later = pending.failed()

    #expect(later.count == 1)
    #expect(pending.figures.backlog == StoreBacklog())
  }

  @Test(arguments: Engine.allCases)
  func `a store has a backlog until its batch is stored`(engine: Engine) throws {
    let log = try Shelf(engine).store(afterIteration: { _ in })
    let fixture = try LogFixture(in: log)
    fixture.join("m_1")
    #expect(log.figures.backlog.recordCount > 0 && log.figures.backlog.oldestSeconds > 0)

    log.flush()

    #expect(log.figures.backlog == StoreBacklog())
  }
}
