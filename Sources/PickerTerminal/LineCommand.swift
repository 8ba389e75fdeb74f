import JSONText
import PickerClient

/// The parsed command of an input line.
enum LineCommand: Hashable {
  case command(PickerCommand)
  case touch(PickerTouch?, isHover: Bool = false)
  case months(from: PickerMonth, count: Int)
  case find(String, column: Int, limit: Int = 20)
  case show
  case quit
  case nothing
  /// An invalid command, with a message that has a correct example.
  case unknown(String)
}

extension LineCommand {
  private static let simple: [String: LineCommand] = [
    "clear": .command(.clear), "undo": .command(.undo), "redo": .command(.redo),
    "confirm": .command(.confirm), "cancel": .command(.cancel), "reopen": .command(.reopen),
    "show": .show, "state": .show, "quit": .quit,
  ]
  private static let known =
    "select COLUMN TEXT, find COLUMN TEXT, tap DATE, set VALUE, mark GRADE CELLS, clear, undo, "
    + "redo, confirm, cancel, reopen, rename NAME, touch, months, show or quit"
  private static let markHint =
    "mark needs yes, maybe, no or none, and 1 to 64 cells or ranges of cells that ascend, such as "
    + "mark yes 12-19 40"
  private static let findHint =
    "find needs a column of this picker and a text of 1 to 64 characters"
  private static let nameHint = "rename needs a name of 1 to 64 characters such as Mia"

  /// Parses words: `select 2 Green`, `tap 2026-11-20`, `set 2026-11-20 2026-11-24`,
  /// `find 2 gr`, `touch 2026-11-20`, `touch 2 Green`, `touch`, `months 2026-11 3`, `rename Mia`,
  /// `mark yes 12-19 40`, `confirm 12`, and the commands of one word.
  ///
  /// Columns count from 1. A row is given by its text or its key.
  init(words line: String, in state: PickerState) {
    let words = line.split(maxSplits: 2, whereSeparator: \.isWhitespace).map(String.init)
    guard let verb = words.first?.lowercased() else {
      self = .nothing
      return
    }
    let rest = Array(words.dropFirst())
    switch verb {
    case "tap":
      let day = rest.count == 1 ? PickerDay(rest[0]) : nil
      self = day.map { .command(.tap($0)) } ?? .unknown("tap needs a date such as 2026-11-20")
    case "select": self = Self.select(rest, in: state)
    case "find":
      let column = rest.first.flatMap { Int($0) }.map { $0 - 1 }
      self = Self.find(rest.dropFirst().first?.trimmed, column: column, in: state)
    case "rename":
      let name = Self.afterVerb(line)
      self = name.isEmpty ? .unknown(Self.nameHint) : .command(.rename(name))
    case "set":
      let value = state.value(typed: Self.afterVerb(line))
      self = value.map { .command(.set($0)) } ?? .unknown(Self.setHint(in: state))
    case "mark":
      self = Self.mark(line.split(whereSeparator: \.isWhitespace).dropFirst(), in: state)
    case "confirm" where !rest.isEmpty:
      let cell = rest.count == 1 ? Int(rest[0]) : nil
      self =
        cell.flatMap(state.confirming).map { .command($0) }
        ?? .unknown("confirm takes the first cell of a window of an availability, such as 12")
    case "touch": self = Self.touch(rest, in: state)
    case "months":
      let count = rest.count == 2 ? Int(rest[1]) : rest.count == 1 ? 1 : nil
      guard let count, let month = rest.first.flatMap({ PickerMonth($0) }) else {
        self = .unknown("months needs a month such as 2026-11 and a count")
        return
      }
      self = .months(from: month, count: count)
    default: self = Self.simple[verb] ?? .unknown("no such command; there are \(Self.known)")
    }
  }

  private static func afterVerb(_ line: String) -> String {
    let parts = line.trimmed.split(maxSplits: 1, whereSeparator: \.isWhitespace)
    return String((parts.dropFirst().first ?? "").drop(while: \.isWhitespace))
  }

  private static func setHint(in state: PickerState) -> String {
    guard let example = state.valueExample else { return "set: this picker has no whole value" }
    return "set needs a value such as \(example)"
  }

  private static func mark(_ words: ArraySlice<Substring>, in state: PickerState) -> LineCommand {
    guard let availability = state.availability, let word = words.first?.lowercased(),
      word == "none" || PickerGrade(rawValue: word) != nil
    else { return .unknown(markHint) }
    var runs: [Range<Int>] = []
    for word in words.dropFirst() {
      let ends = word.split(separator: "-", omittingEmptySubsequences: false).map { Int($0) }
      guard (1...2).contains(ends.count), let first = ends[0], let last = ends[ends.count - 1],
        first >= runs.last?.upperBound ?? 0, last >= first, last < .max
      else { return .unknown(markHint) }
      runs.append(first..<last + 1)
    }
    guard !runs.isEmpty else { return .unknown(markHint) }
    return .command(
      .mark(PickerGrade(rawValue: word), cells: runs, generation: availability.generation))
  }

  private static func select(_ words: [String], in state: PickerState) -> LineCommand {
    switch row(words, in: state) {
    case .failure(let problem): return .unknown("select: \(problem.sentence)")
    case .success(let found):
      let command = state.selecting(row: found.row, column: found.column)
      return command.map { .command($0) } ?? .unknown("select: no such row")
    }
  }

  private static func find(
    _ text: String?, column: Int?, limit: Int = 20, in state: PickerState
  ) -> LineCommand {
    guard let text, 1...64 ~= text.unicodeScalars.count, let column,
      state.columns.indices.contains(column)
    else { return .unknown(findHint) }
    return .find(text, column: column, limit: limit)
  }

  private static func touch(_ words: [String], in state: PickerState) -> LineCommand {
    if words.isEmpty { return .touch(nil) }
    if words.count == 1, let day = PickerDay(words[0]) { return .touch(.day(day)) }
    switch row(words, in: state) {
    case .failure(let problem): return .unknown("touch: \(problem.sentence)")
    case .success(let found): return .touch(.row(column: found.column, row: found.row))
    }
  }

  private struct Problem: Error { let sentence: String }

  private static func row(
    _ words: [String], in state: PickerState
  ) -> Result<(column: Int, row: Int), Problem> {
    guard !state.columns.isEmpty else { return .failure(Problem(sentence: "it has no columns")) }
    guard words.count == 2, let number = Int(words[0]), (1...state.columns.count).contains(number)
    else {
      return .failure(
        Problem(sentence: "a column, 1 to \(state.columns.count), and a row's text are needed"))
    }
    let wanted = words[1].trimmed
    let rows = state.columns[number - 1].rowsKnown
    let match = rows.first { $0.row.text == wanted } ?? rows.first { $0.row.key == wanted }
    guard let match else {
      return .failure(Problem(sentence: "column \(number) has no row \(wanted)"))
    }
    return .success((number - 1, match.index))
  }
}

extension LineCommand {
  /// Parses a message of the protocol without `ref`; columns and rows count from 0.
  ///
  /// A select refers to its row in the current ``PickerState`` by `row`, `key` or `text`.
  init(object: JSONTree, in state: PickerState) {
    switch object["type"]?.string {
    case "mark": self = Self.mark(object, in: state)
    case "confirm" where object["cell"] != nil:
      let generation = object["generation"]?.integer ?? state.availability?.generation
      guard let cell = object["cell"]?.integer, let generation else {
        self = .unknown("cell is the first cell of a window of an availability")
        return
      }
      self = .command(.confirmWindow(cell: cell, generation: generation))
    case "tap":
      let day = object["date"]?.string.flatMap { PickerDay($0) }
      self = day.map { .command(.tap($0)) } ?? .unknown("tap needs a date such as 2026-11-20")
    case "select":
      let row = object["column"]?.integer.flatMap { Self.row(object, column: $0, in: state) }
      let command = row.flatMap { state.selecting(row: $0.row, column: $0.column) }
      self =
        command.map { .command($0) }
        ?? .unknown("select needs a column from 0 and one of its rows as row, key or text")
    case "find":
      self = Self.find(
        object["text"]?.string, column: object["column"]?.integer,
        limit: object["limit"]?.integer ?? 20, in: state)
    case "set":
      let value = state.value(of: object["result"])
      self =
        value.map { .command(.set($0)) }
        ?? .unknown("set needs a result in the form in which this picker has its result")
    case "rename":
      self = object["name"]?.string.map { .command(.rename($0)) } ?? .unknown(Self.nameHint)
    case "touch":
      let isHover = object["hover"]?.bool ?? false
      if let day = object["date"]?.string.flatMap({ PickerDay($0) }) {
        self = .touch(.day(day), isHover: isHover)
      } else if let column = object["column"]?.integer,
        let found = Self.row(object, column: column, in: state)
      {
        self = .touch(.row(column: found.column, row: found.row), isHover: isHover)
      } else {
        self = .touch(nil)
      }
    case "months":
      guard let month = object["from"]?.string.flatMap({ PickerMonth($0) }) else {
        self = .unknown("months needs from, such as 2026-11, and count")
        return
      }
      self = .months(from: month, count: object["count"]?.integer ?? 1)
    case let type?: self = Self.simple[type] ?? .unknown("no such command; there are \(Self.known)")
    case nil: self = .unknown("a command is an object with a type, or words")
    }
  }

  private static func mark(_ object: JSONTree, in state: PickerState) -> LineCommand {
    let generation = object["generation"]?.integer ?? state.availability?.generation
    let name = object["grade"]
    let grade = name?.string.flatMap(PickerGrade.init)
    var runs: [Range<Int>] = []
    for run in object["cells"]?.array ?? [] {
      guard let ends = run.array, ends.count == 2, let from = ends[0].integer,
        let until = ends[1].integer, from < until
      else { return .unknown(objectMarkHint) }
      runs.append(from..<until)
    }
    guard grade != nil || name == .null, let generation, !runs.isEmpty else {
      return .unknown(objectMarkHint)
    }
    return .command(.mark(grade, cells: runs, generation: generation))
  }

  private static let objectMarkHint =
    "mark needs a grade, yes, maybe, no or null, and cells as runs such as [[12,20]]"

  private static func row(
    _ object: JSONTree, column: Int, in state: PickerState
  ) -> (column: Int, row: Int)? {
    guard state.columns.indices.contains(column) else { return nil }
    let rows = state.columns[column].rowsKnown
    if let row = object["row"]?.integer { return (column, row) }
    if let key = object["key"]?.string {
      return rows.first { $0.row.key == key }.map { (column, $0.index) }
    }
    return object["text"]?.string.flatMap { text in
      rows.first { $0.row.text == text }.map { (column, $0.index) }
    }
  }
}

extension String {
  /// The text without trailing whitespace.
  var trimmed: String { String(reversed().drop(while: \.isWhitespace).reversed()) }
}
