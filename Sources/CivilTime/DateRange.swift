/// Days from `start` to `end`, both included, and the number of taps that chose them.
package struct DateRange: Hashable, Sendable {
  /// Not after `end`.
  package var start: CivilDate
  package var end: CivilDate
  /// Accepted taps, from 1.
  package var hits: Int
  /// Whether it was made where each tap chooses a single day. Only the server sets it.
  package var isSingle: Bool

  package init(start: CivilDate, end: CivilDate, hits: Int, isSingle: Bool = false) {
    self.start = start
    self.end = end
    self.hits = hits
    self.isSingle = isSingle
  }

  /// 1 for a single day.
  package var dayCount: Int { end.days(since: start) + 1 }
}

/// The two-tap rule: one tap begins a range, the next one ends it.
///
/// The server decides with it, and a client predicts its own taps with it.
/// - Source: rules.md, "Two taps".
package struct TwoTapRule: Hashable, Sendable {
  /// Every tap chooses a single day, and no range is ever open.
  package let isSingle: Bool
  /// The least number of days in a range, from 1.
  package let dayCountMin: Int

  package init(isSingle: Bool, dayCountMin: Int) {
    self.isSingle = isSingle
    self.dayCountMin = dayCountMin
  }

  /// Whether the next tap ends `range`: an odd number of taps has been accepted.
  package func isOpen(_ range: DateRange) -> Bool { !isSingle && range.hits % 2 == 1 }

  /// The range that a tap on `date` begins in place of `range`.
  package func begun(at date: CivilDate, after range: DateRange?) -> DateRange {
    DateRange(start: date, end: date, hits: (range?.hits ?? 0) + 1)
  }

  /// The range that ends where the walk from the start of an open one stopped, on either side.
  package func ended(_ range: DateRange, at stop: CivilDate) -> DateRange {
    DateRange(start: min(range.start, stop), end: max(range.start, stop), hits: range.hits + 1)
  }

  /// Whether a range is long enough to be ended; if not, it stays open.
  package func allows(_ range: DateRange) -> Bool { isSingle || range.dayCount >= dayCountMin }
}
