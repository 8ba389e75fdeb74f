import PickerClient

/// The output format of a ``LineClient``, which calls it in the order of events.
protocol LineFormat {
  /// The lines for the changes of `state` since the last call.
  mutating func lines(for state: PickerState) -> [String]
  func line(for notice: PickerNotice, in state: PickerState) -> String?
  /// - Parameter line: The input line of the command.
  func line(
    for answer: Result<Int, PickerFailure>, to line: InputLine, in state: PickerState
  ) -> String?
  /// - Parameter line: The input line of the search.
  func line(for found: PickerFound, to line: InputLine) -> String
  /// The output for an invalid input line.
  func line(forUnknown line: InputLine, _ sentence: String) -> String
  /// The complete state, for `show`.
  func picture(of state: PickerState) -> [String]
}

/// Sentences, without `--json`. A prefix marks the connection (`* `), the selection (`= `), invalid
/// commands (`? `) and failed ones (`! `); other lines are notices.
struct PlainFormat: LineFormat {
  private var connection = ""
  private var chosen = ""

  mutating func lines(for state: PickerState) -> [String] {
    var lines: [String] = []
    // Short states: between "connecting" and "connected", and between two waits for a token.
    if state.connection == .joining { return [] }
    if state.connection == .connecting && state.tokenCloseCode != nil { return [] }
    let connection = Sentences.connection(state)
    if connection != self.connection { lines.append("* \(connection)") }
    self.connection = connection
    guard state.definition != nil else { return lines }
    let status = state.status == .open ? "" : " (\(Sentences.status(state)))"
    let chosen = Sentences.chosen(state) + status
    if chosen != self.chosen { lines.append("= \(chosen)") }
    self.chosen = chosen
    return lines
  }

  func line(for notice: PickerNotice, in state: PickerState) -> String? {
    Sentences.notice(notice, in: state)
  }

  func line(
    for answer: Result<Int, PickerFailure>, to line: InputLine, in state: PickerState
  ) -> String? {
    guard case .failure(let failure) = answer else { return nil }
    return "! \(line.text): \(Sentences.failure(failure, in: state))"
  }

  func line(for found: PickerFound, to line: InputLine) -> String {
    guard !found.rows.isEmpty else { return "\(line.text): no row is found" }
    let rows = found.rows.map(\.text).joined(separator: " | ")
    return "column \(found.column + 1): \(rows)\(found.hasMore ? " … and more" : "")"
  }

  func line(forUnknown line: InputLine, _ sentence: String) -> String {
    "? \(line.text): \(sentence)"
  }

  func picture(of state: PickerState) -> [String] {
    var lines = ["= \(Sentences.chosen(state)), \(Sentences.status(state))"]
    for (index, column) in state.columns.enumerated() {
      let rows = column.rowsKnown.map { $0.index == column.row ? "[\($0.row.text)]" : $0.row.text }
      let more = rows.count < column.count ? " … \(column.count) in all" : ""
      lines.append("column \(index + 1): \(rows.joined(separator: " | "))\(more)")
    }
    for month in state.months.values.sorted(by: { $0.month < $1.month }) {
      let free = month.cells.filter { !$0.isOutside && !$0.isDisabled }.map { cell in
        // A stay can only begin on `>15`, and only end on `15>`.
        cell.only == .arrival ? ">\(cell.text)" : cell.only == nil ? cell.text : "\(cell.text)>"
      }
      lines.append("\(month.month): \(free.joined(separator: " "))")
    }
    if let cells = state.availability { lines += picture(of: cells) }
    let names = state.members.map { $0.isOnline ? $0.name : "\($0.name) (offline)" }
    return lines + ["members: \(names.joined(separator: ", "))"]
  }

  private func picture(of cells: PickerAvailability) -> [String] {
    let shown = (0..<cells.count).map { cell in
      let heat = cells.heat.map { ", \(Sentences.counts($0[cell]))" } ?? ""
      let own = cells.shownGrades[cell].map { ", you \($0.rawValue)" } ?? ""
      let past = cell < cells.past ? ", past" : ""
      return "cell \(cell): \(Sentences.cell(cell, of: cells))\(heat)\(own)\(past)"
    }
    let best = (cells.best ?? []).map {
      "best, cell \($0.cell): \($0.text): \(Sentences.counts($0.counts))"
    }
    return shown + best
  }
}
