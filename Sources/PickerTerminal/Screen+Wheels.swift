import PickerClient

extension Screen {
  /// Rows of a wheel that are drawn; the selected one stands in the middle.
  static func rowsShown(height: Int) -> Int { max(3, (height - 8) | 1) }

  func drawWheels(on canvas: inout Canvas) {
    guard !state.columns.isEmpty else { return }
    let count = Self.rowsShown(height: canvas.height)
    // Wheels that do not fit side by side scroll with the one that is turned.
    let fitting = max(1, min(state.columns.count, canvas.width / 16))
    let first = max(0, min(column - fitting / 2, state.columns.count - fitting))
    let width = min(26, (canvas.width - 2) / fitting)
    for index in first..<first + fitting {
      drawWheel(index, x: 1 + (index - first) * width, width: width - 1, rows: count, on: &canvas)
    }
  }

  private func drawWheel(
    _ index: Int, x: Int, width: Int, rows: Int, on canvas: inout Canvas
  ) {
    let wheel = state.columns[index]
    let middle = 3 + rows / 2
    let isTurned = index == column
    guard let shown = wheel.shownRow else {
      canvas.put("–", x: x + 2, y: middle, .dim)
      return
    }
    if shown > rows / 2 { canvas.put("⋮", x: x + 2, y: 2, .dim) }
    for offset in -(rows / 2)...rows / 2 {
      let row = shown + offset
      guard row >= 0, row < wheel.count else { continue }
      let y = middle + offset
      let text = wheel[row]?.text ?? "·"
      let isSelected = offset == 0
      let mine = state.me?.color
      let style =
        isSelected
        ? Style(color: isTurned ? mine : nil, isBold: true, isReversed: isTurned) : .plain
      if isSelected { canvas.put(isTurned ? "▸" : "·", x: x, y: y, Style(color: mine)) }
      let fingers = fingers(at: .row(column: index, row: row))
      let room = fingers.isEmpty ? width - 2 : max(4, width - 9)
      var place = canvas.put(text, x: x + 2, y: y, style, cellsMax: room)
      for member in fingers where place + 1 < x + width {
        place = canvas.put(
          "◂" + member.name, x: place, y: y, Style(color: member.color, isBold: true),
          cellsMax: x + width - place)
      }
    }
    if shown + rows / 2 + 1 < wheel.count { canvas.put("⋮", x: x + 2, y: 3 + rows, .dim) }
  }
}
