package import CivilTime

extension Picker {
  var calendar: CalendarRules? { definition.calendarRules(within: bounds, layout: layout) }

  /// Arranges the cells of months by another definition, which the picker does not apply yet.
  /// Nothing else changes.
  ///
  /// - Returns: Whether cells have moved.
  package mutating func layOut(like other: Definition) -> Bool {
    guard case .calendar(let own) = definition.rules, case .calendar(let new) = other.rules else {
      return false
    }
    let before = layout ?? own
    layout = new
    return before.firstWeekday != new.firstWeekday || before.weeks != new.weeks
  }

  /// A calendar's list of months; `nil` for the other kinds.
  package var months: MonthList? { calendar?.bounds.months }

  /// A calendar's range; `nil` if none is selected, and for the other kinds.
  package var range: DateRange? { value.range }

  /// Whether the next tap ends the range.
  package var isRangeOpen: Bool { calendar?.isOpen(range) ?? false }

  /// The days on which an open range could end; `nil` while no range is open.
  package var reach: ClosedRange<CivilDate>? { calendar?.reach(of: range) }

  /// Taps a date, a cell or a point: begins a range, or ends the open one.
  ///
  /// - Parameter mayClose: Whether this tap may end an open range. If not, a tap that would end it
  ///   is refused with `tapClaimed`.
  /// - Throws: ``Refusal`` with, in this order, `wrongKind`, `outsideMonths`, `noSuchCell`,
  ///   `otherMonth`, `beforeMin`, `afterMax`, `blocked`, `tapClaimed`, `minDays`; for nights after
  ///   `afterMax`: `tapClaimed`, `blocked`, `noArrival`, `noDeparture`, `maxNights`, `minNights`.
  ///   The picker is unchanged: a refused tap does not count.
  /// - Source: web/guide/definitions.md, "`calendar`".
  package mutating func tap(
    _ target: TapTarget, mayClose: Bool = true
  ) throws(Refusal) -> [PickerChange] {
    guard let calendar else {
      throw Refusal(.wrongKind, "tap is not supported for \(definition.kind) pickers")
    }
    let date = try calendar.date(at: target)
    let tapped = try calendar.tap(date, on: range, mayClose: mayClose)
    value = .range(tapped.range)
    let change = RangeChange(
      range: tapped.range, cause: tapped.reason == nil ? .tap : .clamp, reason: tapped.reason,
      wanted: tapped.reason == nil ? nil : date, reach: calendar.reach(of: tapped.range))
    return [.range(change)]
  }

  /// Clears the range.
  ///
  /// - Returns: Empty if there is no range or the picker is not a calendar.
  package mutating func clear() -> [PickerChange] {
    guard range != nil else { return [] }
    value = .range(nil)
    return [.range(.init(range: nil, cause: .clear, reason: nil, wanted: nil, reach: nil))]
  }

  /// Restores an earlier range, cut to the current definition and bounds.
  mutating func restoreRange(_ wanted: DateRange?, _ calendar: CalendarRules) -> [PickerChange] {
    let remaining = calendar.keepingWalked(wanted).range
    guard remaining != range else { return [] }
    value = .range(remaining)
    let reach = calendar.reach(of: remaining)
    return [.range(.init(range: remaining, cause: .undo, reason: nil, wanted: nil, reach: reach))]
  }

  /// The cells of a month's grid, row by row.
  ///
  /// - Returns: `nil` for a month outside the list, and for the other kinds.
  package func cells(of month: CivilMonth) -> [Cell]? { calendar?.cells(of: month, today: today) }

  /// The dates of all cells of `count` months from `from`, as far as they are in the list.
  ///
  /// - Returns: `nil` if none of the months is in the list, and for the other kinds.
  package func cellDates(from: CivilMonth, count: Int) -> ClosedRange<CivilDate>? {
    calendar?.cellDates(from: from, count: count)
  }

  /// The bands that highlight the range in `month`; empty for a month outside the list.
  package func bands(of month: CivilMonth) -> MonthBands { bands(of: month, for: range) }

  /// The bands that would highlight `range` in `month`, to compare before and after a change.
  package func bands(of month: CivilMonth, for range: DateRange?) -> MonthBands {
    calendar?.bands(of: month, for: range) ?? .none
  }

  /// Whether ``bands(of:for:)`` differ between two ranges. Cheaper than comparing the bands.
  package func bandsDiffer(
    in month: CivilMonth, _ one: DateRange?, _ other: DateRange?
  ) -> Bool {
    calendar?.bandsDiffer(in: month, one, other) ?? false
  }
}
