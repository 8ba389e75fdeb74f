import CivilTime
import JSONText

/// The options of a `calendar`: a list of months in which two taps select a range, or one tap a
/// day.
///
/// - Source: web/guide/definitions.md, "`calendar`".
///
/// A class rather than a struct, because it is large and each tap reads it several times.
final class CalendarKind: Sendable {
  enum Selection: String, Sendable, CaseIterable { case range, single }

  let dates: CalendarDates
  /// 1 = Sunday … 7 = Saturday.
  let firstWeekday: Int
  let weeks: GridWeeks
  let selection: Selection
  let minDays: Int
  let maxDays: Int?
  let blocked: BlockedDays
  let allowBlockedInside: Bool

  static let shape: [String: FieldShape] = [
    "months": .fields(["from": .value, "through": .value]), "firstWeekday": .value,
    "weeks": .value, "selection": .value, "min": .value, "max": .value, "minDays": .value,
    "maxDays": .value, "blocked": BlockedDays.shape, "allowBlockedInside": .value,
    "taken": BlockedDays.takenShape,
  ]

  init?(_ reader: inout DefinitionReader) {
    let dates = CalendarDates(&reader)
    let firstWeekday = reader.integer("firstWeekday", 1...7, missing: 1)
    let weeks = reader.word("weeks", missing: GridWeeks.six)
    let selection = reader.word("selection", missing: Selection.range)
    let minDays = reader.integer("minDays", 1...Int.max, missing: 1)
    let maxDays = reader.integer("maxDays", 1...Int.max, missing: Int.max)
    let entries = reader
    let blocked = reader.field("blocked", missing: []) { tree throws(DefinitionProblem) in
      try BlockedDays.entries(tree, entries)
    }
    let taken = reader.field("taken", missing: []) { tree throws(DefinitionProblem) in
      try BlockedDays.taken(tree, entries)
    }
    let allowBlockedInside = reader.bool("allowBlockedInside", missing: false)
    if let minDays, let maxDays, minDays > maxDays {
      let detail = "minDays is \(minDays), more than maxDays, which is \(maxDays)"
      reader.report(reader.has("minDays") ? "minDays" : "maxDays", detail)
    }
    guard let firstWeekday, let weeks, let selection, let minDays, let maxDays, let blocked,
      let taken, let allowBlockedInside
    else { return nil }
    self.dates = dates
    self.firstWeekday = firstWeekday
    self.weeks = weeks
    self.selection = selection
    self.minDays = minDays
    self.maxDays = reader.has("maxDays") ? maxDays : nil
    self.blocked = BlockedDays(entries: blocked, taken: taken)
    self.allowBlockedInside = allowBlockedInside
  }

  var members: [JSONTree.Member] {
    var members = [dates.monthsMember]
    members.append(.init("firstWeekday", .integer(firstWeekday)))
    members.append(.init("weeks", .string(weeks.rawValue)))
    members.append(.init("selection", .string(selection.rawValue)))
    members += dates.boundMembers
    members.append(.init("minDays", .integer(minDays)))
    if let maxDays { members.append(.init("maxDays", .integer(maxDays))) }
    members += blocked.members
    return members + [.init("allowBlockedInside", .bool(allowBlockedInside))]
  }

  func grid(of month: CivilMonth) -> MonthGrid {
    MonthGrid(month: month, firstWeekday: firstWeekday, weeks: weeks)
  }
}

extension Definition {
  /// The weekdays of a calendar's columns from left to right, 1 = Sunday … 7 = Saturday; empty for
  /// the other kinds.
  package var weekdays: [Int] {
    guard case .calendar(let kind) = rules else { return [] }
    return (0..<7).map { (kind.firstWeekday - 1 + $0) % 7 + 1 }
  }
}
