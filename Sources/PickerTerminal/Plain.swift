import PickerClient

/// A line of `--plain`, as a command.
enum PlainCommand: Hashable {
  case command(PickerCommand)
  case show
  case quit
  case nothing
  case unknown(String)

  /// `select COLUMN TEXT`, `tap YYYY-MM-DD`, `clear`, `undo`, `redo`, `confirm`, `cancel`,
  /// `reopen`, `show`, `quit`. Columns count from 1; a text can be the row's key too.
  init(_ line: String, in state: PickerState) {
    let words = line.split(separator: " ", maxSplits: 2).map(String.init)
    guard let verb = words.first?.lowercased() else {
      self = .nothing
      return
    }
    let simple: [String: PlainCommand] = [
      "clear": .command(.clear), "undo": .command(.undo), "redo": .command(.redo),
      "confirm": .command(.confirm), "cancel": .command(.cancel), "reopen": .command(.reopen),
      "show": .show, "quit": .quit,
    ]
    if let command = simple[verb] {
      self = command
    } else if verb == "tap", words.count == 2, let day = PickerDay(words[1]) {
      self = .command(.tap(day))
    } else if verb == "tap" {
      self = .unknown("tap needs a date such as 2026-11-20")
    } else if verb == "select" {
      self = Self.select(words.dropFirst().map { $0 }, in: state)
    } else {
      self = .unknown(
        "select COLUMN TEXT, tap DATE, clear, undo, redo, confirm, cancel, reopen, show or quit")
    }
  }

  private static func select(_ words: [String], in state: PickerState) -> PlainCommand {
    guard words.count == 2, let number = Int(words[0]), number >= 1, number <= state.columns.count
    else { return .unknown("select needs a column, 1 to \(state.columns.count), and a text") }
    let column = state.columns[number - 1]
    let wanted = words[1]
    let match = column.rowsKnown.first { $0.row.text == wanted || $0.row.key == wanted }
    guard let match else { return .unknown("column \(number) shows no \(wanted)") }
    return .command(
      .select(
        column: number - 1, row: match.index, generation: column.generation, key: match.row.key))
  }
}

/// States as lines: one when something that is written differs.
struct PlainPrinter {
  private var connection = ""
  private var chosen = ""

  mutating func lines(for state: PickerState) -> [String] {
    var lines: [String] = []
    let connection = Sentences.connection(state, saysWaiting: false)
    if connection != self.connection { lines.append("* \(connection)") }
    self.connection = connection
    guard state.definition != nil else { return lines }
    let chosen = Sentences.chosen(state)
    if chosen != self.chosen { lines.append("= \(chosen)") }
    self.chosen = chosen
    return lines
  }

  /// Everything that can be seen, for `show`.
  static func picture(of state: PickerState) -> [String] {
    var lines = ["= \(Sentences.chosen(state)), \(state.status.rawValue)"]
    for (index, column) in state.columns.enumerated() {
      let rows = column.rowsKnown.map { $0.index == column.row ? "[\($0.row.text)]" : $0.row.text }
      let more = rows.count < column.count ? " … \(column.count) in all" : ""
      lines.append("column \(index + 1): \(rows.joined(separator: " | "))\(more)")
    }
    for month in state.months.values.sorted(by: { $0.month < $1.month }) {
      let free = month.cells.filter { !$0.isOutside && !$0.isDisabled }.map(\.text)
      lines.append("\(month.month): \(free.joined(separator: " "))")
    }
    let names = state.members.map { $0.isOnline ? $0.name : "\($0.name) (offline)" }
    return lines + ["members: \(names.joined(separator: ", "))"]
  }
}
