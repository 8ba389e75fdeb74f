import CivilTime
import JSONText

/// Taps and walks in a calendar of nights. A night is named by the date on which it begins.
///
/// - Source: web/guide/definitions.md, "Nights".
extension CalendarRules {
  /// Why there can be no stay between two days.
  private struct Obstacle {
    let reason: ClampReason
    let refusal: Refusal
  }

  private func isFree(night: CivilDate) -> Bool {
    night >= bounds.min && night < bounds.max && !kind.blocked.contains(night)
  }

  private func isFree(nightBefore date: CivilDate) -> Bool {
    date.adding(days: -1).map { isFree(night: $0) } ?? false
  }

  /// Whether a stay can begin, and whether one can end, on `date`.
  func turnover(on date: CivilDate, _ stays: StayRules) -> (arrival: Bool, departure: Bool) {
    let day = stays.day(date)
    return (
      day.arrival && isFree(night: date), day.departure && isFree(nightBefore: date)
    )
  }

  /// The range after a tap on `date`, which is within the bounds.
  ///
  /// - Throws: ``Refusal`` for a first tap with `noArrival`, `noDeparture` or `blocked`; for a
  ///   second one with `tapClaimed`, `blocked`, `noArrival`, `noDeparture`, `maxNights` or
  ///   `minNights`.
  func tap(
    _ date: CivilDate, on range: DateRange?, mayClose: Bool, _ stays: StayRules
  ) throws(Refusal) -> Tapped {
    guard let range, isOpen(range) else {
      if let obstacle = obstacle(on: date, stays) { throw obstacle.refusal }
      var begun = rule.begun(at: date, after: range)
      begun.isStay = true
      return Tapped(range: begun)
    }
    guard mayClose else { throw CalendarRules.claimed(range) }
    let tapped = walkStay(from: range.start, towards: date, stays)
    guard let stop = tapped.stop else { throw tapped.obstacle!.refusal }
    var closed = rule.ended(range, at: stop)
    closed.isStay = true
    if let tooShort = tooShort(closed, stays) { throw tooShort }
    return Tapped(range: closed, reason: tapped.obstacle?.reason)
  }

  /// Why a stay can neither begin nor end on `date`; `nil` if it can.
  private func obstacle(on date: CivilDate, _ stays: StayRules) -> Obstacle? {
    let possible = turnover(on: date, stays)
    if possible.arrival || possible.departure { return nil }
    if isFree(night: date) { return CalendarRules.noArrival(date) }
    return isFree(nightBefore: date) ? CalendarRules.noDeparture(date) : blocked(date)
  }

  /// The refusal of a stay with fewer nights than the minimum; `nil` if it has enough.
  private func tooShort(_ stay: DateRange, _ stays: StayRules) -> Refusal? {
    let minimum = stays.day(stay.start).minNights
    guard stay.nightCount < minimum else { return nil }
    let nights = stay.nightCount == 1 ? "1 night" : "\(stay.nightCount) nights"
    return Refusal(
      .minNights,
      "\(stay.start) to \(stay.end) has \(nights); the minimum for this arrival is \(minimum)",
      ["nights": .integer(stay.nightCount), "minNights": .integer(minimum)])
  }

  // MARK: Walking

  /// The last day after `first` towards `goal` to which there can be a stay, and why that is not
  /// `goal`. Without such a day `stop` is `nil`; it is `first` if that is `goal`.
  ///
  /// `minNights` does not count. Computed without visiting the days between.
  private func walkStay(
    from first: CivilDate, towards goal: CivilDate, _ stays: StayRules
  ) -> (stop: CivilDate?, obstacle: Obstacle?) {
    if goal == first { return (first, nil) }
    guard let obstacle = obstacle(from: first, to: goal, stays) else { return (goal, nil) }
    let stop =
      goal > first
      ? lastDeparture(from: first, to: goal, stays) : firstArrival(from: goal, to: first, stays)
    return (stop, obstacle)
  }

  /// The last day, `goal` at most, on which a stay that begins on `arrival` can end.
  private func lastDeparture(
    from arrival: CivilDate, to goal: CivilDate, _ stays: StayRules
  ) -> CivilDate? {
    let day = stays.day(arrival)
    guard day.arrival, isFree(night: arrival) else { return nil }
    var last = min(goal, bounds.max)
    if let taken = kind.blocked.next(after: arrival, isLater: true) { last = min(last, taken) }
    if last.days(since: arrival) > day.maxNights { last = arrival.adding(days: day.maxNights)! }
    return stays.lastDeparture(in: arrival.adding(days: 1)!...last)
  }

  /// The first day, `goal` at the earliest, on which a stay that ends on `departure` can begin.
  private func firstArrival(
    from goal: CivilDate, to departure: CivilDate, _ stays: StayRules
  ) -> CivilDate? {
    guard stays.day(departure).departure, isFree(nightBefore: departure) else { return nil }
    var first = max(goal, bounds.min)
    if let taken = kind.blocked.next(after: departure, isLater: false) {
      first = max(first, taken.adding(days: 1)!)
    }
    return stays.firstArrival(in: first...departure.adding(days: -1)!, for: departure)
  }

  /// Why there can be no stay between `first`, the day of the first tap, and `other`; `nil` if
  /// there can be one.
  private func obstacle(
    from first: CivilDate, to other: CivilDate, _ stays: StayRules
  ) -> Obstacle? {
    let isArrival = first < other
    let (arrival, departure) = isArrival ? (first, other) : (other, first)
    let (begin, end) = (stays.day(arrival), stays.day(departure))
    if isArrival, !begin.arrival { return CalendarRules.noArrival(first) }
    if !isArrival, !end.departure { return CalendarRules.noDeparture(first) }
    guard arrival >= bounds.min, departure <= bounds.max, isFree(night: arrival),
      kind.blocked.next(after: arrival, isLater: true).map({ $0 >= departure }) ?? true
    else { return blocked(other) }
    let count = departure.days(since: arrival)
    if count > begin.maxNights {
      let detail =
        "\(arrival) to \(departure) has \(count) nights; the maximum for this arrival is "
        + "\(begin.maxNights)"
      return Obstacle(
        reason: .maxNights,
        refusal: Refusal(
          .maxNights, detail,
          ["nights": .integer(count), "maxNights": .integer(begin.maxNights)]))
    }
    if isArrival, !end.departure { return CalendarRules.noDeparture(other) }
    if !isArrival, !begin.arrival { return CalendarRules.noArrival(other) }
    return nil
  }

  private func blocked(_ date: CivilDate) -> Obstacle {
    Obstacle(
      reason: .blocked,
      refusal: Refusal(.blocked, "\(date) is blocked", ["date": .string(date.iso)]))
  }

  private static func noArrival(_ date: CivilDate) -> Obstacle {
    Obstacle(
      reason: .noArrival,
      refusal: Refusal(
        .noArrival, "a stay cannot begin on \(date)", ["date": .string(date.iso)]))
  }

  private static func noDeparture(_ date: CivilDate) -> Obstacle {
    Obstacle(
      reason: .noDeparture,
      refusal: Refusal(
        .noDeparture, "a stay cannot end on \(date)", ["date": .string(date.iso)]))
  }

  /// The days on which a stay with the day of the first tap could begin or end; `minNights` does
  /// not count.
  func reach(of first: CivilDate, _ stays: StayRules) -> ClosedRange<CivilDate> {
    let begin = walkStay(from: first, towards: bounds.min, stays).stop ?? first
    let end = walkStay(from: first, towards: bounds.max, stays).stop ?? first
    return begin...end
  }

  // MARK: Time, and another definition

  /// `range` cut to the bounds; `nil` if no night is left, or if the day of an open range can be
  /// neither arrival nor departure.
  func keeping(_ range: DateRange, _ stays: StayRules) -> DateRange? {
    if isOpen(range) {
      let isInside = range.start >= bounds.min && range.start <= bounds.max
      return isInside && obstacle(on: range.start, stays) == nil ? range : nil
    }
    var remaining = range
    remaining.start = max(range.start, bounds.min)
    remaining.end = min(range.end, bounds.max)
    return remaining.start < remaining.end ? remaining : nil
  }

  /// The part of a range, made under another definition, that this one allows, and the first reason
  /// why it is not the whole range.
  func keepingWalked(
    _ range: DateRange, _ stays: StayRules
  ) -> (range: DateRange?, reason: ClampReason?) {
    var reason: ClampReason?
    if range.start < bounds.min {
      reason = .min
    } else if range.end > bounds.max {
      reason = .max
    }
    guard var remaining = keeping(range, stays) else {
      return (nil, reason ?? obstacle(on: range.start, stays)?.reason)
    }
    if isOpen(range) { return (remaining, nil) }
    let walked = walkStay(from: remaining.start, towards: remaining.end, stays)
    reason = reason ?? walked.obstacle?.reason
    guard let stop = walked.stop else { return (nil, reason) }
    remaining.end = stop
    let isTooShort = tooShort(remaining, stays) != nil
    return isTooShort ? (nil, reason ?? .minNights) : (remaining, reason)
  }
}

extension DateRange {
  /// The nights of a stay: 0 for a single day.
  package var nightCount: Int { end.days(since: start) }
}
