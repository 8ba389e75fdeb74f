import CivilTime
import JSONText

/// The rules of a calendar within the bounds of the last tick: taps, clamping, and what to paint.
struct CalendarRules {
  let kind: CalendarKind
  let bounds: CalendarBounds
  /// The calendar that determines the grids of the months.
  let layout: CalendarKind

  /// The range after an accepted tap.
  struct Tapped {
    var range: DateRange
    /// Why the range ends before the tapped day; `nil` if it ends on it.
    var reason: ClampReason?
  }

  /// Whether `range` has only its first day, so that the next tap ends it.
  func isOpen(_ range: DateRange?) -> Bool {
    range.map(rule.isOpen) ?? false
  }

  var rule: TwoTapRule { kind.rule }

  // MARK: Taps

  /// The date at `target`.
  ///
  /// - Throws: ``Refusal`` with `outsideMonths`, `noSuchCell` or `otherMonth`.
  func date(at target: TapTarget) throws(Refusal) -> CivilDate {
    switch target {
    case .date(let date):
      try checkIsListed(date.civilMonth)
      return date
    case .cell(let month, let cell):
      return try date(in: try grid(of: month), cell: cell)
    case .point(let month, let x, let y):
      let grid = try grid(of: month)
      return try date(in: grid, cell: grid.cell(atX: x, y: y))
    }
  }

  private func grid(of month: CivilMonth) throws(Refusal) -> MonthGrid {
    try checkIsListed(month)
    return layout.grid(of: month)
  }

  private func checkIsListed(_ month: CivilMonth) throws(Refusal) {
    let months = bounds.months
    guard !months.contains(month) else { return }
    throw Refusal(
      .outsideMonths, "\(month) is outside the list of months, \(months.first) to \(months.last)",
      ["first": .string(months.first.iso), "last": .string(months.last.iso)])
  }

  private func date(in grid: MonthGrid, cell: Int?) throws(Refusal) -> CivilDate {
    guard let cell, cell >= 0, cell < grid.cellCount else {
      let what = cell.map { "cell \($0) does not exist in" } ?? "the point is not on a cell of"
      throw Refusal(
        .noSuchCell, "\(what) \(grid.month); its cells are 0 to \(grid.cellCount - 1)",
        ["count": .integer(grid.cellCount)])
    }
    let date = grid.date(at: cell)
    guard grid.isInMonth(cell: cell) else {
      throw Refusal(
        .otherMonth, "cell \(cell) is \(date), which is not in \(grid.month)",
        ["date": .string(date.iso)])
    }
    return date
  }

  /// The range after a tap on `date`.
  ///
  /// - Parameter claimant: The member that alone may end an open range; `nil` if this tap may.
  /// - Throws: ``Refusal`` with `beforeMin`, `afterMax`, `blocked`, `tapClaimed` or `minDays`,
  ///   checked in this order. For nights see ``tap(_:on:claimedBy:_:)``.
  func tap(
    _ date: CivilDate, on range: DateRange?, claimedBy claimant: MemberID?
  ) throws(Refusal) -> Tapped {
    if date < bounds.min {
      throw Refusal(
        .beforeMin, "\(date) is before the minimum, \(bounds.min)",
        ["date": .string(date.iso), "min": .string(bounds.min.iso)])
    }
    if date > bounds.max {
      throw Refusal(
        .afterMax, "\(date) is after the maximum, \(bounds.max)",
        ["date": .string(date.iso), "max": .string(bounds.max.iso)])
    }
    if let stays = kind.stays { return try tap(date, on: range, claimedBy: claimant, stays) }
    if let reason = blockage(of: date) { throw blocked(date, reason).refusal }
    guard let range, isOpen(range) else {
      var begun = rule.begun(at: date, after: range)
      begun.isSingle = rule.isSingle
      return Tapped(range: begun)
    }
    if let claimant { throw CalendarRules.claimed(range, by: claimant) }
    let (stop, reason) = walk(from: range.start, towards: date)
    let closed = rule.ended(range, at: stop)
    guard rule.allows(closed) else {
      let days = closed.dayCount == 1 ? "1 day" : "\(closed.dayCount) days"
      let detail = "\(closed.start) to \(closed.end) has \(days)"
      throw Refusal(
        .minDays, "\(detail); the minimum is \(kind.minDays)",
        ["days": .integer(closed.dayCount), "minDays": .integer(kind.minDays)])
    }
    return Tapped(range: closed, reason: reason)
  }

  private static func claimed(_ range: DateRange, by claimant: MemberID) -> Refusal {
    Refusal(
      .tapClaimed, "only the member that opened the range at \(range.start) may close it now",
      ["by": .string(claimant.text)])
  }

  /// The refusal of a range from `first` to `last`, which a tap would end elsewhere.
  ///
  /// - Parameter walked: The range that the tap would make.
  func refusal(
    of reason: ClampReason, from first: CivilDate, to last: CivilDate, stopping walked: DateRange
  ) -> Refusal {
    if let stays = kind.stays { return obstacle(from: first, to: last, stays)!.refusal }
    if reason == .maxDays {
      let days = walked.dayCount
      return Refusal(
        .maxDays, "\(first) to \(last) has more days than the maximum, \(days)",
        ["days": .integer(days), "maxDays": .integer(days)])
    }
    let isLater = last > first
    let stop = isLater ? walked.end : walked.start
    let next = stop.adding(days: isLater ? 1 : -1)!
    return blocked(next, blockage(of: next) ?? .blocked).refusal
  }

  // MARK: Blocked days

  /// Why a day, or a night, cannot be picked although it is within the bounds; `nil` if it can.
  private func blockage(of date: CivilDate) -> ClampReason? {
    if kind.blocked.contains(date) { return .blocked }
    return kind.inventory?[date]?.reason
  }

  /// The nearest day, or night, after `date` (`isLater`) or before it that a range cannot include;
  /// `nil` if there is none.
  @inline(__always)
  private func nextBlocked(after date: CivilDate, isLater: Bool) -> CivilDate? {
    // Most calendars have no inventory.
    if kind.inventory == nil {
      return kind.allowBlockedInside ? nil : kind.blocked.next(after: date, isLater: isLater)
    }
    let next = kind.allowBlockedInside ? nil : kind.blocked.next(after: date, isLater: isLater)
    guard let inventory = kind.inventory,
      let closed = inventory.nextClosed(after: date, isLater: isLater)
    else { return next }
    guard let next else { return closed }
    return isLater ? min(next, closed) : max(next, closed)
  }

  /// Whether the inventory closes a part of a range.
  func isClosed(in range: DateRange) -> Bool {
    guard let inventory = kind.inventory else { return false }
    if !inventory[range.start].isOpen { return true }
    guard let closed = inventory.nextClosed(after: range.start, isLater: true) else { return false }
    return range.isStay ? closed < range.end : closed <= range.end
  }

  // MARK: Walking

  /// The last day that a range from `start` towards `goal` can include, and why if it is not
  /// `goal`.
  ///
  /// `maxDays` and blocked days (unless `allowBlockedInside`) stop it. Computed without visiting
  /// the days between.
  func walk(
    from start: CivilDate, towards goal: CivilDate
  ) -> (stop: CivilDate, reason: ClampReason?) {
    guard start != goal else { return (goal, nil) }
    let isLater = goal > start
    let free = kind.maxDays.map { $0 - 1 } ?? Int.max
    let unblocked = stepsBeforeBlocked(from: start, isLater: isLater)
    let steps = min(free, unblocked)
    guard steps < .max, steps < abs(goal.days(since: start)) else { return (goal, nil) }
    let stop = start.adding(days: isLater ? steps : -steps)!
    if free <= unblocked { return (stop, .maxDays) }
    return (stop, blockage(of: stop.adding(days: isLater ? 1 : -1)!) ?? .blocked)
  }

  private func stepsBeforeBlocked(from start: CivilDate, isLater: Bool) -> Int {
    guard let blocked = nextBlocked(after: start, isLater: isLater) else { return .max }
    return abs(blocked.days(since: start)) - 1
  }

  /// The days on which an open range could end, given the bounds, `maxDays` and blocked days; `nil`
  /// if `range` is not open.
  func reach(of range: DateRange?) -> ClosedRange<CivilDate>? {
    guard let range, isOpen(range) else { return nil }
    if let stays = kind.stays { return reach(of: range.start, stays) }
    let first = walk(from: range.start, towards: bounds.min).stop
    let last = walk(from: range.start, towards: bounds.max).stop
    return first...last
  }

  // MARK: Time

  /// `range` cut to the bounds; `nil` if no day, or night, is left.
  func keeping(_ range: DateRange?) -> DateRange? {
    guard var range else { return nil }
    if let stays = kind.stays { return keeping(range, stays) }
    range.start = max(range.start, bounds.min)
    range.end = min(range.end, bounds.max)
    return range.start <= range.end ? range : nil
  }

  // MARK: Another definition

  /// The part of a range, made under another definition, that this one allows, and the first reason
  /// why it is not the whole range.
  func keepingWalked(_ range: DateRange?) -> (range: DateRange?, reason: ClampReason?) {
    guard let range else { return (nil, nil) }
    guard range.isSingle == (kind.selection == .single) else { return (nil, .selection) }
    guard range.isStay == (kind.unit == .nights) else { return (nil, .unit) }
    if let stays = kind.stays { return keepingWalked(range, stays) }
    var reason: ClampReason?
    if range.start < bounds.min {
      reason = .min
    } else if range.end > bounds.max {
      reason = .max
    }
    guard var remaining = keeping(range) else { return (nil, reason ?? .blocked) }
    if let blockage = blockage(of: remaining.start) { return (nil, reason ?? blockage) }
    if range.isSingle || isOpen(range) { return (remaining, reason) }
    let walked = walk(from: remaining.start, towards: remaining.end)
    remaining.end = walked.stop
    reason = reason ?? walked.reason
    return remaining.dayCount < kind.minDays ? (nil, reason ?? .minDays) : (remaining, reason)
  }

  // MARK: What to paint

  /// The cells of a month's grid, row by row.
  ///
  /// - Returns: `nil` for a month outside the list.
  func cells(of month: CivilMonth, today: CivilDate) -> [Cell]? {
    guard bounds.months.contains(month) else { return nil }
    let grid = layout.grid(of: month)
    return (0..<grid.cellCount).map { index in
      let date = grid.date(at: index)
      let isInMonth = grid.isInMonth(cell: index)
      let turnover = kind.stays.map { self.turnover(on: date, $0) }
      let level = kind.inventory?[date]
      let isFree =
        turnover.map { $0.arrival || $0.departure }
        ?? (date >= bounds.min && date <= bounds.max && level.isOpen
          && !kind.blocked.contains(date))
      var cell = Cell(
        date: date, isOutside: !isInMonth, isDisabled: !(isInMonth && isFree),
        isToday: date == today)
      if let turnover, !cell.isDisabled, turnover.arrival != turnover.departure {
        cell.only = turnover.arrival ? .arrival : .departure
      }
      if isInMonth { cell.level = level }
      return cell
    }
  }

  /// The dates of all cells of `count` months from `from`, as far as they are in the list.
  ///
  /// - Returns: `nil` if none of the months is in the list.
  func cellDates(from: CivilMonth, count: Int) -> ClosedRange<CivilDate>? {
    let first = max(from.index, bounds.months.first.index)
    let last = min(from.index + count - 1, bounds.months.last.index)
    guard first <= last, let first = CivilMonth(index: first), let last = CivilMonth(index: last)
    else { return nil }
    let grid = layout.grid(of: last)
    return layout.grid(of: first).firstDate...grid.date(at: grid.cellCount - 1)
  }

  /// The days of one month that a range covers.
  private struct Part: Equatable {
    /// Days of the month.
    let from: Int
    let to: Int
    /// Whether the range begins here, and ends here.
    let head: Bool
    let tail: Bool

    init?(of range: DateRange?, in month: CivilMonth) {
      guard let range else { return nil }
      let (first, last) = (range.start.civilMonth, range.end.civilMonth)
      guard first <= month, month <= last else { return nil }
      head = first == month
      tail = last == month
      from = head ? range.start.day : 1
      to = tail ? range.end.day : month.dayCount
    }
  }

  func bands(of month: CivilMonth, for range: DateRange?) -> MonthBands {
    guard bounds.months.contains(month), let part = Part(of: range, in: month) else { return .none }
    let lead = layout.grid(of: month).leadCount
    return MonthBands(
      cells: (lead + part.from - 1)..<(lead + part.to), hasHead: part.head, hasTail: part.tail)
  }

  /// Whether the bands of `month` differ between two ranges.
  func bandsDiffer(in month: CivilMonth, _ one: DateRange?, _ other: DateRange?) -> Bool {
    bounds.months.contains(month) && Part(of: one, in: month) != Part(of: other, in: month)
  }

  /// Whether a cell of a month of the list shows `date`.
  func shows(_ date: CivilDate) -> Bool {
    let months = bounds.months
    let last = layout.grid(of: months.last)
    return date >= layout.grid(of: months.first).firstDate
      && date <= last.date(at: last.cellCount - 1)
  }
}

extension MonthGrid {
  /// The cell at a point of the month's view; `nil` on the title, the weekday header and outside.
  ///
  /// - Parameter x: A fraction of the view's width.
  /// - Parameter y: A fraction of its height: 9.5 % title, 8.9 % header, then the week rows.
  /// - Source: web/guide/README.md, "Drawing".
  func cell(atX x: Double, y: Double) -> Int? {
    guard x >= 0, x < 1, y >= 0, y < 1 else { return nil }
    let below = y - 0.184
    guard below >= 0 else { return nil }
    // No value here is negative, so truncation rounds down.
    let row = Int(below / 0.816 * Double(weekCount))
    return min(row, weekCount - 1) * 7 + Int(7 * x)
  }
}

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
    night >= bounds.min && night < bounds.max && blockage(of: night) == nil
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
    _ date: CivilDate, on range: DateRange?, claimedBy claimant: MemberID?, _ stays: StayRules
  ) throws(Refusal) -> Tapped {
    guard let range, isOpen(range) else {
      if let obstacle = obstacle(on: date, stays) { throw obstacle.refusal }
      var begun = rule.begun(at: date, after: range)
      begun.isStay = true
      return Tapped(range: begun)
    }
    if let claimant { throw CalendarRules.claimed(range, by: claimant) }
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
    if isFree(nightBefore: date) { return CalendarRules.noDeparture(date) }
    return blocked(date, blockage(of: date) ?? .blocked)
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
    if let taken = nextBlocked(after: arrival, isLater: true) { last = min(last, taken) }
    if last.days(since: arrival) > day.maxNights { last = arrival.adding(days: day.maxNights)! }
    return stays.lastDeparture(in: arrival.adding(days: 1)!...last)
  }

  /// The first day, `goal` at the earliest, on which a stay that ends on `departure` can begin.
  private func firstArrival(
    from goal: CivilDate, to departure: CivilDate, _ stays: StayRules
  ) -> CivilDate? {
    guard stays.day(departure).departure, isFree(nightBefore: departure) else { return nil }
    var first = max(goal, bounds.min)
    if let taken = nextBlocked(after: departure, isLater: false) {
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
    guard arrival >= bounds.min, departure <= bounds.max else { return blocked(other, .blocked) }
    if !isFree(night: arrival) { return blocked(other, blockage(of: arrival) ?? .blocked) }
    if let taken = nextBlocked(after: arrival, isLater: true), taken < departure {
      return blocked(other, blockage(of: taken) ?? .blocked)
    }
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

  /// - Parameter reason: `blocked`, `soldOut` or `held`.
  private func blocked(_ date: CivilDate, _ reason: ClampReason) -> Obstacle {
    let (code, what): (Rejection, String) =
      switch reason {
      case .soldOut: (.soldOut, "sold out")
      case .held: (.held, "held by others")
      default: (.blocked, "blocked")
      }
    return Obstacle(
      reason: reason, refusal: Refusal(code, "\(date) is \(what)", ["date": .string(date.iso)]))
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
