import PickerClient

/// The cells of an `availability` as lines to draw: a line for each time of the day with a column
/// for each day, or the weeks of the months of dates.
struct CellGrid {
  struct Line {
    let label: String
    /// Of the line's columns; empty in the line with a month's title.
    let cells: [Int?]
    /// Whether on no day a cell of the line before leads to this one.
    let isGap: Bool
  }

  /// A place in the grid.
  struct Place: Hashable {
    var line: Int
    var column: Int
  }

  let lines: [Line]
  /// The headings of the columns.
  let columns: [String]
  private let places: [Int: Place]

  init(_ cells: PickerAvailability) {
    if cells.areDates {
      columns = cells.weekdays
      lines = CellGrid.weeks(cells)
    } else {
      columns = cells.days.map { String($0.date.iso.dropFirst(5)) }
      lines = cells.rows.indices.map { row in
        Line(
          label: cells.rows[row].text + (cells.rows[row].isAgain ? "²" : ""),
          cells: cells.days.indices.map { cells.cell(day: $0, row: row) },
          isGap: cells.rows[row].isGap)
      }
    }
    var places: [Int: Place] = [:]
    for (line, content) in lines.enumerated() {
      for (column, cell) in content.cells.enumerated() {
        if let cell { places[cell] = Place(line: line, column: column) }
      }
    }
    self.places = places
  }

  private static func weeks(_ cells: PickerAvailability) -> [Line] {
    var lines: [Line] = []
    for (index, month) in cells.months.enumerated() {
      lines.append(Line(label: month.title, cells: [], isGap: false))
      let weeks = Set(
        month.runs.flatMap { run in
          (run.position..<run.position + run.cells.count).map { $0 / 7 }
        })
      for week in weeks.sorted() {
        let row = (0..<7).map { cells.cell(of: index, position: 7 * week + $0) }
        lines.append(Line(label: "", cells: row, isGap: false))
      }
    }
    return lines
  }

  func place(of cell: Int) -> Place? { places[cell] }

  private func cell(at place: Place) -> Int? {
    guard lines.indices.contains(place.line),
      lines[place.line].cells.indices.contains(place.column)
    else { return nil }
    return lines[place.line].cells[place.column]
  }

  /// The cell that is reached from `cell` by steps in a direction, over places without cells; the
  /// last one if there are fewer.
  func cell(from cell: Int, lines: Int, columns: Int, steps: Int = 1) -> Int {
    guard var place = places[cell] else { return cell }
    var reached = cell
    var left = steps
    while left > 0 {
      place.line += lines
      place.column += columns
      guard self.lines.indices.contains(place.line), self.columns.indices.contains(place.column)
      else { return reached }
      guard let next = self.cell(at: place) else { continue }
      reached = next
      left -= 1
    }
    return reached
  }

  /// The cells of the rectangle with two cells in its corners.
  func cells(from first: Int, to second: Int) -> [Int] {
    guard let start = places[first], let end = places[second] else { return [] }
    let columns = min(start.column, end.column)...max(start.column, end.column)
    return (min(start.line, end.line)...max(start.line, end.line)).flatMap { line in
      columns.compactMap { cell(at: Place(line: line, column: $0)) }
    }
  }
}
