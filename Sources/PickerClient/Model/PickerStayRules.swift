import JSONText

/// The rules of a calendar of nights that a definition has, for the prediction of taps.
struct PickerStayRules: Hashable, Sendable {
  /// The rules of a stay that begins, or ends, on a day.
  struct Day: Hashable, Sendable {
    var nightCountMin = 1
    var nightCountMax = Int.max
    var canBegin = true
    var canEnd = true
  }

  private struct Rule: Hashable, Sendable {
    let days: ClosedRange<PickerDay>?
    /// 1 = Sunday … 7 = Saturday; `nil` for all.
    let weekdays: [Int]?
    let nightCountMin: Int?
    let nightCountMax: Int?
    let canBegin: Bool?
    let canEnd: Bool?
  }

  private var standard = Day()
  private let rules: [Rule]

  init(_ definition: JSONTree) {
    standard.nightCountMin = definition["minNights"]?.integer ?? 1
    standard.nightCountMax = definition["maxNights"]?.integer ?? .max
    rules = (definition["stays"]?.array ?? []).map { tree in
      let from = tree["from"]?.string.flatMap { PickerDay($0) }
      let through = tree["through"]?.string.flatMap { PickerDay($0) }
      return Rule(
        days: from.map { $0...max($0, through ?? $0) },
        weekdays: tree["weekdays"]?.array?.compactMap(\.integer),
        nightCountMin: tree["minNights"]?.integer, nightCountMax: tree["maxNights"]?.integer,
        canBegin: tree["arrival"]?.bool, canEnd: tree["departure"]?.bool)
    }
  }

  /// Of each field the last rule that matches the day and has the field counts.
  subscript(day: PickerDay) -> Day {
    var found = standard
    for rule in rules {
      guard rule.days?.contains(day) ?? true, rule.weekdays?.contains(day.weekday) ?? true else {
        continue
      }
      found.nightCountMin = rule.nightCountMin ?? found.nightCountMin
      found.nightCountMax = rule.nightCountMax ?? found.nightCountMax
      found.canBegin = rule.canBegin ?? found.canBegin
      found.canEnd = rule.canEnd ?? found.canEnd
    }
    return found
  }
}

extension PickerState {
  /// The days of the stay that a tap makes of one with only the day `first`; `nil` if the server
  /// will refuse it. Nights out of view count as free.
  func stay(
    from first: PickerDay, reach: ClosedRange<PickerDay>?, tapped: PickerDay,
    _ rules: PickerStayRules
  ) -> ClosedRange<PickerDay>? {
    let goal = reach.map { min(max(tapped, $0.lowerBound), $0.upperBound) } ?? tapped
    let days =
      goal > first
      ? stay(beginning: first, until: goal, rules) : stay(ending: first, from: goal, rules)
    guard let days,
      days.upperBound.days(since: days.lowerBound) >= rules[days.lowerBound].nightCountMin
    else { return nil }
    return days
  }

  private func stay(
    beginning first: PickerDay, until goal: PickerDay, _ rules: PickerStayRules
  ) -> ClosedRange<PickerDay>? {
    let day = rules[first]
    guard day.canBegin else { return nil }
    var end: PickerDay?
    var night = first
    while night < goal, night.days(since: first) < day.nightCountMax, !isTaken(night: night, rules),
      let next = night.adding(days: 1)
    {
      night = next
      if rules[night].canEnd { end = night }
    }
    return end.map { first...$0 }
  }

  private func stay(
    ending last: PickerDay, from goal: PickerDay, _ rules: PickerStayRules
  ) -> ClosedRange<PickerDay>? {
    guard rules[last].canEnd else { return nil }
    var start: PickerDay?
    var night = last
    while night > goal, let before = night.adding(days: -1), !isTaken(night: before, rules) {
      night = before
      let day = rules[night]
      if day.canBegin, last.days(since: night) <= day.nightCountMax { start = night }
    }
    return start.map { $0...last }
  }

  /// Whether the night that begins on a day is known not to be free: members do not receive what is
  /// booked, but the cells say on which days a stay can begin or end.
  private func isTaken(night day: PickerDay, _ rules: PickerStayRules) -> Bool {
    if let cell = cell(of: day), rules[day].canBegin {
      return cell.isDisabled || cell.only == .departure
    }
    guard let next = day.adding(days: 1), let cell = cell(of: next) else { return false }
    return rules[next].canEnd && (cell.isDisabled || cell.only == .arrival)
  }

  private func cell(of day: PickerDay) -> PickerCell? {
    months[day.month]?.cells.first { $0.day == day }
  }
}
