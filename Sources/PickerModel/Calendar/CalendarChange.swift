package import CivilTime
import JSONText

/// A change of a calendar.
package enum CalendarChange: Hashable, Sendable {
  /// It has another list of months.
  case months(MonthList)
  /// It has another range, or its open range another reach.
  case range(RangeChange)

  var isClamp: Bool {
    if case .range(let change) = self { change.cause == .clamp } else { false }
  }
}

/// A change of a calendar's range or of its reach.
package struct RangeChange: Hashable, Sendable {
  /// `nil` if no range is selected; on the wire `hits` is 0 then.
  package let range: DateRange?
  package let cause: RangeCause
  /// Only with the causes `clamp` and `tick`, and with `define` if the range was shortened or
  /// cleared.
  package let reason: ClampReason?
  /// With the cause `clamp` the tapped day; with `define` the previous last day, if there is a
  /// ``reason``.
  package let wanted: CivilDate?
  /// The days on which the range could end; only while it is open.
  package let reach: ClosedRange<CivilDate>?
  /// The range before the change.
  package let before: DateRange?

  package init(
    range: DateRange?, cause: RangeCause, reason: ClampReason? = nil, wanted: CivilDate? = nil,
    reach: ClosedRange<CivilDate>? = nil, before: DateRange? = nil
  ) {
    self.range = range
    self.cause = cause
    self.reason = reason
    self.wanted = wanted
    self.reach = reach
    self.before = before
  }
}

/// Why a calendar has another range.
package enum RangeCause: String, Hashable, Sendable {
  case tap, clamp, set, tick, clear, undo, define, inventory
}

extension CalendarChange {
  /// See ``PickerChange/words(in:)``.
  var words: String {
    switch self {
    case .months(let months): return "months are \(months.first.iso) to \(months.last.iso)"
    case .range(let change):
      var words = "range \(change.range?.words ?? "none") (\(change.cause)"
      if let wanted = change.wanted { words += ", wanted \(wanted.iso)" }
      if let reason = change.reason { words += ", \(reason)" }
      return words + ")"
    }
  }
}

extension CalendarPicker {
  /// See ``Picker/words(in:tapped:)``.
  var words: String {
    guard let range else { return "range     none" }
    return "range     \(range.words)\(isRangeOpen ? ", open" : "")"
  }
}

extension DateRange {
  fileprivate var words: String {
    "\(start.iso) to \(end.iso), \(counted(dayCount, "day")), \(counted(hits, "hit"))"
  }
}
