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

    let outcomes = (1...3).map { _ in log.append(tick, of: id) }

    #expect(outcomes == [.stored, .stored, .exhausted])
    #expect(log.append(tick, of: other) == .stored)
    #expect(log.append(.ended(nil), of: id) == .stored)
    #expect(log.entries(of: id).isEmpty && log.sessionCount == 1)
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
          .define(DefinitionChange(version: 2, definition: definition, source: .whole)))
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
}
