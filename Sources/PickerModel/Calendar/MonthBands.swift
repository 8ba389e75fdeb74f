import CivilTime

/// The bands that highlight a range in one month: one for each week row with selected days.
///
/// A band is computed when it is read; only the range of cells is stored.
package struct MonthBands: RandomAccessCollection, Hashable, Sendable {
  /// The indices of the covered cells in the month's grid, within 0 ..< 42.
  package let cells: Range<Int>
  /// Whether the range begins in the month.
  private let hasHead: Bool
  /// Whether the range ends in the month.
  private let hasTail: Bool

  package static let none = MonthBands(cells: 0..<0, hasHead: false, hasTail: false)

  /// - Parameters:
  ///   - hasHead: Whether the range begins at the first of the cells.
  ///   - hasTail: Whether it ends at the last of them.
  package init(cells: Range<Int>, hasHead: Bool, hasTail: Bool) {
    self.cells = cells
    self.hasHead = hasHead
    self.hasTail = hasTail
  }

  /// Whether the range begins before the month and ends after it.
  ///
  /// The bands of such a month depend only on the column of its 1st and on its length, so they can
  /// be cached for all months alike.
  package var isInsideRange: Bool { !cells.isEmpty && !hasHead && !hasTail }

  package var startIndex: Int { 0 }
  package var endIndex: Int {
    cells.isEmpty ? 0 : MonthGrid.weekRow(of: lastCell) - firstRow + 1
  }

  package subscript(position: Int) -> Band {
    precondition(position >= 0 && position < endIndex, "no such band")
    let row = firstRow + position
    let from = Swift.max(cells.lowerBound, row * 7)
    let to = Swift.min(lastCell, row * 7 + 6)
    return Band(
      row: row, from: MonthGrid.column(of: from), to: MonthGrid.column(of: to),
      shape: from == to ? .circle : .pill, head: hasHead && from == cells.lowerBound,
      tail: hasTail && to == lastCell)
  }

  private var firstRow: Int { MonthGrid.weekRow(of: cells.lowerBound) }
  private var lastCell: Int { cells.upperBound - 1 }
}
