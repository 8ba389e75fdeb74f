package import CivilTime
import JSONText

/// What has been picked: what undo takes back and puts back.
package enum PickerValue: Sendable {
  /// The selected keys in column order, without those of empty columns; `goalDay` only of a `date`
  /// that remembers the day: the day of the month that was last selected, 1 … 31.
  case keys([String], goalDay: Int? = nil)
  /// A calendar's range; `nil` if nothing is chosen.
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

/// The bounds that time sets, as they were found at the last tick that could move them.
package enum PickerBounds: Hashable, Sendable {
  /// Time does not matter.
  case fixed
  case dates(ClosedRange<CivilDate>)
  case slots(earliest: Instant)
  case calendar(CalendarBounds)
}

/// What a calendar shows and accepts.
package struct CalendarBounds: Hashable, Sendable {
  package let months: MonthList
  /// The first day that can be picked: the later one of `min` and the list's first day.
  package let min: CivilDate
  /// The last day that can be picked; before ``min`` if none can.
  package let max: CivilDate
}

/// All that a picker remembers beside its definition.
package struct PickerState: Hashable, Sendable {
  package var value: PickerValue
  /// The instant of the last tick.
  package var asOf: Instant
  package var bounds: PickerBounds
  /// A generation per column, then those of removed columns; empty for a calendar.
  package var generations: [Int]

  package init(value: PickerValue, asOf: Instant, bounds: PickerBounds, generations: [Int]) {
    self.value = value
    self.asOf = asOf
    self.bounds = bounds
    self.generations = generations
  }
}
