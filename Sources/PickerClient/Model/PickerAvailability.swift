import JSONText

/// What a member can say about a cell of an `availability`.
public enum PickerGrade: String, Hashable, Sendable, CaseIterable {
  case yes, maybe, no
}

/// How many members have each grade.
public struct PickerGradeCounts: Hashable, Sendable {
  public let yes: Int
  public let maybe: Int
  public let no: Int

  public init(yes: Int = 0, maybe: Int = 0, no: Int = 0) {
    self.yes = yes
    self.maybe = maybe
    self.no = no
  }
}

/// The cells of an `availability`, who has marked them, and the best windows.
///
/// Cells are numbered from 0, by time. A cell of ``days`` and ``rows`` is a time:
///
/// ```swift
/// for (column, day) in cells.days.enumerated() {
///   for row in cells.rows.indices {
///     guard let cell = cells.cell(day: column, row: row) else { continue }
///     draw(cells.shownGrades[cell], over: cells.heat?[cell], isPast: cell < cells.past)
///   }
/// }
/// ```
///
/// Without ``rows`` a cell is a date, and ``months`` says where it stands in the grid of its month.
public struct PickerAvailability: Hashable, Sendable {
  /// Counts the changes of the numbering of the cells, from 1.
  public internal(set) var generation: Int
  /// The number of cells, at most 4,032.
  public internal(set) var count: Int
  /// The number of cells that are past: the first ones. They cannot be marked any more.
  public internal(set) var past: Int
  /// Whether marks cannot be changed any more.
  public internal(set) var isClosed: Bool
  /// The zone of ``days`` and ``rows``: that of the ``ClientProfile``, or the definition's.
  public internal(set) var timeZone: String
  public internal(set) var days: [Day]
  /// The local times at which cells begin, in the order of the day; empty if cells are dates.
  public internal(set) var rows: [Row]
  /// The months of the dates; empty if cells are times.
  public internal(set) var months: [Month]
  /// The names of the seven columns of ``months``; empty if cells are times.
  public internal(set) var weekdays: [String]
  /// The number of members with a mark; `nil` if this member may not know.
  public internal(set) var respondentCount: Int?
  /// The members with a mark that this member may see, at least itself, also those that have left.
  public internal(set) var respondents: [Respondent] = []
  /// The number of marks of each cell; `nil` if this member may not know.
  public internal(set) var heat: [PickerGradeCounts]?
  /// At most five windows, the best first; `nil` if this member may not know.
  public internal(set) var best: [Window]?
  /// This member's grades by cell, with the predicted effect of its pending commands.
  public internal(set) var shownGrades: [PickerGrade?] = []

  /// Consecutive cells that stand one after the other.
  public struct Run: Hashable, Sendable {
    public let cells: Range<Int>
    /// The row of the first cell; in a month its position in the grid, in whole weeks.
    public let position: Int
  }

  public struct Day: Hashable, Sendable {
    public let date: PickerDay
    /// In this member's language.
    public let text: String
    /// The day of the month, if cells are dates: then there is a day for each cell.
    public let number: String?
    /// The cells of the day; empty if cells are dates.
    public let runs: [Run]
  }

  public struct Row: Hashable, Sendable {
    /// `HH:MM`.
    public let time: String
    /// In this member's language.
    public let text: String
    /// Whether it is the second occurrence of an hour that a clock change repeats.
    public let isAgain: Bool
    /// Whether on no day a cell of this row begins where one of the row before ends.
    public let isGap: Bool
  }

  public struct Month: Hashable, Sendable {
    public let month: PickerMonth
    public let title: String
    public let runs: [Run]
  }

  /// A member with a mark.
  public struct Respondent: Hashable, Sendable, Identifiable {
    public let id: String
    public internal(set) var name: String
    /// `#rrggbb`.
    public let color: String
    /// By cell; `nil` without a mark.
    public internal(set) var grades: [PickerGrade?]
  }

  /// Consecutive cells of the wanted length.
  public struct Window: Hashable, Sendable {
    /// The number of its first cell.
    public let cell: Int
    /// In this member's language and zone.
    public let text: String
    public let counts: PickerGradeCounts
  }

  /// Whether cells are dates, not times.
  public var areDates: Bool { !months.isEmpty || rows.isEmpty && !weekdays.isEmpty }

  /// The cell of a day and a row; `nil` if there is none.
  public func cell(day: Int, row: Int) -> Int? {
    guard days.indices.contains(day) else { return nil }
    for run in days[day].runs where row >= run.position && row < run.position + run.cells.count {
      return run.cells.lowerBound + row - run.position
    }
    return nil
  }

  /// The cell at a position of a month's grid; `nil` if there is none.
  public func cell(of month: Int, position: Int) -> Int? {
    guard months.indices.contains(month) else { return nil }
    for run in months[month].runs
    where position >= run.position && position < run.position + run.cells.count {
      return run.cells.lowerBound + position - run.position
    }
    return nil
  }
}

extension PickerState {
  /// The commands that mark cells with a grade, or with `nil` remove this member's marks from them:
  /// one for each 64 runs of consecutive cells. Past cells, and cells that have the grade already,
  /// are left out.
  ///
  /// ```swift
  /// for command in state.marking(12..<20, as: .yes) { picker.send(command) }
  /// ```
  public func marking(_ cells: some Sequence<Int>, as grade: PickerGrade?) -> [PickerCommand] {
    guard let availability else { return [] }
    let wanted = Set(cells).filter {
      $0 >= availability.past && $0 < availability.count && availability.shownGrades[$0] != grade
    }
    var runs: [Range<Int>] = []
    for cell in wanted.sorted() {
      if let last = runs.last, last.upperBound == cell {
        runs[runs.count - 1] = last.lowerBound..<cell + 1
      } else {
        runs.append(cell..<cell + 1)
      }
    }
    return stride(from: 0, to: runs.count, by: PickerCommand.runsMax).map { start in
      .mark(
        grade, cells: Array(runs[start..<min(start + PickerCommand.runsMax, runs.count)]),
        generation: availability.generation)
    }
  }

  /// The command that confirms the window that begins at a cell; `nil` for other kinds.
  public func confirming(cell: Int) -> PickerCommand? {
    availability.map { .confirmWindow(cell: cell, generation: $0.generation) }
  }
}

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
    weekdays = tree["weekdays"]?.array?.compactMap(\.string) ?? []
    let count = count
    days = try tree.list("days").map { day throws(MalformedMessage) in
      Day(
        date: try day.day("date"), text: try day.text("text"), number: day["day"]?.string,
        runs: try Run.list(day["cells"]?.array ?? [], count))
    }
    rows = try (tree["rows"]?.array ?? []).map { row throws(MalformedMessage) in
      Row(
        time: try row.text("time"), text: try row.text("text"), isAgain: row.flag("again"),
        isGap: row.flag("gap"))
    }
    months = try (tree["months"]?.array ?? []).map { month throws(MalformedMessage) in
      Month(
        month: try month.month("month"), title: try month.text("title"),
        runs: try Run.list(try month.list("cells"), count))
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
      case .mark, .select, .tap, .set, .undo, .redo, .confirm, .confirmWindow, .cancel, .reopen,
        .rename, .units, .hold, .release, .wait:
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
    try trees.map { tree throws(MalformedMessage) in
      let numbers = (tree.array ?? []).compactMap(\.integer)
      guard numbers.count >= 3, numbers[0] >= 0, numbers[1] >= 0, numbers[1] <= count,
        numbers[0] <= count - numbers[1]
      else { throw MalformedMessage(field: "cells") }
      return PickerAvailability.Run(
        cells: numbers[0]..<numbers[0] + numbers[1], position: numbers[2])
    }
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
    try trees.map { tree throws(MalformedMessage) in
      PickerAvailability.Window(
        cell: try tree.number("cell"), text: try tree.text("text"),
        counts: try PickerGradeCounts(tree))
    }
  }
}

extension PickerGradeCounts {
  init(_ tree: JSONTree) throws(MalformedMessage) {
    self.init(
      yes: try tree.number("yes"), maybe: try tree.number("maybe"), no: try tree.number("no"))
  }
}
