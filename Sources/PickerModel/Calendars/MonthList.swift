package import CivilTime

/// A calendar's months, from the first to the last.
package struct MonthList: Hashable, Sendable {
  package let first: CivilMonth
  /// Not before ``first``.
  package let last: CivilMonth

  package init(first: CivilMonth, last: CivilMonth) {
    self.first = first
    self.last = last
  }

  package var count: Int { last.index - first.index + 1 }

  package func contains(_ month: CivilMonth) -> Bool { month >= first && month <= last }

  /// - Precondition: 0 ≤ `index` < ``count``.
  package func month(at index: Int) -> CivilMonth {
    precondition(index >= 0 && index < count, "no such month")
    return first.adding(months: index)!
  }

  /// - Returns: `nil` if the list does not have the month.
  package func index(of month: CivilMonth) -> Int? {
    contains(month) ? month.index - first.index : nil
  }
}

/// What a tap hit.
package enum TapTarget: Hashable, Sendable {
  case date(CivilDate)
  /// A cell of a month's grid, from 0.
  case cell(CivilMonth, Int)
  /// A point of a month's view, as fractions of its width and height.
  case point(CivilMonth, x: Double, y: Double)
}

/// A cell of a month's grid.
package struct Cell: Hashable, Sendable {
  package let date: CivilDate
  /// It shows a day of a neighbouring month.
  package let isOutside: Bool
  /// It cannot be picked; a cell outside its month never can.
  package let isDisabled: Bool
  package let isToday: Bool

  package init(date: CivilDate, isOutside: Bool, isDisabled: Bool, isToday: Bool) {
    self.date = date
    self.isOutside = isOutside
    self.isDisabled = isDisabled
    self.isToday = isToday
  }
}

/// What to paint in a week row: the selected days of the month that are in it.
package struct Band: Hashable, Sendable {
  package enum Shape: String, Hashable, Sendable {
    /// One day.
    case circle
    /// More.
    case pill
  }

  /// The week row, from 0.
  package let row: Int
  /// The first weekday column, 0 … 6.
  package let from: Int
  /// The last weekday column, included.
  package let to: Int
  package let shape: Shape
  /// The range's first day is here.
  package let head: Bool
  /// The range's last day is here.
  package let tail: Bool

  package init(row: Int, from: Int, to: Int, shape: Shape, head: Bool, tail: Bool) {
    self.row = row
    self.from = from
    self.to = to
    self.shape = shape
    self.head = head
    self.tail = tail
  }
}
