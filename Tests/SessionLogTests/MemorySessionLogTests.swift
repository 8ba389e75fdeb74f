import CivilTime
import PickerHub
import PickerSession
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
}
