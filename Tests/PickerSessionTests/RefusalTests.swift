import CivilTime
import JSONText
import PickerModel
import Testing

@testable import PickerSession

@Suite struct RefusalTests {
  private func params(_ effects: [Effect]) -> [JSONTree.Member]? {
    guard case .answered(_, let answer)? = effects.last,
      case .refused(let refusal, _) = answer.body
    else { return nil }
    return refusal.params
  }

  private func facts(_ pairs: KeyValuePairs<String, JSONTree>) -> [JSONTree.Member] {
    pairs.map { .init($0.key, $0.value) }
  }

  @Test func `refused selects have the params of their codes`() throws {
    var session = try SessionFixture(letters)

    #expect(params(session.give(bo, 1, .confirm)) == facts(["role": .string("owner")]))
    #expect(params(session.give(ana, 1, select(7, 0))) == facts(["count": .integer(2)]))
    #expect(params(session.give(ana, 2, select(0, 9))) == facts(["count": .integer(3)]))
    #expect(
      params(session.give(ana, 3, select(0, 0, generation: 9, key: "q")))
        == facts(["count": .integer(3)]))
    #expect(
      params(session.give(ana, 4, select(0, 0, generation: 9)))
        == facts(["generation": .integer(1)]))
    #expect(params(session.give(ana, 5, .undo)) == [])
    session.give(ana, 6, .cancel)
    #expect(
      params(session.give(ana, 7, select(0, 1))) == facts(["status": .string("cancelled")]))
  }

  @Test func `refused taps have the params of their codes`() throws {
    var session = try SessionFixture(
      #"{"kind":"calendar","months":{"from":"2026-10","through":"2026-12"},"min":"today-P9D","#
        + #""max":"2026-12-20","minDays":3,"blocked":[{"weekdays":[1]}],"weeks":"fit"}"#,
      openTap: .opener)

    #expect(
      params(session.give(ana, 1, tap("2027-01-01")))
        == facts(["first": .string("2026-10"), "last": .string("2026-12")]))
    let november = CivilMonth(year: 2026, month: 11)!
    #expect(
      params(session.give(ana, 2, .act(.tap(.cell(november, 35)))))
        == facts(["count": .integer(35)]))
    #expect(
      params(session.give(ana, 3, .act(.tap(.point(november, x: 0.5, y: 0.01)))))
        == facts(["count": .integer(35)]))
    #expect(
      params(session.give(ana, 4, .act(.tap(.cell(november, 34)))))
        == facts(["date": .string("2026-12-05")]))
    #expect(
      params(session.give(ana, 5, tap("2026-11-10")))
        == facts(["date": .string("2026-11-10"), "min": .string("2026-11-11")]))
    #expect(
      params(session.give(ana, 6, tap("2026-12-21")))
        == facts(["date": .string("2026-12-21"), "max": .string("2026-12-20")]))
    #expect(
      params(session.give(ana, 7, tap("2026-11-22"))) == facts(["date": .string("2026-11-22")]))
    session.give(ana, 8, tap("2026-11-20"))
    #expect(params(session.give(bo, 1, tap("2026-11-24"))) == facts(["by": .string("Ana")]))
    #expect(
      params(session.give(ana, 9, tap("2026-11-24")))
        == facts(["days": .integer(2), "minDays": .integer(3)]))
  }

  @Test func `a repeated refusal has its original params`() throws {
    var session = try SessionFixture(calendar)
    let first = session.give(ana, 1, tap("2027-01-01"))

    let later = session.give(ana, 1, tap("2027-01-01"), after: 40 * 86_400_000)

    #expect(params(first)?.isEmpty == false)
    #expect(params(later) == params(first))
  }

  @Test func `a detail quotes only a part of what a client sent`() throws {
    var session = try SessionFixture(letters)
    let long = String(repeating: "e\u{301}\u{302}", count: 20_000)

    for (ref, command) in [
      Command.unknown(type: long), select(0, 0, generation: 9, key: long),
    ].enumerated() {
      guard case .answered(_, let answer)? = session.give(ana, ref + 1, command).last,
        case .refused(let refusal, _) = answer.body
      else {
        Issue.record("the command was not refused")
        return
      }
      #expect(refusal.detail.utf8.count <= 512)
    }
  }
}
