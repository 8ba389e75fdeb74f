import PickerClient

/// What is drawn, and where the person is: a value that keys change.
struct Screen {
  var state = PickerState()
  /// What was said last.
  var news = ""
  /// The wheel that arrows turn.
  var column = 0
  /// The day that arrows move.
  var day: PickerDay?
  /// The months in view.
  var shownMonths: (from: PickerMonth, count: Int)?

  /// Puts cursor and months where the state has them.
  ///
  /// - Parameter monthsMax: Months that fit side by side.
  mutating func take(_ state: PickerState, monthsMax: Int) {
    self.state = state
    column = min(column, max(0, state.columns.count - 1))
    guard let list = state.monthList else { return }
    if day == nil {
      let today = state.now.flatMap { PickerDay(String($0.prefix(10))) }
      day = state.range?.start ?? today ?? list.first.first
    }
    showDay(in: list, monthsMax: monthsMax)
  }

  mutating func showDay(in list: PickerMonths, monthsMax: Int) {
    guard let wanted = day else { return }
    let day = min(max(wanted, list.first.first), list.last.last)
    self.day = day
    let count = max(1, min(monthsMax, list.count))
    var from = shownMonths?.from ?? day.month
    if day.month < from { from = day.month }
    let offset = day.month.months(since: from)
    if offset >= count { from = from.adding(months: offset - count + 1) ?? from }
    let latest = list.last.adding(months: 1 - count) ?? from
    shownMonths = (max(list.first, min(from, latest)), count)
  }

  /// - Parameter width: Cells; 80 and 24 are enough for everything.
  func draw(width: Int, height: Int) -> Canvas {
    var canvas = Canvas(width: width, height: height)
    drawHead(on: &canvas)
    if state.definition == nil {
      canvas.put("…", x: 1, y: 3, .dim)
    } else if state.isCalendar {
      drawMonths(on: &canvas)
    } else {
      drawWheels(on: &canvas)
    }
    drawFoot(on: &canvas)
    return canvas
  }

  /// Months side by side in `width` cells.
  static func monthsMax(width: Int) -> Int { max(1, min(4, width / monthCells)) }
  static let monthCells = 25

  private func drawHead(on canvas: inout Canvas) {
    var x = canvas.put("pickerd", x: 1, y: 0, .bold) + 2
    let isLive = state.connection == .live
    x = canvas.put(
      Sentences.connection(state), x: x, y: 0,
      Style(color: isLive ? "#2e9e5b" : "#d1495b", isBold: !isLive))
    if state.status != .open { canvas.put(state.status.rawValue, x: x + 2, y: 0, .bold) }
    x = 1
    for member in state.members {
      let style = Style(color: member.color, isBold: member.isOnline, isDim: !member.isOnline)
      let mark = member.id == state.me?.id ? " (you)" : ""
      let name = DisplayWidth.fitted("\(member.isOnline ? "●" : "○") \(member.name)\(mark)", to: 24)
      if x + DisplayWidth.of(name) > canvas.width - 6 {
        canvas.put("…", x: x, y: 1)
        break
      }
      x = canvas.put(name, x: x, y: 1, style) + 2
    }
  }

  private func drawFoot(on canvas: inout Canvas) {
    let base = canvas.height - 3
    canvas.put(Sentences.chosen(state), x: 1, y: base, .bold, cellsMax: canvas.width - 2)
    canvas.put(news, x: 1, y: base + 1, cellsMax: canvas.width - 2)
    let keys =
      state.isCalendar
      ? "arrows day  PgUp PgDn month  Enter tap  x clear"
      : "arrows turn  Tab wheel  PgUp PgDn Home End"
    canvas.put(
      keys + "  u undo  r redo  c confirm  q quit", x: 1, y: base + 2, .dim,
      cellsMax: canvas.width - 2)
  }

  /// The members whose finger is at a place, by their colours.
  func fingers(at touch: PickerTouch) -> [PickerMember] {
    state.members.filter { state.touching[$0.id] == touch }
  }
}
