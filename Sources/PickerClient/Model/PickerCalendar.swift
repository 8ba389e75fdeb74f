import CivilTime

/// A range of days, or a single day.
public struct PickerRange: Hashable, Sendable {
  /// Inclusive, never after ``end``.
  public var start: PickerDay
  /// Inclusive.
  public var end: PickerDay
  /// The number of accepted taps. With a `range` selection it is odd while the range is open, that
  /// is, until its second tap.
  public var hits: Int
  /// The id of the member with the last accepted tap.
  public var by: String?
  /// The days on which an open range can end; `nil` while it is not open.
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

  /// The nights of a stay: 0 for a single day.
  public var nightCount: Int { end.days(since: start) }

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
  /// What a day can be in a stay.
  public enum Turnover: String, Hashable, Sendable { case arrival, departure }

  public let day: PickerDay
  /// The day of the month, in the digits of this member's language.
  public let text: String
  /// Whether the day belongs to a neighbouring month.
  public let isOutside: Bool
  /// Whether the day cannot be picked. Always `true` with ``isOutside``.
  public let isDisabled: Bool
  public let isToday: Bool
  /// In a calendar of nights: the day can be this alone. `nil` if it can be both, or is disabled.
  public let only: Turnover?
  /// What the session sees of the day, or of the night that begins on it, in an inventory; `nil`
  /// where there is nothing to say.
  public let level: PickerLevel?
  /// The host's note on the day.
  public internal(set) var note: PickerNote?
}

/// The highlight of the selected days in one week row.
public struct PickerBand: Hashable, Sendable {
  /// The week row, from 0.
  public let row: Int
  /// The first weekday column, 0 … 6.
  public let from: Int
  /// The last weekday column, 0 … 6, inclusive.
  public let to: Int
  /// Whether it contains the range's first day.
  public let isHead: Bool
  /// Whether it contains the range's last day.
  public let isTail: Bool
  /// Whether to draw a circle, for a single day, instead of a pill.
  public var isCircle: Bool { from == to }
}

/// A month in view.
public struct PickerMonthView: Hashable, Sendable {
  public let month: PickerMonth
  /// The heading in this member's language.
  public let title: String
  /// The cells of the month's grid, row by row: 28, 35 or 42.
  public internal(set) var cells: [PickerCell]
  /// The bands that the server has confirmed. Draw ``PickerState/bands(of:)`` instead, which
  /// includes pending taps.
  public internal(set) var bands: [PickerBand]
}

/// A calendar's list of consecutive months.
public struct PickerMonths: Hashable, Sendable {
  public let first: PickerMonth
  public let last: PickerMonth
  public var count: Int { last.months(since: first) + 1 }
  public func contains(_ month: PickerMonth) -> Bool { month >= first && month <= last }
}

extension PickerState {
  /// The bands that highlight ``shownRange`` in a month, one for each week row with selected days.
  /// Pending taps of this member are included.
  ///
  /// ```swift
  /// for band in state.bands(of: PickerMonth("2026-11")!) {
  ///   draw(row: band.row, columns: band.from...band.to, isCircle: band.isCircle)
  /// }
  /// ```
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
