package import CivilTime
import JSONText

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

extension PickerBounds {
  var tree: JSONTree {
    switch self {
    case .fixed: .object([])
    case .dates(let bounds):
      .object([
        .init("min", .string(bounds.lowerBound.iso)), .init("max", .string(bounds.upperBound.iso)),
      ])
    case .slots(let earliest):
      .object([.init("earliest", .integer(Int(earliest.milliseconds)))])
    case .calendar(let bounds):
      .object([
        .init("first", .string(bounds.months.first.iso)),
        .init("last", .string(bounds.months.last.iso)),
        .init("min", .string(bounds.min.iso)), .init("max", .string(bounds.max.iso)),
      ])
    }
  }

  init?(tree: JSONTree) {
    guard let members = tree.members else { return nil }
    if members.isEmpty {
      self = .fixed
    } else if let earliest = tree["earliest"]?.integer.flatMap(Instant.init(stored:)) {
      self = .slots(earliest: earliest)
    } else {
      guard let min = tree.date("min"), let max = tree.date("max") else { return nil }
      if let first = tree.month("first"), let last = tree.month("last"), first <= last {
        let months = MonthList(first: first, last: last)
        self = .calendar(CalendarBounds(months: months, min: min, max: max))
      } else {
        guard min <= max, members.count == 2 else { return nil }
        self = .dates(min...max)
      }
    }
  }
}

extension JSONTree {
  func date(_ field: String) -> CivilDate? {
    self[field]?.string.flatMap { CivilDate(iso: $0.utf8) }
  }

  func month(_ field: String) -> CivilMonth? {
    self[field]?.string.flatMap { CivilMonth(iso: $0.utf8) }
  }
}
