import CivilTime

/// A range of days, or a single day.
public struct PickerRange: Hashable, Sendable {
  /// Inclusive, never after ``end``.
  public var start: PickerDay
  /// Inclusive.
  public var end: PickerDay
  /// Accepted taps; odd while the range waits for its second one.
  public var hits: Int
  /// The member of the last accepted tap.
  public var by: String?
  /// While the range is open, the days within which it can end.
  public var reach: ClosedRange<PickerDay>?

  public init(
    start: PickerDay, end: PickerDay, hits: Int, by: String? = nil,
    reach: ClosedRange<PickerDay>? = nil
  ) {
    self.start = start
    self.end = end
    self.hits = hits
    self.by = by
    self.reach = reach
  }

  /// 1 … 3,652,059.
  public var dayCount: Int { end.days(since: start) + 1 }
}

extension PickerRange {
  init(_ civil: DateRange, by: String?) {
    self.init(
      start: PickerDay(civil.start), end: PickerDay(civil.end), hits: civil.hits, by: by)
  }

  var civil: DateRange { DateRange(start: start.civil, end: end.civil, hits: hits) }
}

/// A cell of a month's grid.
public struct PickerCell: Hashable, Sendable {
  public let day: PickerDay
  /// The day of the month in this member's digits.
  public let text: String
  /// A day of a neighbouring month.
  public let isOutside: Bool
  /// Cannot be picked.
  public let isDisabled: Bool
  public let isToday: Bool
  /// What the host noted on the day, if anything.
  public internal(set) var note: PickerNote?
}

/// A stretch of selected days in one week row.
public struct PickerBand: Hashable, Sendable {
  /// The week row, from 0.
  public let row: Int
  /// The weekday column where it begins, 0 … 6.
  public let from: Int
  /// The weekday column where it ends, 0 … 6, inclusive.
  public let to: Int
  /// Holds the range's first day.
  public let isHead: Bool
  /// Holds the range's last day.
  public let isTail: Bool
  /// One day is a circle, several are a pill.
  public var isCircle: Bool { from == to }
}

/// A month in view: whole weeks of seven cells.
public struct PickerMonthView: Hashable, Sendable {
  public let month: PickerMonth
  /// The heading in this member's locale; `nil` from an older server.
  public let title: String?
  public internal(set) var cells: [PickerCell]
  /// By the server's last word; for what to draw see ``PickerState/bands(of:)``.
  public internal(set) var bands: [PickerBand]
}

/// The months that a calendar has.
public struct PickerMonths: Hashable, Sendable {
  public let first: PickerMonth
  public let last: PickerMonth
  public var count: Int { last.months(since: first) + 1 }
  public func contains(_ month: PickerMonth) -> Bool { month >= first && month <= last }
}

extension PickerState {
  /// What to draw in a month for the range that is shown, a run per week row.
  ///
  /// Own taps that have no answer yet are in it.
  public func bands(of month: PickerMonth) -> [PickerBand] {
    guard let range = shownRange, let definition else { return [] }
    let grid = MonthGrid(
      month: month.civil, firstWeekday: definition.firstWeekday,
      weeks: definition.hasSixWeeks ? .six : .fit)
    let low = max(range.start.civil, month.civil.first).ordinal
    let high = min(range.end.civil, month.civil.last).ordinal
    var bands: [PickerBand] = []
    var day = low
    while day <= high {
      let cell = day - grid.firstOrdinal
      let last = min(high, day + 6 - cell % 7)
      bands.append(
        PickerBand(
          row: cell / 7, from: cell % 7, to: (last - grid.firstOrdinal) % 7,
          isHead: day == range.start.civil.ordinal, isTail: last == range.end.civil.ordinal))
      day = last + 1
    }
    return bands
  }
}
