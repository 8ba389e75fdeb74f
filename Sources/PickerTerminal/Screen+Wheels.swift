import PickerClient

extension Screen {
  private static let wheelCells = (least: 12, most: 26)

  /// The number of rows drawn per wheel: odd, with the selected row in the middle.
  var rowsShown: Int { max(3, (height - 8) | 1) }

  /// The rows of a column that are in view or about to scroll into view.
  func rowsInView(of column: Int) -> ClosedRange<Int>? {
    guard let shown = state.columns[column].shownRow else { return nil }
    let count = state.columns[column].count
    let reach = 2 * rowsShown
    return max(0, min(shown - reach, count - 1))...max(0, min(shown + reach, count - 1))
  }

  func drawWheels(on canvas: inout Canvas) {
    guard !state.columns.isEmpty else {
      // Of a newer kind: this and what others do is all that can be shown.
      let kind = state.definition?.kind ?? ""
      canvas.put("pickerd join cannot show the kind \(kind).", x: 1, y: 3, cellsMax: width - 2)
      return
    }
    // If not all wheels fit, those around the focused one are drawn.
    let fitting = max(1, min(state.columns.count, width / Self.wheelCells.least))
    let first = max(0, min(column - fitting / 2, state.columns.count - fitting))
    let cells = min(Self.wheelCells.most, (width - 2) / fitting)
    for index in first..<first + fitting {
      drawWheel(index, x: 1 + (index - first) * cells, cells: cells - 1, on: &canvas)
    }
    if first > 0 { canvas.put("‹", x: 0, y: 3 + rowsShown / 2, .bold) }
    if first + fitting < state.columns.count {
      canvas.put("›", x: width - 1, y: 3 + rowsShown / 2, .bold)
    }
  }

  private func drawWheel(_ index: Int, x: Int, cells: Int, on canvas: inout Canvas) {
    let wheel = state.columns[index]
    let half = rowsShown / 2
    let middle = 3 + half
    guard let shown = wheel.shownRow else {
      canvas.put("–", x: x + 2, y: middle, .dim)
      return
    }
    if shown > half { canvas.put("⋮", x: x + 2, y: 2, .dim) }
    for row in max(0, shown - half)...max(0, min(shown + half, wheel.count - 1)) {
      drawRow(row, of: index, x: x, y: middle + row - shown, cells: cells, on: &canvas)
    }
    if shown + half + 1 < wheel.count { canvas.put("⋮", x: x + 2, y: 3 + rowsShown, .dim) }
  }

  private func drawRow(
    _ row: Int, of index: Int, x: Int, y: Int, cells: Int, on canvas: inout Canvas
  ) {
    let wheel = state.columns[index]
    let isFocused = index == column
    let isSelected = row == wheel.shownRow
    let mine = state.me?.color
    var style = Style.plain
    if isSelected {
      style = Style(color: isFocused ? mine : nil, isBold: true, isReversed: isFocused)
      canvas.put(isFocused ? "▸" : "·", x: x, y: y, Style(color: mine))
    }
    let fingers = fingers(at: .row(column: index, row: row))
    let room = fingers.isEmpty ? cells - 2 : max(4, cells - 9)
    let text = wheel[row]?.text ?? "…"
    var end = canvas.put(text, x: x + 2, y: y, style, cellsMax: room)
    if let note = wheel[row]?.note, end + 2 < x + cells, fingers.isEmpty {
      end = canvas.put(note.text, x: end + 1, y: y, .dim, cellsMax: x + cells - end - 1)
    }
    for member in fingers where end + 1 < x + cells {
      end = canvas.put(
        "◂" + member.name, x: end, y: y, Style(color: member.color, isBold: true),
        cellsMax: x + cells - end)
    }
  }
}
