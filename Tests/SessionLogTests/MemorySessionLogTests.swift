import CivilTime
import JSONText
import PickerHub
import PickerModel
import PickerSession
import Synchronization
import Testing

@testable import SessionLog

@Suite struct MemorySessionLogTests {
  @Test func `a log accepts ticks up to twice its byte limit, and then only the end`() throws {
    let log = MemorySessionLog(logByteCountMax: 64)
    let (id, other) = (SessionID("a"), SessionID("b"))
    let origin = try GeneratedSession(seed: 1).origin
    let tick = LogRecord.entry(LogEntry(at: origin.createdAt, body: .tick))
    for session in [id, other] { _ = log.append(.created(origin), of: session) }

    let effects = (1...3).map { _ in log.append(tick, of: id) }

    #expect(effects == [.stored, .stored, .exhausted])
    #expect(log.append(tick, of: other) == .stored)
    #expect(log.append(.ended(nil), of: id) == .stored)
    #expect(log.entries(of: id).isEmpty && log.sessionCount == 1)
  }

  @Test(arguments: [0, 1, 255, 256, 257, 511, 512, 600, 1_000])
  func `a long log has its entries after any of them, and without those removed`(last: Int) {
    let time = Instant(milliseconds: 0)
    var entries = MemoryLogEntries()
    for sequence in 1...1_000 {
      entries.append(MemoryLogEntry(sequence: sequence, entry: LogEntry(at: time, body: .tick)))
    }
    let rest = Array((last + 1)..<1_001)

    #expect(entries.after(last).map(\.sequence) == rest)
    #expect(entries.after(last, countMax: 300).map(\.sequence) == Array(rest.prefix(300)))
    #expect(entries.remove(after: last).map(\.sequence) == rest)
    #expect(entries.all.count == last && entries.after(last).isEmpty)
    for sequence in [2_000, 2_001] {
      entries.append(MemoryLogEntry(sequence: sequence, entry: LogEntry(at: time, body: .tick)))
    }
    #expect(entries.after(0).map(\.sequence) == Array(0...last).dropFirst() + [2_000, 2_001])
  }

  @Test func `the log of a session that has ended is freed on another thread if it is large`()
    throws
  {
    let works = Mutex<[@Sendable () -> @Sendable () -> Void]>([])
    let log = MemorySessionLog { work in works.withLock { $0.append(work) } }
    let rows = (0..<2_000).map { "\"row \($0)\"" }.joined(separator: ",")
    let tree = try JSONTree.parse(Array(#"{"kind":"columns","columns":[[\#(rows)]]}"#.utf8))
    weak var freed: Definition?
    for name in ["small", "large"] {
      let fixture = try LogFixture(in: log, id: name)
      let definition = try Definition.make(from: tree) { _ in .utc }
      if name == "large" {
        fixture.append(
          .revised(
            .init(definition: DefinitionChange(version: 2, definition: definition, source: .whole)))
        )
        freed = definition
      }
      _ = log.append(.ended(nil), of: fixture.origin.id)
    }

    #expect(freed != nil)
    let queued = works.withLock { works in
      defer { works = [] }
      return works
    }
    for work in queued { work()() }
    #expect(queued.count == 1 && freed == nil)
  }

  @Test func `entries that need a budget are refused one byte over the memory of all sessions`()
    throws
  {
    let (log, memory) = limited()
    let session = try GeneratedSession(seed: 1)
    let (id, now) = (session.origin.id, session.origin.createdAt)
    let undo = LogEntry(at: now, body: .command(MemberID("m_a"), ref: 1, .undo))
    let tick = LogRecord.entry(LogEntry(at: now, body: .tick))
    _ = log.append(.created(session.origin), of: id)

    memory.byteCountMax = undo.facts.memoryByteCount - 1
    #expect(log.append(.entry(undo), of: id) == .storeFull && memory.byteCount == 0)
    memory.byteCountMax += 1
    #expect(log.append(.entry(undo), of: id) == .stored)
    #expect(log.append(.entry(undo), of: id) == .storeFull)
    #expect(log.append(tick, of: id) == .stored)

    #expect(memory.byteCount == undo.facts.memoryByteCount + 64)
    #expect(log.append(.ended(nil), of: id) == .stored && memory.byteCount == 0)
  }

  @Test func `an entry with a definition, which counts itself, counts with its patch`() throws {
    let (log, memory) = limited()
    let origin = try GeneratedSession(seed: 1).origin
    func added(_ source: DefinitionChange.Source) -> Int {
      let before = memory.byteCount
      let change = DefinitionChange(version: 2, definition: origin.definition, source: source)
      let entry = LogEntry(at: origin.createdAt, body: .revised(.init(definition: change)))
      #expect(log.append(.entry(entry), of: origin.id) == .stored)
      return memory.byteCount - before
    }
    _ = log.append(.created(origin), of: origin.id)

    let whole = added(.whole)
    let patched = added(.mergePatch(.string(String(repeating: "x", count: 1000))))

    #expect(whole > 0 && patched > whole + 1000)
  }

  @Test func `entries that a snapshot makes superfluous are not counted any more`() throws {
    let (log, memory) = limited()
    let session = try GeneratedSession(seed: 1)
    let (id, now) = (session.origin.id, session.origin.createdAt)
    _ = log.append(.created(session.origin), of: id)
    let undo = LogEntry(at: now, body: .command(MemberID("m_a"), ref: 1, .undo))
    for _ in 1...4 { _ = log.append(.entry(undo), of: id) }
    var spent = SpentEntries()
    for sequence in 1...2 { spent.note(.nothing, sequence: sequence) }
    spent.note(.tick, sequence: 3)

    let snapshot = LogSnapshot(
      epoch: session.origin.epoch, entryCount: 4, state: try SessionFold(session.origin).state,
      picker: try SessionFold(session.origin).picker, isIdle: false, nextTick: nil,
      idleMilliseconds: 0, spent: spent)
    #expect(log.store(snapshot, of: id))

    #expect(memory.byteCount == undo.facts.memoryByteCount + 64)
    _ = log.append(.ended(nil), of: id)
    #expect(memory.byteCount == 0)
  }

  private func limited() -> (MemorySessionLog, TestMemory) {
    let memory = TestMemory()
    return (MemorySessionLog(memory: memory), memory)
  }
}

private final class TestMemory: SessionMemory, @unchecked Sendable {
  private(set) var byteCount = 0
  var refusedByteCount = 0
  var byteCountMax = Int.max

  func add(_ byteCount: Int) { self.byteCount += byteCount }
}
