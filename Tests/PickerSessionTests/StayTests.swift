import CivilTime
import JSONText
import PickerModel
import Testing

@testable import PickerSession

extension SessionFixture {
  /// Puts a note with an amount on each of the days.
  @discardableResult
  fileprivate mutating func price(_ amounts: [String: String]) throws -> [Effect] {
    let days = amounts.map { #""\#($0.key)":{"text":"x","amount":\#($0.value)}"# }
    let patch = try JSONTree.parse(Array(#"{"days":{\#(days.joined(separator: ","))}}"#.utf8))
    return fold.apply(LogEntry(at: noon, body: .revised(.init(notes: NotesPatch(patch)))))
  }

  fileprivate var total: Int? { fold.result.total?.amount.hundredths }
}

/// Calendars of nights, and prices.
@Suite struct StayTests {
  private let nights = """
    {"kind":"calendar","unit":"nights","months":{"from":"2026-11","through":"2026-12"},
     "currency":"EUR","blocked":[{"from":"2026-11-28"}]}
    """
  private let prices = ["2026-11-24": "100", "2026-11-25": "99.5", "2026-11-26": "120"]

  private func code(_ effects: [Effect]) -> Rejection? { SessionFixture.refusal(effects) }

  @Test func `a claimed stay is refused before its nights are checked`() throws {
    var session = try SessionFixture(nights, openTap: .opener)
    session.give(ana, 1, tap("2026-11-24"))
    #expect(code(session.give(bo, 1, tap("2026-11-28"))) == .tapClaimed)
    #expect(code(session.give(bo, 2, tap("2026-11-24"))) == .tapClaimed)
    #expect(code(session.give(bo, 3, tap("2027-01-01"))) == .outsideMonths)
    #expect(code(session.give(ana, 2, tap("2026-11-24"))) == .minNights)
  }

  @Test func `a change of a price inside the stay changes the result, another one does not`() throws
  {
    var session = try SessionFixture(nights)
    try session.price(prices)
    session.give(ana, 1, tap("2026-11-24"))
    session.give(ana, 2, tap("2026-11-27"))
    #expect(session.total == 319_50)

    let outside = SessionFixture.deltas(try session.price(["2026-11-27": "1"]))
    let inside = SessionFixture.deltas(try session.price(["2026-11-26": "80"]))

    #expect(outside.map(\.result) == [nil])
    #expect(inside.map { $0.result?.total?.amount.hundredths } == [279_50])
    #expect(inside[0].result?.total?.currency == "EUR")
    #expect(code(session.give(ana, 3, .confirm, if: .at(3))) == .stale)
  }

  @Test func `a confirmed session has the total of its confirmation until it is reopened`() throws {
    var session = try SessionFixture(nights)
    try session.price(prices)
    session.give(ana, 1, tap("2026-11-24"))
    session.give(ana, 2, tap("2026-11-26"))
    session.give(ana, 3, .confirm)

    let changed = SessionFixture.deltas(try session.price(["2026-11-24": "200"]))
    #expect(changed.map(\.result) == [nil])
    #expect(session.total == 199_50)
    let loaded = SessionFold(session.fold.origin, state: session.fold.state)
    #expect(loaded.result == session.fold.result)
    #expect(loaded.state == session.fold.state)

    let reopened = SessionFixture.deltas(session.give(ana, 4, .reopen))
    #expect(reopened.map { $0.result?.total?.amount.hundredths } == [299_50])
    #expect(session.total == 299_50)
    #expect(
      SessionFold(session.fold.origin, state: session.fold.state).result == session.fold.result)
  }

  @Test func `a definition with another currency changes the result`() throws {
    var session = try SessionFixture(nights)
    try session.price(prices)
    session.give(ana, 1, tap("2026-11-24"))
    session.give(ana, 2, tap("2026-11-26"))
    let document = try JSONTree.parse(Array(nights.replacing("EUR", with: "CHF").utf8))
    let definition = try Definition.make(from: document) { _ in .utc }

    let effects = session.fold.apply(
      LogEntry(
        at: noon,
        body: .revised(
          .init(definition: DefinitionChange(version: 2, definition: definition, source: .whole)))))

    let deltas = SessionFixture.deltas(effects)
    #expect(deltas.map { $0.result?.total?.currency } == ["CHF"])
    #expect(deltas[0].change.pickerChanges.isEmpty)
  }

  @Test func `prices that come while the host decides count after it has denied`() throws {
    var session = try SessionFixture(nights, host: HostFields(decideSeconds: 300))
    try session.price(prices)
    session.give(ana, 1, tap("2026-11-24"))
    session.give(ana, 2, tap("2026-11-26"))
    session.give(ana, 3, .confirm, op: "op")
    try session.price(["2026-11-24": "200"])
    #expect(session.total == 199_50)

    let settle = Settle(op: "op", isGranted: false)
    let deltas = SessionFixture.deltas(
      session.fold.apply(LogEntry(at: noon, body: .settle(settle))))

    #expect(deltas.map { $0.result?.total?.amount.hundredths } == [nil, 299_50])
  }
}
