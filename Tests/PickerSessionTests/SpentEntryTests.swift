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

  @Test func `an entry that asks the inventory for what the session has leaves nothing`() throws {
    var settings = InventorySettings(capacity: 0)
    settings.isWaiting = true
    var session = try SessionFixture(
      #"{"kind":"calendar","selection":"single","months":{"from":"2026-12","through":"2026-12"}}"#,
      inventory: settings)
    func wait(_ ref: Int, number: Int) -> LogEntry {
      let place = Claim(
        state: .waiting, keys: ["2026-12-24"], units: 1, order: 1, place: 1)
      let outcome = InventoryOutcome(nil, claim: NumberedClaim(place, number: number))
      let asking = LogEntry.Body.command(ana, ref: ref, .inventory(.wait(["2026-12-24"])))
      return LogEntry(
        at: noon, body: .decided(DecidedEntry(asking, demand: nil, outcome: outcome)))
    }
    _ = session.fold.apply(wait(1, number: 5))
    let claim = session.fold.inventory?.claim
    #expect(claim?.number == 5)

    _ = session.fold.apply(wait(2, number: 9))

    #expect(session.fold.remnant == .nothing)
    #expect(session.fold.inventory?.claim == claim)
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
