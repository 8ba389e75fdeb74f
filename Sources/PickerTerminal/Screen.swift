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
