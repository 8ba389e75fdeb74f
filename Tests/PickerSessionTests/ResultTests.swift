import CivilTime
import PickerModel
import Testing

@testable import PickerSession

@Suite struct ResultTests {
  private func date(_ iso: String) -> CivilDate { CivilDate(iso: iso.utf8)! }

  @Test func `a delta has the result only if it changed`() throws {
    var session = try SessionFixture(letters)

    let results = [
      session.give(ana, 1, select(0, 1)), session.give(ana, 2, .undo),
      session.give(ana, 3, .redo), session.give(ana, 4, .confirm), session.give(ana, 5, .reopen),
    ].flatMap(SessionFixture.deltas).map(\.result)

    #expect(
      results == [.keys(["b", "x"]), .keys(["a", "x"]), .keys(["b", "x"]), nil, nil])
  }

  @Test func `a range has a result from its second tap to the third`() throws {
    var session = try SessionFixture(calendar)

    let results = [
      session.give(ana, 1, tap("2026-11-20")), session.give(bo, 1, tap("2026-11-25")),
      session.give(ana, 2, tap("2026-11-03")), session.give(ana, 3, .undo),
      session.give(ana, 4, .act(.clear)),
    ].flatMap(SessionFixture.deltas).map(\.result)

    let range = PickerResult.range(start: date("2026-11-20"), end: date("2026-11-25"))
    #expect(results == [nil, range, .null, range, .null])
  }

  @Test func `a clamped tap has the clamped result`() throws {
    var session = try SessionFixture(
      #"{"kind":"calendar","maxDays":3,"months":{"from":"2026-11","through":"2026-12"}}"#)
    session.give(ana, 1, tap("2026-11-20"))

    let delta = SessionFixture.deltas(session.give(ana, 2, tap("2026-11-30"))).first

    #expect(delta?.result == .range(start: date("2026-11-20"), end: date("2026-11-22")))
  }

  @Test func `a tick that changes the slot has the new result`() throws {
    var session = try SessionFixture(slot)

    let effects = session.fold.apply(
      LogEntry(at: noon.adding(milliseconds: 11 * 60_000), body: .tick))

    let later = Instant(rfc3339: "2026-11-20T12:20:00Z".utf8)!
    #expect(
      SessionFixture.deltas(effects).map(\.result)
        == [.slot(["2026-11-20", "12", "20"], later, until: nil)])
  }

  @Test func `a tick that changes only the result is a delta`() throws {
    // In New York on this day 01:20 is at 05:20 UTC and again at 06:20 UTC.
    let zone = ZoneRules(
      name: "America/New_York", initialOffsetSeconds: 0, transitions: [],
      footer: try PosixZoneRule.parse("EST5EDT,M3.2.0,M11.1.0".utf8))
    let before = Instant(rfc3339: "2018-11-04T05:20:00Z".utf8)!
    var session = try SessionFixture(
      #"{"kind":"slot","timeZone":"America/New_York","leadMinutes":0}"#, zone: zone, at: before)
    session.give(ana, 1, select(2, 2), at: before)

    let effects = session.fold.apply(
      LogEntry(at: before.adding(milliseconds: 60_000), body: .tick))

    let deltas = SessionFixture.deltas(effects)
    let later = Instant(rfc3339: "2018-11-04T06:20:00Z".utf8)!
    #expect(deltas.map(\.change) == [.picker([], tappedBy: nil)])
    #expect(deltas.map(\.result) == [.slot(["2018-11-04", "01", "20"], later, until: nil)])
    #expect(
      SessionFixture.refusal(
        session.give(ana, 2, .confirm, at: before.adding(milliseconds: 120_000))) == nil)
  }

  @Test func `confirm is refused if a tick changes the instant of the slot first`() throws {
    let zone = ZoneRules(
      name: "America/New_York", initialOffsetSeconds: 0, transitions: [],
      footer: try PosixZoneRule.parse("EST5EDT,M3.2.0,M11.1.0".utf8))
    let before = Instant(rfc3339: "2018-11-04T05:20:00Z".utf8)!
    var session = try SessionFixture(
      #"{"kind":"slot","timeZone":"America/New_York","leadMinutes":0}"#, zone: zone, at: before)
    session.give(ana, 1, select(2, 2), at: before)

    let effects = session.give(ana, 2, .confirm, at: before.adding(milliseconds: 60_000))

    #expect(SessionFixture.deltas(effects).count == 1)
    #expect(SessionFixture.refusal(effects) == .elapsed)
  }

  @Test func `results differ if keys differ only in Unicode normalization`() throws {
    var session = try SessionFixture(#"{"kind":"columns","columns":[["\u00e9","e\u0301"]]}"#)

    let delta = SessionFixture.deltas(session.give(ana, 1, select(0, 1))).first

    #expect(delta?.result == .keys(["e\u{301}"]))
    #expect(delta?.result != .keys(["\u{e9}"]))
  }

  @Test func `a session restored from a snapshot has the same result`() throws {
    var session = try SessionFixture(letters)
    session.give(ana, 1, select(0, 1))

    let restored = SessionFold(session.fold.origin, state: session.fold.state)

    #expect(restored.result == .keys(["b", "x"]))
  }
}
