/// The number of weeks in a month's grid.
package enum GridWeeks: String, Hashable, Sendable, CaseIterable {
  /// Always 42 cells.
  case six
  /// The 4, 5 or 6 weeks that the month touches.
  case fit
}

/// The grid of cells that displays a month in complete weeks. The first cell shows the first
/// weekday on or before the 1st.
///
/// Cells are numbered from 0, row by row, seven per row. They are computed, not stored.
package struct MonthGrid: Hashable, Sendable {
  package let month: CivilMonth
  /// 1 = Sunday … 7 = Saturday.
  package let firstWeekday: Int
  /// 4 … 6.
  package let weekCount: Int
  /// Cells before the 1st, 0 … 6.
  package let leadCount: Int

  /// - Parameter firstWeekday: 1 = Sunday … 7 = Saturday.
  package init(month: CivilMonth, firstWeekday: Int, weeks: GridWeeks) {
    precondition(firstWeekday >= 1 && firstWeekday <= 7, "a week has seven days")
    self.month = month
    self.firstWeekday = firstWeekday
    leadCount = (month.first.weekday - firstWeekday + 7) % 7
    weekCount =
      switch weeks {
      case .six: 6
      case .fit: (leadCount + month.dayCount + 6) / 7
      }
  }

  /// 28, 35 or 42.
  package var cellCount: Int { weekCount * 7 }

  /// The ordinal of the first cell's date. It can be less than 1 in the grid of 0001-01.
  package var firstOrdinal: Int { month.first.ordinal - leadCount }

  /// The first cell's date.
  ///
  /// - Precondition: The month is not 0001-01, or ``leadCount`` is 0.
  package var firstDate: CivilDate { date(at: 0) }

  /// - Precondition: 0 ≤ `cell` < ``cellCount``, and the cell's date is in the years 1 … 9999. That
  ///   is true for all cells of 0001-02 … 9999-11.
  package func date(at cell: Int) -> CivilDate {
    precondition(cell >= 0 && cell < cellCount, "no such cell")
    return CivilDate(ordinal: firstOrdinal + cell)
  }

  /// - Returns: The cell that shows `date`, which may be in an adjacent month; `nil` if none does.
  package func cell(of date: CivilDate) -> Int? {
    let cell = date.ordinal - firstOrdinal
    return cell >= 0 && cell < cellCount ? cell : nil
  }

  /// Whether the cell's date is in the month.
  package func isInMonth(cell: Int) -> Bool {
    cell >= leadCount && cell < leadCount + month.dayCount
  }

  /// The week row of a cell, 0 … ``weekCount`` − 1.
  package static func weekRow(of cell: Int) -> Int { cell / 7 }
  /// The weekday column of a cell, 0 … 6.
  package static func column(of cell: Int) -> Int { cell % 7 }
}
