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
  /// What a range consists of.
  enum Unit: String, Sendable, CaseIterable { case days, nights }

  let dates: CalendarDates
  /// 1 = Sunday … 7 = Saturday.
  let firstWeekday: Int
  let weeks: GridWeeks
  let unit: Unit
  let selection: Selection
  let minDays: Int
  let maxDays: Int?
  let blocked: BlockedDays
  /// The levels of the days, or nights, as the session sees them; `nil` without inventory.
  let inventory: KeyLevels?
  let allowBlockedInside: Bool
  /// `nil` for days.
  let stays: StayRules?
  /// The currency of the notes' amounts.
  let currency: String?

  private static let shape: [String: FieldShape] = [
    "months": .fields(["from": .value, "through": .value]), "firstWeekday": .value,
    "weeks": .value, "unit": .value, "selection": .value, "min": .value, "max": .value,
    "minDays": .value, "maxDays": .value, "blocked": BlockedDays.shape,
    "allowBlockedInside": .value, "minNights": .value, "maxNights": .value,
    "stays": StayRules.shape, "taken": BlockedDays.takenShape, "currency": .value,
  ]
  private static let daysFields = ["minDays", "maxDays", "allowBlockedInside"]
  private static let nightsFields = ["minNights", "maxNights", "stays"]

  /// The fields of the unit of `document`; those of both if its unit is invalid.
  static func shape(of document: JSONTree) -> [String: FieldShape] {
    switch document["unit"] {
    case nil, .string(Unit.days.rawValue): shape.filter { !nightsFields.contains($0.key) }
    case .string(Unit.nights.rawValue): shape.filter { !daysFields.contains($0.key) }
    default: shape
    }
  }

  init?(_ reader: inout DefinitionReader) {
    let dates = CalendarDates(&reader)
    let firstWeekday = reader.integer("firstWeekday", 1...7, missing: 1)
    let weeks = reader.word("weeks", missing: GridWeeks.six)
    let unit = reader.word("unit", missing: Unit.days)
    let selection = reader.word("selection", missing: Selection.range)
    if unit == .nights, selection == .single {
      reader.report("selection", "selection is \"single\"; it must be \"range\" for nights")
    }
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
    let stays = StayRules(&reader)
    let currency = reader.field("currency", missing: "") { tree throws(DefinitionProblem) in
      try tree.currency()
    }
    if let minDays, let maxDays, minDays > maxDays {
      let detail = "minDays is \(minDays), more than maxDays, which is \(maxDays)"
      reader.report(reader.has("minDays") ? "minDays" : "maxDays", detail)
    }
    guard let firstWeekday, let weeks, let unit, let selection, let minDays, let maxDays,
      let blocked, let taken, let allowBlockedInside, let stays, let currency
    else { return nil }
    self.dates = dates
    self.firstWeekday = firstWeekday
    self.weeks = weeks
    self.unit = unit
    self.selection = selection
    self.minDays = minDays
    self.maxDays = reader.has("maxDays") ? maxDays : nil
    self.blocked = BlockedDays(entries: blocked, taken: taken)
    inventory = nil
    self.allowBlockedInside = allowBlockedInside
    self.stays = unit == .nights ? stays : nil
    self.currency = reader.has("currency") ? currency : nil
  }

  /// The same options with other levels.
  init(_ other: CalendarKind, seeing inventory: KeyLevels?) {
    dates = other.dates
    firstWeekday = other.firstWeekday
    weeks = other.weeks
    unit = other.unit
    selection = other.selection
    minDays = other.minDays
    maxDays = other.maxDays
    blocked = other.blocked
    allowBlockedInside = other.allowBlockedInside
    stays = other.stays
    currency = other.currency
    self.inventory = inventory
  }

  var members: [JSONTree.Member] {
    var members = [dates.monthsMember]
    members.append(.init("firstWeekday", .integer(firstWeekday)))
    members.append(.init("weeks", .string(weeks.rawValue)))
    members.append(.init("unit", .string(unit.rawValue)))
    members.append(.init("selection", .string(selection.rawValue)))
    members += dates.boundMembers
    if let stays {
      members += stays.members + blocked.members
    } else {
      members.append(.init("minDays", .integer(minDays)))
      if let maxDays { members.append(.init("maxDays", .integer(maxDays))) }
      members += blocked.members
      members.append(.init("allowBlockedInside", .bool(allowBlockedInside)))
    }
    if let currency { members.append(.init("currency", .string(currency))) }
    return members
  }

  func grid(of month: CivilMonth) -> MonthGrid {
    MonthGrid(month: month, firstWeekday: firstWeekday, weeks: weeks)
  }
}

extension JSONTree {
  /// The code of a currency.
  ///
  /// - Source: ISO 4217.
  fileprivate func currency() throws(DefinitionProblem) -> String {
    if case .string(let code) = self, code.utf8.count == 3,
      code.utf8.allSatisfy({ (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) })
    {
      return code
    }
    throw DefinitionProblem("currency is \(noun); it must be three capital letters, such as EUR")
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
