import PickerHub
import PickerModel
import PickerSession
import Testing

@testable import SessionLog

/// Byte limits of pending records, snapshots and logs.
@Suite(.database) struct BudgetTests {
  @Test(arguments: Engine.allCases)
  func `the bytes of pending records are limited`(engine: Engine) throws {
    let log = try Shelf(engine).store(pendingByteCountMax: 20_000) { _ in }
    let fixture = try LogFixture(in: log)
    fixture.join("m_1")
    let name = String(repeating: "x", count: 1000)

    var count = 0
    let member = MemberID("m_1")
    while fixture.append(.command(member, ref: count + 1, .unknown(type: name))) == .pending {
      count += 1
    }

    #expect((12...18).contains(count))
    log.flush()
    #expect(fixture.append(.tick) == .pending)
  }

  @Test(arguments: Engine.allCases)
  func `the bytes of snapshots to encode are limited`(engine: Engine) throws {
    let log = try Shelf(engine).store(pendingByteCountMax: 20_000)
    let fixture = try LogFixture(in: log)
    fixture.join("m_1")
    fixture.tap(10, by: "m_1")
    var count = 0
    let hold = log.encodingQueue.hold()

    while fixture.snapshot() { count += 1 }
    hold.signal()
    log.flush()

    #expect((5...12).contains(count))
    #expect(fixture.snapshot())
  }

  @Test(arguments: Engine.allCases)
  func `a full log accepts only ticks and leaves until it is compacted`(engine: Engine) throws {
    var limits = SessionLimits()
    limits.logBytes = 65_536
    let shelf = try Shelf(engine)
    let log = try shelf.store(limits: limits)
    let fixture = try LogFixture(in: log)
    fixture.join("m_1")
    while !log.hasFullLog {
      fixture.refuse(50, by: "m_1")
      log.flush()
    }

    #expect(fixture.append(.command(MemberID("m_1"), ref: 1, .act(.clear))) == .full)
    let joining = LogEntry.Joining(member: MemberID("m_2"), secret: hash(1), name: "", role: nil)
    #expect(fixture.append(.joined(joining)) == .full)
    #expect(fixture.append(.roleChanged(MemberID("m_1"), .viewer)) == .full)
    #expect(fixture.append(.tick) == .pending)
    #expect(fixture.append(.left(MemberID("m_2"))) == .pending)
    fixture.snapshot()
    log.flush()
    #expect(fixture.append(.command(MemberID("m_1"), ref: 100_000, .act(.clear))) == .pending)
  }

  @Test(arguments: Engine.allCases)
  func `a full log is full after a restart, and its session can be deleted`(engine: Engine)
    async throws
  {
    var limits = SessionLimits()
    limits.logBytes = 65_536
    let shelf = try Shelf(engine)
    var log: SQLSessionLog? = try shelf.store(limits: limits)
    let fixture = try LogFixture(in: log!)
    fixture.join("m_1")
    fixture.tap(700, by: "m_1")
    log!.flush()
    fixture.closeLog()
    log = nil

    log = try shelf.store(limits: limits)
    let id = fixture.origin.id
    _ = try await shelf.loaded(id, from: log!)
    let clear = LogEntry.Body.command(MemberID("m_1"), ref: 9999, .act(.clear))
    let entry = LogEntry(at: fixture.origin.createdAt, body: clear)

    #expect(log!.append(.entry(entry), of: id) == .full)
    #expect(log!.append(.ended(nil), of: id) == .pending)
    log!.flush()
    #expect(!log!.hasFullLog)
  }

  @Test(arguments: Engine.allCases)
  func `a session whose creation reaches the limit of its log accepts no commands`(
    engine: Engine
  ) throws {
    let origin = try LogFixture(in: MemorySessionLog()).origin
    let size = origin.json(under: SessionLimits()).count
    let effects: [(logBytes: Int, ofCommand: AppendOutcome, ofTick: AppendOutcome)] = [
      (size + 1, .pending, .pending), (size, .full, .pending), (size / 2, .full, .exhausted),
    ]
    for (logBytes, ofCommand, ofTick) in effects {
      var limits = SessionLimits()
      limits.logBytes = logBytes
      let shelf = try Shelf(engine)
      let log = try shelf.store(limits: limits)
      let fixture = try LogFixture(origin, in: log)
      log.flush()

      #expect(fixture.append(.command(MemberID("m_1"), ref: 1, .act(.clear))) == ofCommand)
      #expect(fixture.append(.tick) == ofTick)
      #expect(log.append(.ended(nil), of: origin.id) == .pending)
      log.flush()
      #expect(!log.hasFullLog)
    }
  }

  @Test func `a full log in memory refuses entries until it is compacted`() throws {
    let log = MemorySessionLog(logByteCountMax: 65_536)
    let fixture = try LogFixture(in: log)
    fixture.join("m_1")
    var count = 0
    let member = MemberID("m_1")
    while fixture.append(.command(member, ref: count + 1, .unknown(type: "wink"))) == .stored {
      count += 1
    }

    #expect((300...700).contains(count))
    #expect(fixture.append(.tick) == .stored)
    fixture.snapshot()
    #expect(fixture.append(.command(MemberID("m_1"), ref: count + 1, .act(.clear))) == .stored)
  }

  @Test(arguments: Engine.allCases)
  func `the default limit allows a million taps`(engine: Engine) throws {
    let shelf = try Shelf(engine)
    let log = try shelf.store()
    let key = "2018-11-23"
    let fixture = try LogFixture(in: log)
    fixture.join("m_1234567890123456789012")
    let before = try size(shelf, log)
    for ref in 100_000..<100_100 {
      fixture.append(
        .command(
          MemberID("m_1234567890123456789012"), ref: ref,
          .act(.select(.init(column: 0, row: ref % 3, generation: 100_000, key: key)))))
    }

    let perTap = try (size(shelf, log) - before) / 100
    #expect(perTap * 1_000_000 < SessionLimits().logBytes)
  }

  private func size(_ shelf: Shelf, _ log: SQLSessionLog) throws -> Int {
    log.flush()
    return try shelf.read(Int.self, "SELECT byte_count FROM session") ?? 0
  }
}
