import CivilTime
import PickerModel
import Testing

@testable import PickerSession

/// Which part of an entry stays in the log once a snapshot covers it.
@Suite struct SpentEntryTests {
  private static let day: Int64 = 86_400_000

  /// From December 2 on, `min` would be after `max`: the bounds of the last tick before stay in
  /// force.
  private let advent = #"{"kind":"date","min":"today","max":"2026-12-01","initial":"2026-12-01"}"#

  private static let quiet: [LogEntry.Body] = [
    .tick, .command(ana, ref: 1, .undo), .command(ana, ref: 1, select(0, 0)),
    .settle(Settle(op: "unknown", isGranted: false)),
  ]

  @Test(arguments: quiet)
  func `an entry that only moves the bounds of a date stays as a tick`(_ body: LogEntry.Body) throws
  {
    let entry = LogEntry(at: noon.adding(milliseconds: 8 * SpentEntryTests.day), body: body)
    var session = try SessionFixture(advent)
    var compacted = session
    _ = session.fold.apply(entry)
    #expect(session.fold.revision == 0 && session.fold.remnant == .tick)

    _ = compacted.fold.apply(LogEntry(at: entry.at, body: .tick))
    let deltas = [session, compacted].map { session in
      var session = session
      return SessionFixture.deltas(
        session.give(ana, 2, select(1, 0), after: 20 * SpentEntryTests.day))
    }

    #expect(deltas[0].count == 1 && deltas[0] == deltas[1])
    #expect(deltas[0].first?.result == .date(["2026", "11", "28"]))
  }

  @Test func `a tick that moves only the earliest slot is dropped`() throws {
    var session = try SessionFixture(slot)
    session.give(ana, 1, select(0, 1))
    let before = session.fold.picker.state.bounds

    let effects = session.fold.apply(
      LogEntry(at: noon.adding(milliseconds: 600_000), body: .tick))

    #expect(effects == [] && session.fold.remnant == .nothing)
    #expect(session.fold.picker.state.bounds != before)
  }
}
