import CivilTime
import Testing

private func day(_ text: String) -> CivilDate { CivilDate(iso: text.utf8)! }

@Suite struct `The two-tap rule` {
  private let rule = TwoTapRule(isSingle: false, dayCountMin: 3)

  @Test func `starts a range, ends it and starts the next one`() {
    let begun = rule.begun(at: day("2016-08-10"), after: nil)
    let ended = rule.ended(begun, at: day("2016-08-12"))
    let anew = rule.begun(at: day("2016-08-20"), after: ended)

    #expect([begun, ended, anew].map(\.hits) == [1, 2, 3])
    #expect([begun, ended, anew].map(rule.isOpen) == [true, false, true])
    #expect(ended.dayCount == 3)
    #expect(anew.start == anew.end)
  }

  @Test func `can end a range before its first tap`() {
    let ended = rule.ended(rule.begun(at: day("2016-08-10"), after: nil), at: day("2016-08-01"))

    #expect(ended == DateRange(start: day("2016-08-01"), end: day("2016-08-10"), hits: 2))
  }

  @Test func `refuses a range below the minimum length`() {
    let begun = rule.begun(at: day("2016-08-10"), after: nil)

    #expect(!rule.allows(rule.ended(begun, at: day("2016-08-11"))))
    #expect(rule.allows(rule.ended(begun, at: day("2016-08-12"))))
  }

  @Test func `has no open range and no minimum length for single days`() {
    let single = TwoTapRule(isSingle: true, dayCountMin: 3)
    let begun = single.begun(at: day("2016-08-10"), after: nil)

    #expect(!single.isOpen(begun))
    #expect(single.allows(begun))
  }
}
