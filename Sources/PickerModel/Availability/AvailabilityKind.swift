import CivilTime
import JSONText

/// The options of an `availability`: members mark when they can, and the best windows are found.
///
/// - Source: web/guide/definitions.md, "`availability`".
///
/// A class rather than a struct, because it is large.
final class AvailabilityKind: Sendable {
  enum Unmarked: String, Sendable, CaseIterable { case no, yes }

  let dates: AvailabilityDates
  /// The slots as long as a step, each of which is a cell; `nil` if the cells are whole dates.
  private let times: SlotKind?
  private let hours: CellHours
  private let blocked: BlockedDays
  /// 1 = Sunday … 7 = Saturday.
  let firstWeekday: Int
  /// The cells of a window.
  let length: Int
  let unmarked: Unmarked
  let minimum: Int
  let hasMaybe: Bool
  let results: ResultsAudience
  private let closes: TakenTimes.Moment?
  /// The instant from which marks cannot be changed; `nil` if there is none.
  let closesAt: Instant?
  /// The definition's.
  let cellZone: CellZone
  /// The cells, unless they depend on the day.
  private let fixedCells: CellList?

  /// Whether cells are whole dates, not times.
  var cellsAreDates: Bool { times == nil }

  static let shape: [String: FieldShape] = [
    "dates": AvailabilityDates.shape, "stepMinutes": .value, "hours": SlotHours.shape,
    "exceptions": .eachMember(.each(SlotWindow.shape)), "taken": TakenTimes.shape,
    "bufferMinutes": .value, "blocked": BlockedDays.shape, "firstWeekday": .value,
    "length": .value, "unmarked": .value, "minimum": .value, "maybe": .value, "results": .value,
    "closes": .value,
  ]

  /// - Parameter zone: `nil` if `timeZone` is invalid, which its reader reports.
  init?(_ reader: inout DefinitionReader, in zone: ZoneRules?) {
    let whole = reader
    let dates = reader.field("dates", missing: nil) { tree throws(DefinitionProblem) in
      try AvailabilityDates(tree, whole)
    }
    let step = AvailabilityKind.step(&reader)
    let hours = CellHours(&reader, in: zone)
    let blocked = reader.field("blocked", missing: []) { tree throws(DefinitionProblem) in
      try BlockedDays.entries(tree, whole)
    }
    let firstWeekday = reader.integer("firstWeekday", 1...7, missing: 1)
    let lengthMax =
      switch step {
      case .some(.some(let minutes)): 1_440 / minutes
      case .some(nil): 31
      case nil: 288
      }
    let length = reader.integer("length", 1...lengthMax, missing: 1)
    let unmarked = reader.word("unmarked", missing: Unmarked.no)
    let minimum = reader.integer("minimum", 1...1_000, missing: 1)
    let hasMaybe = reader.bool("maybe", missing: true)
    let results = reader.word("results", missing: ResultsAudience.everyone)
    let closes =
      reader.has("closes") ? TakenTimes.moment("closes", &reader).map(Optional.some) : .some(nil)
    guard let dates, let step, let hours, let blocked, let firstWeekday, let length, let unmarked,
      let minimum, let hasMaybe, let results, let closes
    else { return nil }
    self.dates = dates
    self.hours = hours
    times = step.map(hours.slots)
    self.blocked = BlockedDays(entries: blocked, taken: [])
    self.firstWeekday = firstWeekday
    self.length = length
    self.unmarked = unmarked
    self.minimum = minimum
    self.hasMaybe = hasMaybe
    self.results = results
    self.closes = closes
    // An invalid zone has been reported, and this kind will not be used.
    let rules = zone ?? .utc
    cellZone = CellZone(name: whole.tree("timeZone")?.string ?? "UTC", rules: rules)
    closesAt = closes?.instant(in: rules)
    guard let bounds = try? dates.bounds(today: reader.today) else {
      fixedCells = nil
      return
    }
    let cells = AvailabilityKind.cells(
      of: dates.dates(within: bounds), times, self.blocked, in: rules)
    fixedCells = dates.dependOnToday ? nil : cells
    if cells.count > reader.limits.cellsMax {
      reader.report(
        "dates", "there are more than \(reader.limits.cellsMax) cells; use fewer dates or hours")
    }
  }

  /// - Returns: `.some(nil)` without `stepMinutes`; `nil` if it is invalid.
  private static func step(_ reader: inout DefinitionReader) -> Int?? {
    reader.field("stepMinutes", missing: .some(nil)) { tree throws(DefinitionProblem) in
      if case .integer(let step) = tree, step >= 5, 60 % step == 0 { return Optional(step) }
      throw DefinitionProblem(
        "stepMinutes is \(tree.noun); it must be 5, 6, 10, 12, 15, 20, 30 or 60")
    }
  }

  var members: [JSONTree.Member] {
    var members: [JSONTree.Member] = [.init("dates", dates.document)]
    if let times { members.append(.init("stepMinutes", .integer(times.stepMinutes))) }
    members += hours.members
    members += blocked.members
    members += [
      .init("firstWeekday", .integer(firstWeekday)), .init("length", .integer(length)),
      .init("unmarked", .string(unmarked.rawValue)), .init("minimum", .integer(minimum)),
      .init("maybe", .bool(hasMaybe)), .init("results", .string(results.rawValue)),
    ]
    if let closes { members.append(.init("closes", .string(closes.text))) }
    return members
  }
}

/// The times of an `availability` that have cells: `hours`, `exceptions`, `taken`, `bufferMinutes`.
private struct CellHours: Sendable {
  private let hours: [SlotHours]
  private let exceptions: [(date: CivilDate, windows: [SlotWindow])]
  private let taken: TakenTimes
  private let bufferMinutes: Int

  init?(_ reader: inout DefinitionReader, in zone: ZoneRules?) {
    let whole = reader
    let hours = reader.field("hours", missing: [SlotHours.office]) {
      tree throws(DefinitionProblem) in
      try SlotHours.entries(tree, whole)
    }
    let exceptions = reader.field("exceptions", missing: []) { tree throws(DefinitionProblem) in
      try SlotKind.dates(tree, named: "exceptions", whole)
    }
    let taken = reader.field("taken", missing: TakenTimes.none) { tree throws(DefinitionProblem) in
      try TakenTimes(tree, whole, in: zone)
    }
    let buffer = reader.integer("bufferMinutes", 0...1_440, missing: 0)
    guard let hours, let exceptions, let taken, let buffer else { return nil }
    self.hours = hours
    self.exceptions = exceptions
    self.taken = taken
    bufferMinutes = buffer
  }

  /// The slots that are as long as a step.
  func slots(stepMinutes: Int) -> SlotKind {
    SlotKind(
      stepMinutes: stepMinutes, hours: hours, dates: exceptions, taken: taken,
      bufferMinutes: bufferMinutes)
  }

  var members: [JSONTree.Member] {
    var members = [JSONTree.Member("hours", .array(hours.map(\.document)))]
    if !exceptions.isEmpty {
      members.append(.init("exceptions", SlotKind.document(of: exceptions)))
    }
    if let taken = taken.document { members.append(.init("taken", taken)) }
    return members + [.init("bufferMinutes", .integer(bufferMinutes))]
  }
}

/// Who sees other members' marks and the counts: the option `results`.
package enum ResultsAudience: String, Sendable, CaseIterable {
  case everyone
  /// Only owners and the host see others' marks.
  case counts
  /// Only they see the counts, too.
  case owner
}

extension AvailabilityDates {
  /// The bounds on the day `today`.
  ///
  /// - Throws: A problem with a pointer from the field; also if the dates are relative and `today`
  ///   is `nil`.
  func bounds(today: CivilDate?) throws(DefinitionProblem) -> PickerBounds {
    if let range = try range(today: today) { return .dates(range) }
    guard today != nil || !dependOnToday else {
      throw DefinitionProblem("the dates are relative to a day")
    }
    return .fixed
  }
}

extension AvailabilityKind {
  /// The bounds on the day `today`.
  ///
  /// The maximum of dates is not checked: it applies when a definition is made.
  /// - Throws: A problem that a definition made today would have.
  func bounds(today: CivilDate) throws(DefinitionProblem) -> PickerBounds {
    try under("dates") { () throws(DefinitionProblem) in
      let bounds = try dates.bounds(today: today)
      let cellsMax = DefinitionLimits().cellsMax
      guard cells(within: bounds).count <= cellsMax else {
        throw DefinitionProblem("there are more than \(cellsMax) cells")
      }
      return bounds
    }
  }

  /// The cells within `bounds`; if there are too many, at least one more than allowed.
  func cells(within bounds: PickerBounds) -> CellList {
    if let fixedCells { return fixedCells }
    return AvailabilityKind.cells(
      of: dates.dates(within: bounds), times, blocked, in: cellZone.rules)
  }

  private static func cells(
    of dates: [CivilDate], _ times: SlotKind?, _ blocked: BlockedDays, in zone: ZoneRules
  ) -> CellList {
    let open = dates.filter { !blocked.contains($0) }
    let cellsMax = DefinitionLimits().cellsMax
    guard let times else { return CellList(dates: Array(open.prefix(cellsMax + 1))) }
    let slots = SlotTimes(kind: times, zone: zone)
    let step = times.stepMinutes * 60
    var starts: [Int64] = []
    for date in open where date <= SlotKind.lastDate {
      for run in slots.runs(of: date, from: .first) {
        for second in stride(
          from: run.seconds.lowerBound, through: run.seconds.upperBound, by: step)
        {
          starts.append(
            zone.instant(of: date, second: second, offsetSeconds: run.offsetSeconds).seconds)
        }
      }
      if starts.count > cellsMax { break }
    }
    // A clock change from after midnight to before it mixes the times of two dates.
    return CellList(starts: starts.sorted(), stepSeconds: Int64(step))
  }
}

extension Definition {
  /// Who sees other members' marks and the counts of an `availability`; `nil` for the other kinds.
  package var results: ResultsAudience? {
    if case .availability(let kind) = rules { kind.results } else { nil }
  }
}
