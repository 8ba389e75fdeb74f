import PickerClient

extension Screen {
  func drawMonths(on canvas: inout Canvas) {
    guard let shownMonths else { return }
    for offset in 0..<shownMonths.count {
      guard let month = shownMonths.from.adding(months: offset) else { continue }
      drawMonth(month, x: 1 + offset * Self.monthCells, on: &canvas)
    }
    drawFingers(on: &canvas)
  }

  private func drawMonth(_ month: PickerMonth, x: Int, on canvas: inout Canvas) {
    canvas.put(month.iso, x: x + 8, y: 3, .bold)
    let names = ["Su", "Mo", "Tu", "We", "Th", "Fr", "Sa"]
    let first = (state.definition?.firstWeekday ?? 1) - 1
    for place in 0..<7 {
      canvas.put(names[(first + place) % 7], x: x + 1 + place * 3, y: 4, .dim)
    }
    guard let view = state.months[month] else { return }
    let bands = state.bands(of: month)
    let color = state.member(state.shownRange?.by)?.color
    for (index, cell) in view.cells.enumerated() where !cell.isOutside {
      let (row, place) = (index / 7, index % 7)
      let band = bands.first { $0.row == row && ($0.from...$0.to).contains(place) }
      let finger = fingers(at: .day(cell.day)).first
      var style = Style(
        color: finger?.color ?? (band == nil ? nil : color), isBold: finger != nil || cell.isToday,
        isDim: cell.isDisabled, isReversed: band != nil, isUnderlined: finger != nil)
      if cell.isToday && band == nil { style.isUnderlined = true }
      let text = String(repeating: " ", count: max(0, 2 - DisplayWidth.of(cell.text))) + cell.text
      let y = 5 + row
      canvas.put(text, x: x + 1 + place * 3, y: y, style)
      // The gap belongs to a band that goes on.
      if let band, place < band.to {
        canvas.put(" ", x: x + 3 + place * 3, y: y, Style(color: color, isReversed: true))
      }
      guard cell.day == day else { continue }
      let mark = Style(color: state.me?.color, isBold: true)
      canvas.put("[", x: x + place * 3, y: y, mark)
      canvas.put("]", x: x + 3 + place * 3, y: y, mark)
    }
  }

  /// Fingers in words below the months: a cell has no room for a name.
  private func drawFingers(on canvas: inout Canvas) {
    var x = 1
    for member in state.members {
      guard case .day(let day)? = state.touching[member.id], x < canvas.width - 12 else { continue }
      x = canvas.put("◂\(member.name) \(day)", x: x, y: 12, Style(color: member.color)) + 2
    }
  }
}
