package import CivilTime
import JSONText

/// A picker's selection, which undo and redo restore.
package enum PickerValue: Sendable {
  /// The selected keys in column order; empty columns have none. `goalDay` is set only for a `date`
  /// with `rememberDay`: the day of the month, 1 … 31, that was last selected in the day column.
  case keys([String], goalDay: Int? = nil)
  /// A calendar's range; `nil` if none is selected.
  case range(DateRange?)
}

/// Keys are compared by their UTF-8 bytes.
extension PickerValue: Hashable {
  package static func == (left: PickerValue, right: PickerValue) -> Bool {
    switch (left, right) {
    case (.keys(let left, let leftGoal), .keys(let right, let rightGoal)):
      left.isExactly(right) && leftGoal == rightGoal
    case (.range(let left), .range(let right)): left == right
    case (.keys, _), (.range, _): false
    }
  }

  package func hash(into hasher: inout Hasher) {
    switch self {
    case .keys(let keys, _): hasher.combine(keys.map(ExactString.init))
    case .range(let range): hasher.combine(range)
    }
  }
}

extension PickerValue {
  /// The selected keys; empty for a range.
  var keys: [String] { if case .keys(let keys, _) = self { keys } else { [] } }
  /// The goal day of a `date` with `rememberDay`.
  var goalDay: Int? { if case .keys(_, let goalDay) = self { goalDay } else { nil } }
  /// The range; `nil` for keys.
  var range: DateRange? { if case .range(let range) = self { range } else { nil } }
}

/// The part of a picker's limits that depends on the time, as of the last tick that could compute
/// it.
package enum PickerBounds: Hashable, Sendable {
  /// Independent of the time: given rows, or a list of dates.
  case fixed
  /// The first and last of the dates.
  case dates(ClosedRange<CivilDate>)
  case slots(earliest: Instant)
  case calendar(CalendarBounds)
}

/// A calendar's months, and the days that can be picked.
package struct CalendarBounds: Hashable, Sendable {
  package let months: MonthList
  /// The first day that can be picked: the later one of `min` and the list's first day.
  package let min: CivilDate
  /// The last day that can be picked: the earlier one of `max` and the list's last day. Before
  /// ``min`` if no day can be picked.
  package let max: CivilDate
}

/// The state of a picker without its definition, as it is stored.
package struct PickerState: Hashable, Sendable {
  package var value: PickerValue
  /// The instant of the last tick.
  package var asOf: Instant
  package var bounds: PickerBounds
  /// The generation of each column, then those of removed columns; empty for a calendar.
  package var generations: [Int]
  /// What each member has a part in.
  package var marks: StoredMarks?

  package init(
    value: PickerValue, asOf: Instant, bounds: PickerBounds, generations: [Int],
    marks: StoredMarks? = nil
  ) {
    self.value = value
    self.asOf = asOf
    self.bounds = bounds
    self.generations = generations
    self.marks = marks
  }
}
