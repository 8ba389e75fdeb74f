package import CivilTime

extension Picker {
  var calendar: CalendarRules? { definition.calendarRules(within: bounds) }

  /// A calendar's list; `nil` for the other kinds.
  package var months: MonthList? { calendar?.bounds.months }

  /// A calendar's range; `nil` if nothing is chosen.
  package var range: DateRange? { value.range }

  /// Whether the next tap ends the range.
  package var isRangeOpen: Bool { calendar?.isOpen(range) ?? false }

  /// While a range is open: how far a walk from its start would come towards either end.
  package var reach: ClosedRange<CivilDate>? { calendar?.reach(of: range) }

  /// Taps a date, a cell or a point.
  ///
  /// - Parameter mayClose: Whether this tap may end an open range; one that would and may not is
  ///   refused with `tapClaimed`.
  /// - Throws: ``Refusal`` with, in this order, `wrongKind`, `outsideMonths`, `noSuchCell`,
  ///   `otherMonth`, `beforeMin`, `afterMax`, `blocked`, `tapClaimed`, `minDays`. The picker is
  ///   unchanged: a refused tap does not count.
  /// - Source: rules.md, "`calendar`".
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

  /// Takes the range away.
  ///
  /// - Returns: Nothing if there is none, or no calendar.
  package mutating func clear() -> [PickerChange] {
    guard range != nil else { return [] }
    value = .range(nil)
    return [.range(.init(range: nil, cause: .clear, reason: nil, wanted: nil, reach: nil))]
  }

  /// Puts a range back that was there before, perhaps under another definition.
  mutating func restoreRange(_ wanted: DateRange?, _ calendar: CalendarRules) -> [PickerChange] {
    let kept = calendar.keepingWalked(wanted).range
    guard kept != range else { return [] }
    value = .range(kept)
    let reach = calendar.reach(of: kept)
    return [.range(.init(range: kept, cause: .undo, reason: nil, wanted: nil, reach: reach))]
  }

  /// The cells of a month's grid.
  ///
  /// - Returns: `nil` outside the list, and for the other kinds.
  package func cells(of month: CivilMonth) -> [Cell]? { calendar?.cells(of: month, today: today) }

  /// The dates of all cells of consecutive months, as far as the list has these months.
  ///
  /// - Returns: `nil` if it has none of them, and for the other kinds.
  package func cellDates(from: CivilMonth, count: Int) -> ClosedRange<CivilDate>? {
    calendar?.cellDates(from: from, count: count)
  }

  /// What to paint in a month; nothing outside the list.
  package func bands(of month: CivilMonth) -> MonthBands { bands(of: month, for: range) }

  /// What to paint in a month if `range` were chosen, so that before and after can be compared.
  package func bands(of month: CivilMonth, for range: DateRange?) -> MonthBands {
    calendar?.bands(of: month, for: range) ?? .none
  }

  /// Whether ``bands(of:for:)`` are others for one range than for another.
  package func bandsDiffer(
    in month: CivilMonth, _ one: DateRange?, _ other: DateRange?
  ) -> Bool {
    calendar?.bandsDiffer(in: month, one, other) ?? false
  }
}
