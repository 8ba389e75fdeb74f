import CivilTime
import PickerModel
import Testing

@testable import PickerSession

@Suite struct OpenTapTests {
  @Test func `shared: the next tap of any member closes the range`() throws {
    var session = try SessionFixture(calendar)
    session.give(ana, 1, tap("2026-11-20"))

    session.give(bo, 1, tap("2026-11-22"))

    #expect(session.fold.picker.range?.hits == 2)
    #expect(session.fold.picker.lastTap?.member == bo)
  }

  @Test func `opener: for 15 s only the member who opened the range may close it`() throws {
    var session = try SessionFixture(calendar, openTap: .opener)
    session.give(ana, 1, tap("2026-11-20"))

    #expect(
      SessionFixture.refusal(session.give(bo, 1, tap("2026-11-22"), after: 14_999)) == .tapClaimed)
    session.give(bo, 2, tap("2026-11-22"), after: 15_000)

    #expect(session.fold.picker.range?.hits == 2)
  }

  @Test func `opener: a clock that was set back before the first tap ends the claim`() throws {
    var session = try SessionFixture(calendar, openTap: .opener)
    session.give(ana, 1, tap("2026-11-20"), after: 3_600_000)
    let back = LogEntry(at: noon.adding(milliseconds: 3_590_000), body: .clockSet)
    _ = session.fold.apply(back)

    session.give(bo, 1, tap("2026-11-22"), after: 3_590_000)

    #expect(session.fold.picker.range?.hits == 2)
  }

  @Test func `opener: the member who opened the range may close it immediately`() throws {
    var session = try SessionFixture(calendar, openTap: .opener)
    session.give(ana, 1, tap("2026-11-20"))
    session.give(ana, 2, tap("2026-11-22"))

    #expect(session.fold.picker.range?.hits == 2)
  }

  @Test func `opener: any member may close the range after its opener has left`() throws {
    var session = try SessionFixture(calendar, openTap: .opener)
    session.give(ana, 1, tap("2026-11-20"))
    session.leave(ana)

    session.give(bo, 1, tap("2026-11-22"))

    #expect(session.fold.picker.range?.hits == 2)
  }

  @Test func `opener: any member may clear and undo`() throws {
    var session = try SessionFixture(calendar, openTap: .opener)
    session.give(ana, 1, tap("2026-11-20"))
    session.give(bo, 1, .act(.clear))
    #expect(session.fold.picker.range == nil)
    #expect(session.fold.picker.lastTap?.member == nil)

    session.give(cem, 1, .undo)

    #expect(session.fold.picker.range?.hits == 1)
    #expect(session.fold.picker.lastTap?.member == ana)
  }

  @Test func `opener: undo does not restart the 15 s`() throws {
    var session = try SessionFixture(calendar, openTap: .opener)
    session.give(ana, 1, tap("2026-11-20"))
    session.give(bo, 1, .act(.clear), after: 10_000)
    session.give(bo, 2, .undo, after: 12_000)

    #expect(
      SessionFixture.refusal(session.give(bo, 3, tap("2026-11-22"), after: 14_000)) == .tapClaimed)
    session.give(bo, 4, tap("2026-11-22"), after: 15_000)

    #expect(session.fold.picker.range?.hits == 2)
  }

  @Test func `a refused tap does not count`() throws {
    var session = try SessionFixture(calendar)

    let effects = session.give(ana, 1, tap("2027-11-20"))

    #expect(SessionFixture.refusal(effects) == .outsideMonths)
    #expect(session.fold.picker.range == nil)
    #expect(session.fold.revision == 0)
  }
}
