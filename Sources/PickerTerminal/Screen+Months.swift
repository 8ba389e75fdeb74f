import PickerClient

extension Screen {
  private static let monthCells = 26
  private static let monthLines = 9
  private static let top = 2

  /// Months side by side.
  var monthsAcross: Int { max(1, min(6, (width - 1) / Self.monthCells)) }
  /// Months below each other, above the line of fingers and the foot.
  var monthsDown: Int { max(1, (height - 4 - Self.top + 1) / Self.monthLines) }

  func drawMonths(on canvas: inout Canvas) {
    guard let shownMonths else { return }
    for offset in 0..<shownMonths.count {
      guard let month = shownMonths.from.adding(months: offset) else { continue }
      let x = 1 + offset % monthsAcross * Self.monthCells
      drawMonth(month, x: x, y: Self.top + offset / monthsAcross * Self.monthLines, on: &canvas)
    }
    drawFingers(on: &canvas)
  }

  private func drawMonth(_ month: PickerMonth, x: Int, y: Int, on canvas: inout Canvas) {
    let title = state.months[month]?.title ?? month.iso
    let indent = max(0, (21 - DisplayWidth.of(title)) / 2)
    canvas.put(title, x: x + 1 + indent, y: y, .bold, cellsMax: 21)
    for (place, name) in (state.weekdays ?? []).prefix(7).enumerated() {
      canvas.put(Self.twoCells(name), x: x + 1 + place * 3, y: y + 1, .dim)
    }
    guard let view = state.months[month] else { return }
    let bands = state.bands(of: month)
    for (index, cell) in view.cells.enumerated() where !cell.isOutside {
      let (row, place) = (index / 7, index % 7)
      let band = bands.first { $0.row == row && ($0.from...$0.to).contains(place) }
      drawDay(cell, band, place, x: x + place * 3, y: y + 2 + row, on: &canvas)
    }
    for (index, cell) in view.cells.enumerated() where !cell.isOutside {
      drawMarks(cell.day, x: x + index % 7 * 3, y: y + 2 + index / 7, on: &canvas)
    }
  }

  /// The beginning of a weekday's name that fits into the two cells of a day.
  private static func twoCells(_ name: String) -> String {
    var short = ""
    for character in name where DisplayWidth.of(short) + DisplayWidth.of(character) <= 2 {
      short.append(character)
    }
    return short
  }

  private func drawDay(
    _ cell: PickerCell, _ band: PickerBand?, _ place: Int, x: Int, y: Int,
    on canvas: inout Canvas
  ) {
    let color = band == nil ? nil : state.member(state.shownRange?.by)?.color
    let style = Style(
      color: color, isBold: cell.isToday, isDim: cell.isDisabled, isReversed: band != nil,
      isUnderlined: cell.isToday && band == nil)
    let lead = String(repeating: " ", count: max(0, 2 - DisplayWidth.of(cell.text)))
    canvas.put(lead + cell.text, x: x + 1, y: y, style, cellsMax: 2)
    // The gap belongs to a band that goes on.
    if let band, place < band.to {
      canvas.put(" ", x: x + 3, y: y, Style(color: color, isReversed: true))
    }
  }

  /// Fingers stand around a day: own `[12]`, others' `(12)`. They are seen without colours too.
  private func drawMarks(_ day: PickerDay, x: Int, y: Int, on canvas: inout Canvas) {
    let other = fingers(at: .day(day)).first
    let isMine = day == self.day
    guard isMine || other != nil else { return }
    let style = Style(color: isMine ? state.me?.color : other?.color, isBold: true)
    canvas.put(isMine ? "[" : "(", x: x, y: y, style)
    canvas.put(isMine ? "]" : ")", x: x + 3, y: y, style)
  }

  /// Fingers in words below the months: a cell has no room for a name.
  private func drawFingers(on canvas: inout Canvas) {
    var x = 1
    for member in state.members {
      guard case .day(let day)? = state.touching[member.id], x < canvas.width - 12 else { continue }
      x = canvas.put(
        "(\(member.name): \(day))", x: x, y: height - 4, Style(color: member.color, isBold: true))
      x += 1
    }
  }
}
