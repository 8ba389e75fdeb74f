import PickerClient

extension Screen {
  private static let monthCells = 26
  private static let monthLines = 9
  private static let top = 2

  /// The number of months side by side.
  var monthsAcross: Int { max(1, min(6, (width - 1) / Self.monthCells)) }
  /// The number of rows of months, above the line of touches and the footer.
  var monthsDown: Int { max(1, (height - 4 - Self.top + 1) / Self.monthLines) }

  func drawMonths(on canvas: inout Canvas) {
    guard let shownMonths else { return }
    for offset in 0..<shownMonths.count {
      guard let month = shownMonths.from.adding(months: offset) else { continue }
      let x = 1 + offset % monthsAcross * Self.monthCells
      drawMonth(month, x: x, y: Self.top + offset / monthsAcross * Self.monthLines, on: &canvas)
    }
    drawFingers(from: drawNote(on: &canvas), on: &canvas)
  }

  /// Draws the note of the day under the cursor below the months, and whether it can only be an
  /// arrival or a departure; cells have no room for it.
  ///
  /// - Returns: The column after the note.
  private func drawNote(on canvas: inout Canvas) -> Int {
    guard let day,
      let cell = state.months[day.month]?.cells.first(where: { $0.day == day })
    else { return 1 }
    let texts = [cell.only.map { "\($0) only" }, cell.note?.text].compactMap { $0 }
    if texts.isEmpty { return 1 }
    return canvas.put("\(day): \(texts.joined(separator: ", "))", x: 1, y: height - 4, .bold) + 2
  }

  private func drawMonth(_ month: PickerMonth, x: Int, y: Int, on canvas: inout Canvas) {
    let title = state.months[month]?.title ?? month.iso
    let indent = max(0, (21 - DisplayWidth.of(title)) / 2)
    canvas.put(title, x: x + 1 + indent, y: y, .bold, cellsMax: 21)
    for (dayColumn, name) in (state.weekdays ?? []).prefix(7).enumerated() {
      canvas.put(Self.twoCells(name), x: x + 1 + dayColumn * 3, y: y + 1, .dim)
    }
    guard let view = state.months[month] else { return }
    let bands = state.bands(of: month)
    for (index, cell) in view.cells.enumerated() where !cell.isOutside {
      let (row, dayColumn) = (index / 7, index % 7)
      let band = bands.first { $0.row == row && ($0.from...$0.to).contains(dayColumn) }
      drawDay(cell, band, dayColumn, x: x + dayColumn * 3, y: y + 2 + row, on: &canvas)
    }
    for (index, cell) in view.cells.enumerated() where !cell.isOutside {
      drawMarks(cell.day, x: x + index % 7 * 3, y: y + 2 + index / 7, on: &canvas)
    }
  }

  /// The longest prefix of a weekday's name that fits into the two cells of a day.
  private static func twoCells(_ name: String) -> String {
    var short = ""
    for character in name where DisplayWidth.of(short) + DisplayWidth.of(character) <= 2 {
      short.append(character)
    }
    return short
  }

  private func drawDay(
    _ cell: PickerCell, _ band: PickerBand?, _ dayColumn: Int, x: Int, y: Int,
    on canvas: inout Canvas
  ) {
    let color = band == nil ? nil : state.member(state.shownRange?.by)?.color
    let style = Style(
      color: color, isBold: cell.isToday, isDim: cell.isDisabled, isReversed: band != nil,
      isUnderlined: cell.isToday && band == nil)
    let lead = String(repeating: " ", count: max(0, 2 - DisplayWidth.of(cell.text)))
    canvas.put(lead + cell.text, x: x + 1, y: y, style, cellsMax: 2)
    // A stay can only begin on `>15`, and only end on `15>`.
    if let only = cell.only, band == nil {
      canvas.put(">", x: only == .arrival ? x : x + 3, y: y, .dim)
    }
    // A band that continues also covers the gap.
    if let band, dayColumn < band.to {
      canvas.put(" ", x: x + 3, y: y, Style(color: color, isReversed: true))
    }
  }

  /// Marks the cursor as `[12]` and touches of others as `(12)`, visible without colours, too.
  private func drawMarks(_ day: PickerDay, x: Int, y: Int, on canvas: inout Canvas) {
    let other = fingers(at: .day(day)).first
    let isMine = day == self.day
    guard isMine || other != nil else { return }
    let style = Style(color: isMine ? state.me?.color : other?.color, isBold: true)
    canvas.put(isMine ? "[" : "(", x: x, y: y, style)
    canvas.put(isMine ? "]" : ")", x: x + 3, y: y, style)
  }

  /// Lists the touches with names below the months, because cells have no room for names.
  private func drawFingers(from start: Int, on canvas: inout Canvas) {
    var x = start
    for member in state.members {
      guard case .day(let day)? = state.touching[member.id], x < canvas.width - 12 else { continue }
      x = canvas.put(
        "(\(member.name): \(day))", x: x, y: height - 4, Style(color: member.color, isBold: true))
      x += 1
    }
  }
}
