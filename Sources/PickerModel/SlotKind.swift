import CivilTime
import JSONText

/// What a later column does when an earlier one is moved.
enum ParentChange: String, Sendable, CaseIterable {
  /// It goes to its first row.
  case first
  /// It keeps its key where that still exists.
  case keep
}

/// `slot`: day, hour, minute of a booking.
///
/// - Source: rules.md, "`slot`".
struct SlotKind: Sendable {
  let leadMinutes: Int
  /// A divisor of 60.
  let stepMinutes: Int
  let days: Int
  let onParentChange: ParentChange
  private let isLeadGiven: Bool

  /// The last date that has slots; on the next one it may be the year 10000 in UTC already.
  static let lastDate = CivilDate.last.adding(days: -1)!

  static let shape: [String: FieldShape] = [
    "leadMinutes": .value, "stepMinutes": .value, "days": .value, "onParentChange": .value,
  ]

  init?(_ reader: inout DefinitionReader) {
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
    guard let lead, let step, let days, let onParentChange else { return nil }
    leadMinutes = lead
    stepMinutes = step
    self.days = days
    self.onParentChange = onParentChange
    isLeadGiven = reader.has("leadMinutes")
  }

  var members: [JSONTree.Member] {
    [
      .init("leadMinutes", .integer(leadMinutes)), .init("stepMinutes", .integer(stepMinutes)),
      .init("days", .integer(days)), .init("onParentChange", .string(onParentChange.rawValue)),
    ]
  }

  /// `now` cut to the minute, plus the lead.
  private func lead(from now: Instant) -> Instant {
    Instant(seconds: now.minuteStart + Int64(leadMinutes) * 60)
  }

  /// The earliest slot at `now`: the next instant whose local minute is a multiple of the step.
  ///
  /// - Throws: A problem if it lies after 9999.
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

  /// The instant after `now` from which on the earliest slot is another one.
  func nextMove(after now: Instant, earliest: Instant) -> Instant {
    Instant(seconds: earliest.adding(minutes: -leadMinutes).minuteStart + 60)
  }
}

extension Instant {
  /// Seconds since 1970-01-01T00:00Z at which this minute began.
  var minuteStart: Int64 { seconds.roundedDown(to: 60) }
}

extension Int64 {
  /// The greatest multiple of `unit` that is not greater.
  func roundedDown(to unit: Int64) -> Int64 {
    let rest = self % unit
    return self - (rest < 0 ? rest + unit : rest)
  }
}
