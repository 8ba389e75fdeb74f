package import CivilTime
import JSONText

/// What has been picked: what undo takes back and puts back.
package enum PickerValue: Sendable {
  /// The selected keys, a column after the other; those of empty columns are left out.
  case keys([String])
  /// A calendar's range; `nil` if nothing is chosen.
  case range(DateRange?)
}

/// Keys are compared by their UTF-8 bytes.
extension PickerValue: Hashable {
  package static func == (left: PickerValue, right: PickerValue) -> Bool {
    switch (left, right) {
    case (.keys(let left), .keys(let right)): left.isExactly(right)
    case (.range(let left), .range(let right)): left == right
    case (.keys, _), (.range, _): false
    }
  }

  package func hash(into hasher: inout Hasher) {
    switch self {
    case .keys(let keys): hasher.combine(keys.map(ExactString.init))
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
  /// A generation per column; empty for a calendar.
  package var generations: [Int]

  package init(value: PickerValue, asOf: Instant, bounds: PickerBounds, generations: [Int]) {
    self.value = value
    self.asOf = asOf
    self.bounds = bounds
    self.generations = generations
  }
}
