import CivilTime
import JSONText

/// What happens to the later columns when a member selects a row in an earlier one.
enum ParentChange: String, Sendable, CaseIterable {
  /// They go to their first rows.
  case first
  /// They keep their keys where these still exist.
  case keep
}

/// The options of a `slot`: columns for day, hour and minute of a booking.
///
/// - Source: web/guide/definitions.md, "`slot`".
///
/// A class rather than a struct, because it is large.
final class SlotKind: Sendable {
  let leadMinutes: Int
  /// A divisor of 60.
  let stepMinutes: Int
  let days: Int
  let onParentChange: ParentChange
  /// The length of a booking; default: one step.
  let minutes: Int
  let areMinutesGiven: Bool
  /// The time that must be free before and after each entry of `taken`.
  let bufferMinutes: Int
  let taken: TakenTimes
  /// `nil` if there are no opening hours: always open.
  private let hours: [SlotHours]?
  /// The field `dates` as given, whose windows replace those of ``hours``.
  private let dates: [(date: CivilDate, windows: [SlotWindow])]
  private let windowsOfDates: [CivilDate: [SlotWindow]]
  /// By weekday, Sunday first.
  private let windowsOfWeekdays: [[SlotWindow]]
  private let isLeadGiven: Bool
  /// Whether every time is open and nothing is taken; ``SlotTimes`` has a fast path for it.
  let isAlwaysFree: Bool

  /// The last date with slots. A time on the day after it can be in the year 10000 in UTC, which
  /// has no RFC 3339 form.
  static let lastDate = CivilDate.last.adding(days: -1)!

  static let shape: [String: FieldShape] = [
    "leadMinutes": .value, "stepMinutes": .value, "days": .value, "onParentChange": .value,
    "minutes": .value, "hours": SlotHours.shape, "dates": .eachMember(.each(SlotWindow.shape)),
    "taken": TakenTimes.shape, "bufferMinutes": .value,
  ]

  /// - Parameter zone: `nil` if `timeZone` is invalid, which its reader reports.
  init?(_ reader: inout DefinitionReader, in zone: ZoneRules?) {
    let limits = reader.limits
    let lead = reader.integer("leadMinutes", 0...limits.leadMinutesMax, missing: 20)
    let step = reader.field("stepMinutes", missing: 10) { tree throws(DefinitionProblem) in
      if case .integer(let step) = tree, step > 0, 60 % step == 0 { return step }
      throw DefinitionProblem(
        "stepMinutes is \(tree.noun), which does not divide 60; "
          + "1, 2, 3, 4, 5, 6, 10, 12, 15, 20, 30 and 60 do")
    }
    let days = reader.integer("days", 1...limits.daysMax, missing: 3)
    let onParentChange = reader.word("onParentChange", missing: ParentChange.first)
    let minutes = reader.integer("minutes", 1...1_440, missing: step ?? 10)
    let buffer = reader.integer("bufferMinutes", 0...1_440, missing: 0)
    let whole = reader
    let hours = reader.field("hours", missing: .some(nil)) { tree throws(DefinitionProblem) in
      Optional(try SlotHours.entries(tree, whole))
    }
    let dates = reader.field("dates", missing: []) { tree throws(DefinitionProblem) in
      try SlotKind.dates(tree, named: "dates", whole)
    }
    let taken = reader.field("taken", missing: TakenTimes.none) { tree throws(DefinitionProblem) in
      try TakenTimes(tree, whole, in: zone)
    }
    guard let lead, let step, let days, let onParentChange, let minutes, let buffer, let hours,
      let dates, let taken
    else { return nil }
    self.minutes = minutes
    areMinutesGiven = reader.has("minutes")
    bufferMinutes = buffer
    self.taken = taken
    self.hours = hours
    self.dates = dates
    windowsOfDates = Dictionary(uniqueKeysWithValues: dates.map { ($0.date, $0.windows) })
    windowsOfWeekdays = SlotKind.windowsOfWeekdays(hours)
    leadMinutes = lead
    stepMinutes = step
    self.days = days
    self.onParentChange = onParentChange
    isLeadGiven = reader.has("leadMinutes")
    isAlwaysFree = hours == nil && dates.isEmpty && taken.isEmpty
  }

  /// The slots that fill open times one after the other: the cells of an `availability`.
  init(
    stepMinutes: Int, hours: [SlotHours], dates: [(date: CivilDate, windows: [SlotWindow])],
    taken: TakenTimes, bufferMinutes: Int
  ) {
    (leadMinutes, isLeadGiven, days, onParentChange) = (0, false, 1, .first)
    self.stepMinutes = stepMinutes
    minutes = stepMinutes
    areMinutesGiven = true
    self.bufferMinutes = bufferMinutes
    self.taken = taken
    self.hours = hours
    self.dates = dates
    windowsOfDates = Dictionary(uniqueKeysWithValues: dates.map { ($0.date, $0.windows) })
    windowsOfWeekdays = SlotKind.windowsOfWeekdays(hours)
    isAlwaysFree = false
  }

  private static func windowsOfWeekdays(_ hours: [SlotHours]?) -> [[SlotWindow]] {
    (1...7).map { weekday in
      guard let hours else { return [.wholeDay] }
      return hours.filter { $0.weekdays?.contains(weekday) ?? true }.map(\.window)
    }
  }

  /// Reads a field with the windows of single dates.
  static func dates(
    _ tree: JSONTree, named name: String, _ reader: DefinitionReader
  ) throws(DefinitionProblem) -> [(date: CivilDate, windows: [SlotWindow])] {
    try tree.fields(named: name, reader.limits.datesMax).read {
      member throws(DefinitionProblem) in
      guard let date = CivilDate(iso: member.key.utf8) else {
        throw DefinitionProblem("\"\(member.key)\" is no plain date: YYYY-MM-DD")
      }
      return (date, try SlotWindow.windows(member.value, reader))
    }
  }

  var members: [JSONTree.Member] {
    var members: [JSONTree.Member] = [
      .init("leadMinutes", .integer(leadMinutes)), .init("stepMinutes", .integer(stepMinutes)),
      .init("days", .integer(days)), .init("onParentChange", .string(onParentChange.rawValue)),
    ]
    if areMinutesGiven { members.append(.init("minutes", .integer(minutes))) }
    if let hours { members.append(.init("hours", .array(hours.map(\.document)))) }
    if !dates.isEmpty { members.append(.init("dates", SlotKind.document(of: dates))) }
    if let taken = taken.document { members.append(.init("taken", taken)) }
    return members + [.init("bufferMinutes", .integer(bufferMinutes))]
  }

  /// A field with the windows of single dates.
  static func document(of dates: [(date: CivilDate, windows: [SlotWindow])]) -> JSONTree {
    .object(
      dates.map { .init($0.date.iso, .array($0.windows.map { .object($0.members) })) })
  }

  /// The opening hours on `date`: those of `dates`, otherwise those of `hours` for its weekday.
  func windows(of date: CivilDate) -> [SlotWindow] {
    if !windowsOfDates.isEmpty, let windows = windowsOfDates[date] { return windows }
    return windowsOfWeekdays[date.weekday - 1]
  }

  /// `now` rounded down to the minute, plus the lead time.
  private func lead(from now: Instant) -> Instant {
    Instant(seconds: now.minuteStart + Int64(leadMinutes) * 60)
  }

  /// The earliest slot at `now`: the first instant after the lead time whose local minute is a
  /// multiple of the step. Opening hours and taken times are not considered.
  ///
  /// - Throws: A problem if there is none in the years 0001…9999.
  func earliest(at now: Instant, in zone: ZoneRules) throws(DefinitionProblem) -> Instant {
    let step = Int64(stepMinutes * 60)
    var start = lead(from: now).seconds
    while start <= Instant.last.seconds {
      let offset = Int64(zone.offsetSeconds(at: Instant(seconds: start)))
      let slot = (start + offset + step - 1).roundedDown(to: step) - offset
      let change = zone.nextTransition(after: Instant(seconds: start))?.at ?? .max
      if slot < change {
        let local = Instant(seconds: slot + offset)
        guard local >= .first, zone.localDate(at: Instant(seconds: slot)) <= SlotKind.lastDate
        else { break }
        return Instant(seconds: slot)
      }
      start = change
    }
    let problem = DefinitionProblem("there is no slot in the years 0001…9999 at this time")
    throw isLeadGiven ? problem.under("leadMinutes") : problem
  }

  /// The instant at which `earliest`, the earliest slot at `now`, stops being the earliest one.
  func nextMove(after now: Instant, earliest: Instant) -> Instant {
    Instant(seconds: earliest.adding(minutes: -leadMinutes).minuteStart + 60)
  }
}

extension Instant {
  /// The start of this minute, in seconds since 1970-01-01T00:00Z.
  var minuteStart: Int64 { seconds.roundedDown(to: 60) }
}

extension Int64 {
  /// The greatest multiple of `unit` that is not greater than this number; also for negative ones.
  func roundedDown(to unit: Int64) -> Int64 {
    let rest = self % unit
    return self - (rest < 0 ? rest + unit : rest)
  }
}
