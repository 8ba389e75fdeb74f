import PickerClient

/// The state to draw and the position of the cursor, changed by keys.
struct Screen {
  /// The size that the layout is designed for; below ``smallest`` only a hint is drawn.
  static let comfortable = (width: 80, height: 24)
  static let smallest = (width: 40, height: 16)

  var state = PickerState()
  /// The last notice.
  var notice = ""
  var width = comfortable.width
  var height = comfortable.height
  /// The name that the user is typing; `nil` while they are not.
  var newName: String?
  /// The focused wheel.
  var column = 0
  /// The day under the cursor.
  var day: PickerDay?
  /// The cell under the cursor of an availability, and the other corner of what is painted.
  var cell: Int?
  var anchor: Int?
  /// The grade that is painted.
  var brush = PickerGrade.yes
  var cellGeneration = 0
  /// The first line and column in view.
  var cellOffset = (line: 0, column: 0)
  /// The months in view.
  var shownMonths: (from: PickerMonth, count: Int)?

  var isTooSmall: Bool { width < Self.smallest.width || height < Self.smallest.height }

  /// Updates cursor and months to a new state.
  mutating func take(_ state: PickerState) {
    self.state = state
    column = min(column, max(0, state.columns.count - 1))
    takeCells()
    guard let list = state.monthList else { return }
    if day == nil {
      day = state.range?.start ?? state.today ?? list.first.first
    }
    showDay(in: list)
  }

  mutating func resize(width: Int, height: Int) {
    (self.width, self.height) = (width, height)
    takeCells()
    if let list = state.monthList { showDay(in: list) }
  }

  /// Scrolls the day under the cursor into view.
  mutating func showDay(in list: PickerMonths) {
    guard let wanted = day else { return }
    let day = min(max(wanted, list.first.first), list.last.last)
    self.day = day
    let count = max(1, min(monthsAcross * monthsDown, list.count, state.limits.months))
    var from = shownMonths?.from ?? day.month
    if day.month < from { from = day.month }
    let offset = day.month.months(since: from)
    if offset >= count { from = from.adding(months: offset - count + 1) ?? from }
    let latest = list.last.adding(months: 1 - count) ?? from
    shownMonths = (max(list.first, min(from, latest)), count)
  }

  func draw() -> Canvas {
    var canvas = Canvas(width: width, height: height)
    guard !isTooSmall else {
      canvas.put("This terminal is \(width)×\(height).", x: 0, y: 0)
      canvas.put("pickerd join needs \(Self.smallest.width)×\(Self.smallest.height),", x: 0, y: 1)
      canvas.put("better 80×24; or use --plain.", x: 0, y: 2)
      return canvas
    }
    drawHead(on: &canvas)
    if state.definition == nil {
      canvas.put("…", x: 1, y: 3, .dim)
    } else if let cells = state.availability {
      drawCells(cells, on: &canvas)
    } else if state.isCalendar {
      drawMonths(on: &canvas)
    } else {
      drawWheels(on: &canvas)
    }
    drawFoot(on: &canvas)
    return canvas
  }

  private func drawHead(on canvas: inout Canvas) {
    var x = canvas.put("pickerd", x: 1, y: 0, .bold) + 2
    let isLive = state.connection == .live
    x = canvas.put(
      Sentences.connection(state), x: x, y: 0,
      Style(color: isLive ? "#2e9e5b" : "#d1495b", isBold: !isLive))
    if state.status != .open {
      x = canvas.put(Sentences.status(state).uppercased(), x: x + 2, y: 0, .bold)
    }
    let isSmall = width < Self.comfortable.width || height < Self.comfortable.height
    let size = "\(width)×\(height), made for 80×24"
    if isSmall { canvas.put(size, x: max(x + 2, width - size.count - 1), y: 0, .dim) }
    drawMembers(on: &canvas)
  }

  private func drawMembers(on canvas: inout Canvas) {
    var x = 1
    for member in state.members {
      let style = Style(color: member.color, isBold: member.isOnline, isDim: !member.isOnline)
      let mark = member.id == state.me?.id ? " (you)" : ""
      let name = DisplayWidth.fitted("\(member.isOnline ? "●" : "○") \(member.name)\(mark)", to: 24)
      if x + DisplayWidth.of(harmless(name)) > width - 6 {
        canvas.put("…", x: x, y: 1)
        break
      }
      x = canvas.put(name, x: x, y: 1, style) + 2
    }
  }

  private func drawFoot(on canvas: inout Canvas) {
    // Wheels and months show pending commands, too.
    let chosen = Sentences.chosen(state) + (state.pendingCount > 0 ? " (as stored)" : "")
    canvas.put(chosen, x: 1, y: height - 3, .bold, cellsMax: width - 2)
    if let newName {
      canvas.put("your name: \(newName)_", x: 1, y: height - 2, cellsMax: width - 2)
      canvas.put("Enter rename, Esc stop", x: 1, y: height - 1, .dim, cellsMax: width - 2)
      return
    }
    let (first, rest) = DisplayWidth.wrapped(notice, at: width - 2)
    canvas.put(first, x: 1, y: height - 2, cellsMax: width - 2)
    // A long notice is more important than the keys.
    guard rest.isEmpty else {
      canvas.put(rest, x: 1, y: height - 1, cellsMax: width - 2)
      return
    }
    guard state.availability == nil else {
      let keys = "Space paint, v extend, 1 2 3 yes maybe no, 0 erase, b best, c confirm, q quit"
      canvas.put(keys, x: 1, y: height - 1, .dim, cellsMax: width - 2)
      return
    }
    let keys =
      state.isCalendar
      ? "arrows PgUp PgDn move, Enter tap, Esc stop, x clear"
      : "arrows PgUp PgDn select, Tab next column"
    canvas.put(keys + ", u undo, c confirm, q quit", x: 1, y: height - 1, .dim, cellsMax: width - 2)
  }

  /// The members that touch a row or a day.
  func fingers(at touch: PickerTouch) -> [PickerMember] {
    state.members.filter { state.touching[$0.id] == touch }
  }
}

/// A request of a key press.
enum KeyRequest: Hashable {
  case command(PickerCommand)
  case touch(PickerTouch?)
  case quit
}

extension Screen {
  /// Handles a key.
  ///
  /// - Returns: The requested actions, in order.
  mutating func press(_ key: Key) -> [KeyRequest] {
    if newName != nil, key != .interrupt { return pressName(key) }
    switch key {
    case .interrupt, .letter("q"): return [.quit]
    case .letter("n"):
      newName = ""
      return []
    case .letter("c"): return [.command(.confirm)]
    case .letter("o"): return [.command(.reopen)]
    // There is no undo.
    case .letter("u") where state.availability == nil: return [.command(.undo)]
    case .letter("r") where state.availability == nil: return [.command(.redo)]
    default: break
    }
    if state.availability != nil { return pressCell(key) }
    let plain = if case .shift(let plain) = key { plain } else { key }
    return state.isCalendar ? pressDay(plain) : pressWheel(plain)
  }

  /// Handles a key while the user types a name.
  private mutating func pressName(_ key: Key) -> [KeyRequest] {
    guard let name = newName else { return [] }
    switch key {
    case .letter(let letter) where name.unicodeScalars.count < 64: newName?.append(letter)
    case .backspace: newName = String(name.dropLast())
    case .escape: newName = nil
    case .enter:
      newName = nil
      return name.isEmpty ? [] : [.command(.rename(name))]
    default: break
    }
    return []
  }

  private mutating func pressWheel(_ key: Key) -> [KeyRequest] {
    guard state.columns.indices.contains(column) else { return [] }
    let wheel = state.columns[column]
    let page = rowsShown - 1
    switch key {
    case .tab, .right, .enter: return focus(column + 1)
    case .backTab, .left: return focus(column - 1)
    case .up: return select(wheel, by: -1)
    case .down: return select(wheel, by: 1)
    case .pageUp: return select(wheel, by: -page)
    case .pageDown: return select(wheel, by: page)
    case .home: return select(wheel, by: -wheel.count)
    case .end: return select(wheel, by: wheel.count)
    case .escape: return [.touch(nil)]
    case .letter, .backspace, .interrupt, .shift: return []
    }
  }

  private mutating func focus(_ next: Int) -> [KeyRequest] {
    column = (next + state.columns.count) % state.columns.count
    guard let row = state.columns[column].shownRow else { return [] }
    return [.touch(.row(column: column, row: row))]
  }

  private func select(_ wheel: PickerColumn, by step: Int) -> [KeyRequest] {
    guard let shown = wheel.shownRow else { return [] }
    let row = max(0, min(wheel.count - 1, shown + step))
    guard row != shown, let command = state.selecting(row: row, column: column) else { return [] }
    return [.touch(.row(column: column, row: row)), .command(command)]
  }

  private mutating func pressDay(_ key: Key) -> [KeyRequest] {
    guard let day, let list = state.monthList else { return [] }
    let next: PickerDay?
    switch key {
    case .enter, .letter(" "): return [.command(.tap(day))]
    case .letter("x"): return [.command(.clear)]
    case .escape: return isRangeOpen ? [.command(.clear)] : [.touch(nil)]
    case .left: next = day.adding(days: -1)
    case .right: next = day.adding(days: 1)
    case .up: next = day.adding(days: -7)
    case .down: next = day.adding(days: 7)
    case .pageUp, .backTab: next = day.adding(months: -1)
    case .pageDown, .tab: next = day.adding(months: 1)
    case .home: next = list.first.first
    case .end: next = list.last.last
    case .letter, .backspace, .interrupt, .shift: return []
    }
    self.day = next ?? day
    showDay(in: list)
    return [.touch(self.day.map { .day($0) })]
  }

  private var isRangeOpen: Bool { state.shownRange.map(state.isOpen) ?? false }
}

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
