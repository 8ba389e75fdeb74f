import PickerClient

/// The grid of an `availability`.
extension Screen {
  private static let columnCells = 6
  private static let labelCells = 9
  private static let top = 3

  /// The best windows below the grid.
  private var bestCount: Int { height >= 20 ? 3 : 1 }
  private var linesShown: Int { max(1, height - 4 - bestCount - Self.top) }
  private var columnsShown: Int { max(1, (width - 1 - Self.labelCells) / Self.columnCells) }

  /// Puts the cursor on a cell, and the grid around it.
  mutating func takeCells() {
    guard let cells = state.availability else { return }
    if cells.generation != cellGeneration {
      // What the cells meant is unknown now.
      (cellGeneration, cell, anchor, cellOffset) = (cells.generation, nil, nil, (0, 0))
    }
    guard cells.count > 0 else { return cell = nil }
    let current = min(cell ?? min(cells.past, cells.count - 1), cells.count - 1)
    cell = current
    guard let place = CellGrid(cells).place(of: current) else { return }
    cellOffset.line = max(
      place.line - linesShown + 1, min(cellOffset.line, max(0, place.line - 1)))
    cellOffset.column = max(place.column - columnsShown + 1, min(cellOffset.column, place.column))
  }

  // MARK: - Keys

  mutating func pressCell(_ key: Key) -> [KeyRequest] {
    guard let cells = state.availability, let cell else { return [] }
    switch key {
    case .letter(" "), .enter: return paint(brush, cells)
    case .letter("0"), .backspace: return paint(nil, cells)
    case .letter("1"): brush = .yes
    case .letter("2") where state.definition?.hasMaybe == true: brush = .maybe
    case .letter("3"): brush = .no
    case .letter("v"): anchor = anchor == nil ? cell : nil
    case .letter("x"): return [.command(.clear)]
    case .letter("C"): return state.confirming(cell: cell).map { [.command($0)] } ?? []
    case .letter("b"): jumpToBest(cells)
    case .escape: anchor = nil
    case .shift(let plain):
      anchor = anchor ?? cell
      move(plain, cells, from: cell)
    default: move(key, cells, from: cell)
    }
    return []
  }

  private mutating func move(_ key: Key, _ cells: PickerAvailability, from cell: Int) {
    let grid = CellGrid(cells)
    switch key {
    case .up: self.cell = grid.cell(from: cell, lines: -1, columns: 0)
    case .down: self.cell = grid.cell(from: cell, lines: 1, columns: 0)
    case .left, .backTab: self.cell = grid.cell(from: cell, lines: 0, columns: -1)
    case .right, .tab: self.cell = grid.cell(from: cell, lines: 0, columns: 1)
    case .pageUp: self.cell = grid.cell(from: cell, lines: -1, columns: 0, steps: linesShown)
    case .pageDown: self.cell = grid.cell(from: cell, lines: 1, columns: 0, steps: linesShown)
    case .home: self.cell = 0
    case .end: self.cell = cells.count - 1
    case .enter, .escape, .backspace, .letter, .interrupt, .shift: return
    }
    takeCells()
  }

  private mutating func jumpToBest(_ cells: PickerAvailability) {
    guard let best = cells.best, !best.isEmpty else { return }
    let index = best.firstIndex { $0.cell == cell }
    cell = best[index.map { ($0 + 1) % best.count } ?? 0].cell
    takeCells()
  }

  /// The cells from which keys paint: that under the cursor, or the extended rectangle.
  private func painted(_ cells: PickerAvailability) -> [Int] {
    guard let cell else { return [] }
    return CellGrid(cells).cells(from: anchor ?? cell, to: cell)
  }

  /// Paints, or removes the marks if all of them are so already.
  private mutating func paint(_ grade: PickerGrade?, _ cells: PickerAvailability) -> [KeyRequest] {
    let wanted = painted(cells).filter { $0 >= cells.past }
    anchor = nil
    let isUndone = grade != nil && wanted.allSatisfy { cells.shownGrades[$0] == grade }
    return state.marking(wanted, as: isUndone ? nil : grade).map { .command($0) }
  }

  // MARK: - Drawing

  func drawCells(_ cells: PickerAvailability, on canvas: inout Canvas) {
    let grid = CellGrid(cells)
    let closed = cells.isClosed ? ", closed" : ""
    let head = "\(cells.timeZone)\(closed)  painting \(brush.rawValue)"
    canvas.put(head + (anchor == nil ? "" : ", extending"), x: 1, y: 2, .dim, cellsMax: width - 2)
    guard cells.count > 0 else {
      canvas.put("no cells", x: 1, y: Self.top, .dim)
      return
    }
    let columns = cellOffset.column..<min(cellOffset.column + columnsShown, grid.columns.count)
    for column in columns {
      let x = Self.labelCells + (column - columns.lowerBound) * Self.columnCells
      canvas.put(grid.columns[column], x: x, y: Self.top, .dim, cellsMax: Self.columnCells - 1)
    }
    let selected = Set(painted(cells))
    for line in cellOffset.line..<min(cellOffset.line + linesShown, grid.lines.count) {
      let y = Self.top + 1 + line - cellOffset.line
      guard y < height - 4 - bestCount else { break }
      let content = grid.lines[line]
      let isTitle = content.cells.isEmpty
      canvas.put(
        (content.isGap ? "╌" : " ") + content.label, x: 0, y: y, isTitle ? .bold : .dim,
        cellsMax: isTitle ? width - 2 : Self.labelCells - 1)
      for column in columns where content.cells.indices.contains(column) {
        guard let cell = content.cells[column] else { continue }
        let x = Self.labelCells + (column - columns.lowerBound) * Self.columnCells
        draw(cell, of: cells, isSelected: selected.contains(cell), x: x - 1, y: y, on: &canvas)
      }
    }
    drawBest(cells, on: &canvas)
  }

  /// A cell with the own mark, `+`, `?` or `-`, and the number of those who can. The cursor is
  /// `[ ]`, the extended rectangle `< >`, visible without colours, too.
  private func draw(
    _ cell: Int, of cells: PickerAvailability, isSelected: Bool, x: Int, y: Int,
    on canvas: inout Canvas
  ) {
    let own = cells.shownGrades[cell]
    let heat = cells.heat?[cell]
    let can = (heat?.yes ?? 0) + (heat?.maybe ?? 0)
    let mark =
      switch own {
      case .yes: "+"
      case .maybe: "?"
      case .no: "-"
      case nil: "·"
      }
    let number = cells.areDates ? (cells.days[cell].number ?? "") : can == 0 ? "" : "\(can)"
    let style = Style(
      color: own == nil ? nil : state.me?.color, isBold: can > 0, isDim: cell < cells.past,
      isReversed: own == .yes)
    canvas.put(mark + number, x: x + 1, y: y, style, cellsMax: 4)
    if cells.areDates, can > 0 { canvas.put("\(can)", x: x + 4, y: y, .bold, cellsMax: 1) }
    guard isSelected || cell == self.cell else { return }
    let isCursor = cell == self.cell
    canvas.put(isCursor ? "[" : "<", x: x, y: y, Style(color: state.me?.color, isBold: true))
    canvas.put(isCursor ? "]" : ">", x: x + 5, y: y, Style(color: state.me?.color, isBold: true))
  }

  /// The best windows, and who can at the cursor.
  private func drawBest(_ cells: PickerAvailability, on canvas: inout Canvas) {
    for (index, window) in (cells.best ?? []).prefix(bestCount).enumerated() {
      canvas.put(
        "\(index + 1). \(window.text): \(Sentences.counts(window.counts))", x: 1,
        y: height - 4 - bestCount + index, .dim, cellsMax: width - 2)
    }
    guard let cell else { return }
    let names = PickerGrade.allCases.compactMap { grade -> String? in
      let names = cells.respondents.filter { $0.grades[cell] == grade }.map(\.name)
      return names.isEmpty ? nil : "\(grade.rawValue) \(names.joined(separator: ", "))"
    }
    let text = Sentences.cell(cell, of: cells)
    canvas.put(
      names.isEmpty ? text : "\(text): \(names.joined(separator: "; "))", x: 1, y: height - 4,
      cellsMax: width - 2)
  }
}

extension Sentences {
  static func counts(_ counts: PickerGradeCounts) -> String {
    "\(counts.yes) yes, \(counts.maybe) maybe, \(counts.no) no"
  }

  /// The day of a cell, and its time.
  static func cell(_ cell: Int, of cells: PickerAvailability) -> String {
    if cells.areDates { return cells.days[cell].text }
    for day in cells.days {
      for run in day.runs where run.cells.contains(cell) {
        let row = cells.rows[run.position + cell - run.cells.lowerBound]
        return "\(day.text) \(row.text)" + (row.isAgain ? " again" : "")
      }
    }
    return ""
  }
}
