package import CivilTime

extension Picker {
  /// Moves the picker to the time `now`, later or earlier than ``asOf``, and clamps the selection
  /// to the bounds of that time.
  ///
  /// If the definition has no bounds at `now` (`min` after `max`, the list's end before its start,
  /// a date outside 0001…9999), the previous bounds stay in force.
  package mutating func tick(_ now: Instant) -> TickAnswer {
    if passes(to: now) { return TickAnswer() }
    if case .availability(let kind) = definition.rules { return tickAvailability(kind, to: now) }
    let before = self
    asOf = now
    today = definition.zone.localDate(at: now)
    if let bounds = try? definition.bounds(at: now) { self.bounds = bounds }
    findNextTick()
    guard let calendar else { return tickColumns(before) }
    return tickCalendar(calendar, before)
  }

  /// The bounds of a `date`; `nil` for the other kinds.
  ///
  /// A tick can move them without a change that a member sees, and later ticks may leave them in
  /// force. Of the other kinds, a calendar reports each move of its bounds as changed cells; a
  /// slot, whose bounds move every few minutes, has new ones at each tick, except at the ends of
  /// the calendar: in the year 0001, and in the lead time before the end of the year 9999.
  package var dateBounds: ClosedRange<CivilDate>? {
    if case .dates(let bounds) = bounds { bounds } else { nil }
  }

  /// Moves ``asOf`` to `now` if nothing else changes by it: the fast path between two taps.
  ///
  /// - Returns: `false` if the picker is unchanged because a ``tick(_:)`` at `now` may change more.
  package mutating func passes(to now: Instant) -> Bool {
    guard isStill(at: now) else { return false }
    asOf = now
    return true
  }

  /// Whether a tick at `now` is known to change nothing but ``asOf``.
  package func isStill(at now: Instant) -> Bool { now >= asOf && now < stillUntil }

  private mutating func tickColumns(_ before: Picker) -> TickAnswer {
    if bounds == before.bounds, today == before.today { return TickAnswer() }
    let rules = definition.columnRules(
      within: bounds, today: today, goalDay: value.goalDay, knowing: before.shownSlotDays)!
    let retained = rules.keeping(value.keys)
    return TickAnswer(
      changes: show(
        retained, rules, goalDay: value.goalDay, by: .tick(reasonOfTick(retained, before))))
  }

  /// The reason for which a tick clamps: `elapsed`, or `noSuchTime` for a slot that disappeared
  /// because the clock was set back.
  private func reasonOfTick(_ retained: RetainedSelection, _ before: Picker) -> ClampReason {
    guard retained.reason != nil, case .slots(let earliest) = bounds,
      let rules = before.columnRules as? SlotRules,
      let instant = rules.instant(of: before.value.keys)
    else { return .elapsed }
    return instant < earliest ? .elapsed : .noSuchTime
  }

  private mutating func tickCalendar(
    _ calendar: CalendarRules, _ before: Picker
  ) -> TickAnswer {
    if bounds == before.bounds, today == before.today { return TickAnswer() }
    var answer = TickAnswer()
    if calendar.bounds.months != before.months {
      answer.changes.append(.months(calendar.bounds.months))
    }
    value = .range(calendar.keeping(range))
    let reach = calendar.reach(of: range)
    if range != before.range || reach != before.reach {
      answer.changes.append(
        .range(.init(range: range, cause: .tick, reason: .elapsed, wanted: nil, reach: reach)))
    }
    let isTodayElsewhere =
      today != before.today && (calendar.shows(today) || calendar.shows(before.today))
    answer.cellsChanged = isTodayElsewhere || bounds != before.bounds
    return answer
  }

  /// Computes ``nextTick`` and ``stillUntil`` from the zone's rules, without trying times one by
  /// one.
  mutating func findNextTick() {
    nextTick = instantOfNextTick
    let midnight = definition.zone.nextDateChange(after: asOf)
    stillUntil = [nextTick, midnight].compactMap { $0 }.min() ?? .last
  }

  private var instantOfNextTick: Instant? {
    let zone = definition.zone
    switch definition.rules {
    case .date(let kind): return kind.dependsOnToday ? zone.nextDateChange(after: asOf) : nil
    case .slot(let kind):
      let midnight = zone.nextDateChange(after: asOf)
      guard let earliest = try? kind.earliest(at: asOf, in: zone) else { return midnight }
      let move = kind.nextMove(after: asOf, earliest: earliest)
      return midnight.map { min($0, move) } ?? move
    case .cascade, .columns: return nil
    case .availability(let kind):
      let next = availabilities.first?.nextTick(after: asOf, today: today, in: zone)
      guard kind.dates.dependOnToday, let midnight = zone.nextDateChange(after: asOf) else {
        return next
      }
      return next.map { min($0, midnight) } ?? midnight
    case .calendar(let kind):
      if kind.dates.dependOnToday { return zone.nextDateChange(after: asOf) }
      return nextTodayInCells
    }
  }

  /// For a list of fixed months: the next instant at which another cell, or none, is today.
  private var nextTodayInCells: Instant? {
    guard let calendar else { return nil }
    let zone = definition.zone
    let first = calendar.kind.grid(of: calendar.bounds.months.first).firstDate
    if today < first { return zone.startOfDay(first) }
    // A clock change from after midnight to before it makes yesterday today again.
    let mayReturn = today.adding(days: -1).map(calendar.shows) ?? false
    return calendar.shows(today) || mayReturn ? zone.nextDateChange(after: asOf) : nil
  }

  /// Restores an earlier value, clamped to the current bounds, for undo and redo.
  ///
  /// - Returns: The changes, with the cause `undo`; empty if nothing changed.
  package mutating func restore(_ value: PickerValue) -> [PickerChange] {
    if let calendar { return restoreRange(value.range, calendar) }
    guard let columnRules else { return [] }
    return restoreColumns(value, columnRules)
  }
}
