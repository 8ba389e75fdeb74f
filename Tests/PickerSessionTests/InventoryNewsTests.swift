import CivilTime
import JSONText
import PickerModel
import Testing

@testable import PickerSession

/// What others take of an inventory, as a session sees it.
@Suite struct InventoryNewsTests {
  private let halls =
    #"{"kind":"cascade","nodes":[{"key":"a","text":"A"},{"key":"b","text":"B"}]}"#
  private let settings = InventorySettings(capacity: 1)

  private func news(
    _ levels: [String: KeyLevel?], _ kind: PickerKind, claim: Claim? = nil
  ) -> LogEntry {
    LogEntry(
      at: noon,
      body: .inventory(
        InventoryNews(
          levels: KeyLevels(levels, others: nil, for: kind),
          claim: claim.map { NumberedClaim($0, number: 1) })))
  }

  @Test func `whether a value can be had does not make a late command stale`() throws {
    var session = try SessionFixture(halls, inventory: settings)
    session.give(ana, 1, select(0, 1))

    let deltas = SessionFixture.deltas(session.fold.apply(news(["b": .gone], .cascade)))
    session.give(bo, 1, .undo, if: .at(1))

    #expect(deltas.map(\.result) == [.counted(.keys(["b"]), units: nil, isOpen: false)])
    #expect(session.fold.picker.keys == ["a"])
  }

  @Test func `a delta that takes a range and offers one has the range before both`() throws {
    var session = try SessionFixture(calendar, inventory: settings)
    session.give(ana, 1, tap("2026-11-25"))
    session.give(ana, 2, tap("2026-11-27"))
    let before = session.fold.picker.range
    let offer = Claim(state: .offered, keys: ["2026-12-01", "2026-12-02"], units: 1)

    let deltas = SessionFixture.deltas(
      session.fold.apply(news(["2026-11-26": .gone], .calendar, claim: offer)))

    let changes = deltas[0].change.pickerChanges
    #expect(changes.count == 2)
    #expect(deltas[0].change.ranges?.before == before)
    #expect(deltas[0].change.ranges?.after == session.fold.picker.range)
    #expect(session.fold.picker.keys == offer.keys)
  }

  @Test(arguments: [PickerKind.calendar, .cascade])
  func `when an inventory is taken away, cells and rows look as without one`(
    _ kind: PickerKind
  ) throws {
    let isCalendar = kind == .calendar
    var session = try SessionFixture(isCalendar ? calendar : halls, inventory: settings)
    _ = session.fold.apply(news([isCalendar ? "2026-11-26" : "b": .gone], kind))

    let effects = session.fold.apply(
      LogEntry(
        at: noon, body: .revised(DocumentChange(inventory: .some(nil), follows: .init(2)))))

    let changes = SessionFixture.deltas(effects).flatMap(\.change.pickerChanges)
    if isCalendar {
      #expect(effects.contains { if case .cellsChanged = $0 { true } else { false } })
    } else {
      #expect(changes.count == 1)
    }
  }
}
