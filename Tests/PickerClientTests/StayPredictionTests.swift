import CivilTime
import Foundation
import JSONText
import Testing

@testable import PickerClient

/// The prediction of taps on a calendar of nights, compared with the golden vectors.
@Suite struct StayPredictionTests {
  private static let vectors: [JSONTree] = {
    let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    let data = try! Data(contentsOf: tests.appending(path: "golden/nights.json"))
    return try! JSONTree.parse(Array(data)).array!
  }()

  @Test(arguments: [true, false])
  func `predicted taps are those of the vectors`(knowsReach: Bool) {
    var count = 0
    for vector in Self.vectors {
      var definition = vector["definition"]!
      var before = JSONTree.null
      for step in vector["steps"]!.array! {
        let (action, expected) = (step["do"]!, step["expect"]!)
        if let new = action["define"], expected["error"] == nil { definition = new }
        defer { before = expected["calendar"] ?? before }
        let ignored = ["outsideMonths", "beforeMin", "afterMax"]
        guard let tapped = action["tap"]?["date"]?.string.flatMap({ PickerDay($0) }),
          before != .null, definition["unit"]?.string == "nights",
          !ignored.contains(expected["rejected"]?.string ?? "")
        else { continue }
        let today = String(step["now"]!.string!.prefix(10))
        var state = looking(at: definition, before, knowsReach: knowsReach, today: today)
        let tap = PendingCommands.Entry(
          ref: 1, sentAs: 1, command: .tap(tapped), seen: nil, isSent: false)
        state.predict([tap])
        let range = state.shownRange
        let calendar = expected["calendar"]!
        #expect(range?.start.iso == calendar["start"]?.string, "\(vector["name"]!) \(tapped)")
        #expect(range?.end.iso == calendar["end"]?.string, "\(vector["name"]!) \(tapped)")
        #expect((range?.hits ?? 0) == calendar["hits"]?.integer)
        count += 1
      }
    }
    #expect(count > 50)
  }

  /// A member's state, with the cells that the server sends for the definition.
  private func looking(
    at definition: JSONTree, _ calendar: JSONTree, knowsReach: Bool, today: String
  ) -> PickerState {
    var state = PickerState()
    state.definition = try! PickerDefinition(definition)
    let first = PickerMonth(calendar["first"]!.string!)!
    let last = PickerMonth(calendar["last"]!.string!)!
    if let start = calendar["start"]?.string.flatMap({ PickerDay($0) }),
      let end = calendar["end"]?.string.flatMap({ PickerDay($0) })
    {
      state.range = PickerRange(start: start, end: end, hits: calendar["hits"]!.integer!)
      if knowsReach, let reach = calendar["reach"], reach != .null {
        state.range?.reach =
          PickerDay(reach["from"]!.string!)!...PickerDay(reach["through"]!.string!)!
      }
    }
    let bounds = self.bounds(definition, first, last, PickerDay(today)!)
    for offset in 0...last.months(since: first) {
      let month = first.adding(months: offset)!
      let days = (0..<month.last.day).map { month.first.adding(days: $0)! }
      state.months[month] = PickerMonthView(
        month: month, title: "", cells: days.map { cell($0, definition, bounds) }, bands: [])
    }
    return state
  }

  private func bounds(
    _ definition: JSONTree, _ first: PickerMonth, _ last: PickerMonth, _ today: PickerDay
  ) -> ClosedRange<PickerDay> {
    func date(_ name: String) -> PickerDay? {
      guard let text = definition[name]?.string else { return nil }
      if text == "today" { return today }
      if text == "today-P5D" { return today.adding(days: -5) }
      return PickerDay(text)
    }
    let (low, high) = (date("min") ?? first.first, date("max") ?? last.last)
    return max(low, first.first)...min(high, last.last)
  }

  private func cell(
    _ day: PickerDay, _ definition: JSONTree, _ bounds: ClosedRange<PickerDay>
  ) -> PickerCell {
    let rules = PickerStayRules(definition)[day]
    let closed =
      (definition["blocked"]?.array ?? []) + (definition["taken"]?.members ?? []).map(\.value)
    func isFree(_ night: PickerDay) -> Bool {
      night >= bounds.lowerBound && night < bounds.upperBound
        && !closed.contains { entry in
          if let weekdays = entry["weekdays"]?.array {
            return weekdays.contains(.integer(night.weekday))
          }
          let from = entry["from"]!.string!
          return night.iso >= from && night.iso <= entry["through"]?.string ?? from
        }
    }
    let arrival = rules.canBegin && isFree(day)
    let departure = rules.canEnd && isFree(day.adding(days: -1)!)
    return PickerCell(
      day: day, text: "", isOutside: false, isDisabled: !arrival && !departure, isToday: false,
      only: arrival == departure ? nil : arrival ? .arrival : .departure, level: nil)
  }
}
