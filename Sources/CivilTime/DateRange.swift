/// The dates from `start` to `end` inclusive, and the number of taps that selected them.
package struct DateRange: Hashable, Sendable {
  /// Less than or equal to `end`.
  package var start: CivilDate
  package var end: CivilDate
  /// The number of accepted taps, at least 1. ``TwoTapRule/isOpen(_:)`` depends on it.
  package var hits: Int
  /// Whether the range was selected in a calendar where each tap selects a single day. Only the
  /// server sets it.
  package var isSingle: Bool
  /// Whether the range was selected in a calendar of nights: it is a stay from `start`, the
  /// arrival, to `end`, the departure. Only the server sets it.
  package var isStay: Bool

  package init(
    start: CivilDate, end: CivilDate, hits: Int, isSingle: Bool = false, isStay: Bool = false
  ) {
    self.start = start
    self.end = end
    self.hits = hits
    self.isSingle = isSingle
    self.isStay = isStay
  }

  /// 1 for a single day.
  package var dayCount: Int { end.days(since: start) + 1 }
}

/// The two-tap rule: one tap begins a range, the next one ends it.
///
/// The server applies it to taps, and a client predicts the result of its own taps with it.
/// - Source: web/guide/definitions.md, "`calendar`".
package struct TwoTapRule: Hashable, Sendable {
  /// Whether every tap selects a single day, so that no range is ever open.
  package let isSingle: Bool
  /// The minimum number of days in a range, at least 1.
  package let dayCountMin: Int

  package init(isSingle: Bool, dayCountMin: Int) {
    self.isSingle = isSingle
    self.dayCountMin = dayCountMin
  }

  /// Whether the next tap ends `range`, because an odd number of taps has been accepted.
  package func isOpen(_ range: DateRange) -> Bool { !isSingle && range.hits % 2 == 1 }

  /// The range that a tap on `date` begins, replacing `range`.
  package func begun(at date: CivilDate, after range: DateRange?) -> DateRange {
    DateRange(start: date, end: date, hits: (range?.hits ?? 0) + 1)
  }

  /// The open range `range` ended at `stop`, which may be before or after its start.
  package func ended(_ range: DateRange, at stop: CivilDate) -> DateRange {
    DateRange(start: min(range.start, stop), end: max(range.start, stop), hits: range.hits + 1)
  }

  /// Whether a range has the minimum length. A tap that would end a shorter one leaves it open.
  package func allows(_ range: DateRange) -> Bool {
    isSingle || dayCountMin <= 1 || range.dayCount >= dayCountMin
  }
}
