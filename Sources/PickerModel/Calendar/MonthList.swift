package import CivilTime

/// A calendar's list of consecutive months.
package struct MonthList: Hashable, Sendable {
  package let first: CivilMonth
  /// Not before ``first``.
  package let last: CivilMonth

  package var count: Int { last.index - first.index + 1 }

  package func contains(_ month: CivilMonth) -> Bool { month >= first && month <= last }

  /// - Precondition: 0 ≤ `index` < ``count``.
  package func month(at index: Int) -> CivilMonth {
    precondition(index >= 0 && index < count, "no such month")
    return first.adding(months: index)!
  }

  /// - Returns: `nil` if the month is not in the list.
  package func index(of month: CivilMonth) -> Int? {
    contains(month) ? month.index - first.index : nil
  }
}

/// The target of a tap, in one of the three forms that a client may send.
package enum TapTarget: Hashable, Sendable {
  case date(CivilDate)
  /// The index of a cell in a month's grid, row by row from 0.
  case cell(CivilMonth, Int)
  /// A point in a month's view, as fractions of its width and height: 0 ≤ x, y < 1.
  case point(CivilMonth, x: Double, y: Double)
}

/// A cell of a month's grid.
package struct Cell: Hashable, Sendable {
  /// What a day can be in a stay.
  package enum Turnover: String, Hashable, Sendable { case arrival, departure }

  package let date: CivilDate
  /// The date belongs to a neighbouring month.
  package let isOutside: Bool
  /// The date cannot be picked here; always true if ``isOutside``.
  package let isDisabled: Bool
  package let isToday: Bool
  /// In a calendar of nights: the date can be this alone. `nil` if it can be both, or is disabled.
  package var only: Turnover?
  /// The level of the day, or of the night that begins on it; `nil` if ``isOutside``.
  package var level: KeyLevel?
}

/// The highlight of one week row: the selected days of the month in that row.
package struct Band: Hashable, Sendable {
  package enum Shape: String, Hashable, Sendable {
    /// One day.
    case circle
    /// Two days or more.
    case pill
  }

  /// The week row, from 0.
  package let row: Int
  /// The first weekday column, 0 … 6.
  package let from: Int
  /// The last weekday column, inclusive.
  package let to: Int
  package let shape: Shape
  /// Whether the range's first day is in this band.
  package let head: Bool
  /// Whether the range's last day is in this band.
  package let tail: Bool
}
