import JSONText

/// Decodes the state of an `availability`, and applies its changes.
extension PickerAvailability {
  /// More cells than any server has.
  private static let countMax = 100_000

  /// Decodes the part of a snapshot.
  init(_ tree: JSONTree) throws(MalformedMessage) {
    generation = 0
    (count, past, isClosed, timeZone) = (0, 0, tree.flag("closed"), "")
    (days, rows, months, weekdays) = ([], [], [], [])
    try number(tree)
    respondentCount = tree["respondents"]?.integer
    for marks in try tree.list("marks") { try mark(marks) }
    if let runs = tree["heat"]?.array {
      heat = Array(repeating: PickerGradeCounts(), count: count)
      try warm(runs)
    }
    if let windows = tree["best"]?.array { best = try Window.list(windows) }
  }

  mutating func apply(_ change: JSONTree) throws(MalformedMessage) {
    switch try change.text("change") {
    case "cells":
      respondents = []
      try number(change)
      if heat != nil { heat = Array(repeating: PickerGradeCounts(), count: count) }
    case "past": past = try change.number("past")
    case "closed": isClosed = change.flag("closed")
    case "marks": try mark(change)
    case "heat":
      respondentCount = try change.number("respondents")
      try warm(try change.list("runs"))
    case "best": best = try Window.list(try change.list("windows"))
    default: break
    }
  }

  /// Decodes what numbers the cells, and where they stand.
  private mutating func number(_ tree: JSONTree) throws(MalformedMessage) {
    generation = try tree.number("generation")
    count = try tree.number("count")
    guard (0...Self.countMax).contains(count) else { throw MalformedMessage(field: "count") }
    past = try tree.number("past")
    timeZone = try tree.text("timeZone")
    (days, rows, months) = ([], [], [])
    weekdays = tree["weekdays"]?.array?.compactMap(\.string) ?? []
    for day in try tree.list("days") {
      days.append(
        Day(
          date: try day.day("date"), text: try day.text("text"), number: day["day"]?.string,
          runs: try Run.list(day["cells"]?.array ?? [], count)))
    }
    for row in tree["rows"]?.array ?? [] {
      rows.append(
        Row(
          time: try row.text("time"), text: try row.text("text"), isAgain: row.flag("again"),
          isGap: row.flag("gap")))
    }
    for month in tree["months"]?.array ?? [] {
      months.append(
        Month(
          month: try month.month("month"), title: try month.text("title"),
          runs: try Run.list(try month.list("cells"), count)))
    }
  }

  private mutating func mark(_ tree: JSONTree) throws(MalformedMessage) {
    let id = try tree.text("member")
    let index = respondents.firstIndex { $0.id == id }
    let new = Respondent(
      id: id, name: try tree.text("name"), color: try tree.text("color"),
      grades: Array(repeating: nil, count: count))
    var respondent = index.map { respondents[$0] } ?? new
    for run in try tree.list("runs") {
      let grade = run.array?.last?.string.flatMap(PickerGrade.init)
      for cell in try Run.range(run, count) { respondent.grades[cell] = grade }
    }
    switch (index, respondent.grades.contains { $0 != nil }) {
    case (let index?, true): respondents[index] = respondent
    case (let index?, false): respondents.remove(at: index)
    case (nil, true): respondents.append(respondent)
    case (nil, false): break
    }
  }

  private mutating func warm(_ runs: [JSONTree]) throws(MalformedMessage) {
    var heat = self.heat ?? Array(repeating: PickerGradeCounts(), count: count)
    for run in runs {
      let numbers = (run.array ?? []).compactMap(\.integer)
      guard numbers.count >= 5 else { throw MalformedMessage(field: "runs") }
      let counts = PickerGradeCounts(yes: numbers[2], maybe: numbers[3], no: numbers[4])
      for cell in try Run.range(run, count) { heat[cell] = counts }
    }
    self.heat = heat
  }

  /// Sets ``shownGrades``.
  ///
  /// - Parameter member: This member.
  mutating func predict(_ pending: [PendingCommands.Entry], of member: String?) {
    let own = respondents.first { $0.id == member }?.grades
    var grades = own ?? Array(repeating: nil, count: count)
    for entry in pending {
      switch entry.command {
      case .mark(let grade, let runs, generation):
        for run in runs where run.upperBound <= count {
          for cell in run { grades[cell] = grade }
        }
      case .clear: grades = Array(repeating: nil, count: count)
      case .mark, .select, .tap, .undo, .redo, .confirm, .confirmWindow, .cancel, .reopen, .rename:
        continue
      }
    }
    shownGrades = grades
  }

  mutating func rename(_ member: PickerMember) {
    guard let index = respondents.firstIndex(where: { $0.id == member.id }) else { return }
    respondents[index].name = member.name
  }
}

extension PickerAvailability.Run {
  fileprivate static func list(
    _ trees: [JSONTree], _ count: Int
  ) throws(MalformedMessage) -> [PickerAvailability.Run] {
    var runs: [PickerAvailability.Run] = []
    for tree in trees {
      let numbers = (tree.array ?? []).compactMap(\.integer)
      guard numbers.count >= 3, numbers[0] >= 0, numbers[1] >= 0, numbers[1] <= count,
        numbers[0] <= count - numbers[1]
      else { throw MalformedMessage(field: "cells") }
      runs.append(
        PickerAvailability.Run(
          cells: numbers[0]..<numbers[0] + numbers[1], position: numbers[2]))
    }
    return runs
  }

  /// The cells of a run `[from, until, …]`.
  fileprivate static func range(
    _ tree: JSONTree, _ count: Int
  ) throws(MalformedMessage) -> Range<Int> {
    guard let fields = tree.array, fields.count >= 3, let from = fields[0].integer,
      let until = fields[1].integer, from >= 0, from < until, until <= count
    else { throw MalformedMessage(field: "runs") }
    return from..<until
  }
}

extension PickerAvailability.Window {
  fileprivate static func list(
    _ trees: [JSONTree]
  ) throws(MalformedMessage) -> [PickerAvailability.Window] {
    var windows: [PickerAvailability.Window] = []
    for tree in trees {
      windows.append(
        PickerAvailability.Window(
          cell: try tree.number("cell"), text: try tree.text("text"),
          counts: try PickerGradeCounts(tree)))
    }
    return windows
  }
}

extension PickerGradeCounts {
  init(_ tree: JSONTree) throws(MalformedMessage) {
    self.init(
      yes: try tree.number("yes"), maybe: try tree.number("maybe"), no: try tree.number("no"))
  }
}
