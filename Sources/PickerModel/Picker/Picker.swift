package import CivilTime
import JSONText

/// The state of one picker: its columns or range, at a time.
///
/// A value type without clock and I/O. Each mutating function returns the changes it made. Before
/// ``select(row:column:)``, ``tap(_:mayClose:)`` or ``redefine(_:definedAt:)`` the caller must call
/// ``tick(_:)`` with the current time, because these functions apply the bounds of the last tick.
package struct Picker: Sendable {
  package internal(set) var definition: Definition
  /// The calendar that determines the grids of the months, if it is not that of ``definition``.
  var layout: CalendarKind?
  /// The selected keys, or the range.
  package internal(set) var value: PickerValue
  /// The columns with their rows and selection; empty for a calendar.
  package internal(set) var columns: [ColumnState]
  /// The state of an `availability`, alone; empty for the other kinds. An array, because it is
  /// copied only when it is changed, and takes little room in the other kinds.
  var availabilities: [Availability] = []
  /// The last generations of columns that a definition change removed, the one with the lowest
  /// index first.
  var removedGenerations: [Int] = []
  /// The instant of the last tick.
  package internal(set) var asOf: Instant
  /// The bounds at the last tick at which the definition had any.
  var bounds: PickerBounds
  /// The date of ``asOf`` in the definition's zone.
  var today: CivilDate
  /// The next instant after ``asOf`` at which a tick can return a change; `nil` if there is none.
  /// The owner of the picker sets its timer to it.
  package internal(set) var nextTick: Instant?
  /// The bounds and the date do not change from ``asOf`` until just before this instant.
  var stillUntil: Instant

  /// Makes a picker with the initial selection of its definition.
  ///
  /// - Throws: ``DefinitionProblem`` if the definition has no bounds at `now`: `min` is after
  ///   `max`, a list of months ends before it starts, or a date is outside the years 0001…9999.
  package init(_ definition: Definition, now: Instant) throws(DefinitionProblem) {
    let today = definition.zone.localDate(at: now)
    let bounds = try definition.bounds(at: now)
    self.definition = definition
    self.asOf = now
    self.bounds = bounds
    self.today = today
    columns = []
    value = .range(nil)
    stillUntil = now
    if case .availability(let kind) = definition.rules {
      availabilities = [
        Availability(kind, cells: kind.cells(within: bounds), generation: 1, at: now, today: today)
      ]
    }
    findNextTick()
    guard let rules = columnRules else { return }
    var keys = rules.firstKeys
    if case .date(let kind) = definition.rules, case .dates(let bounds) = bounds {
      keys = try kind.initialKeys(in: bounds, today: today)
    }
    value = .keys(keys, goalDay: definition.goalDay(keeping: .keys(keys)))
    columns = rules.columns(showing: keys).map {
      ColumnState(generation: 1, rows: $0.rows, selected: $0.selected)
    }
  }

  /// Restores a picker from its stored state. With the same definition it equals the picker from
  /// which the state was taken.
  ///
  /// Keys that the definition does not have are clamped as a tick would clamp them.
  /// - Precondition: ``PickerState/fits(_:)`` is `true` for the definition.
  package init(_ definition: Definition, state: PickerState) {
    self.definition = definition
    asOf = state.asOf
    bounds = state.bounds
    today = definition.zone.localDate(at: state.asOf)
    columns = []
    value = state.value
    stillUntil = asOf
    if case .availability(let kind) = definition.rules {
      let cells = kind.cells(within: bounds)
      availabilities = [Availability(kind, cells, state.marks, at: asOf, today: today)]
    }
    findNextTick()
    guard let rules = columnRules else { return }
    let keys = rules.keeping(state.value.keys).keys
    value = .keys(keys, goalDay: definition.goalDay(keeping: state.value))
    for (index, view) in rules.columns(showing: keys).enumerated() {
      let generation = index < state.generations.count ? state.generations[index] : 1
      columns.append(
        ColumnState(generation: generation, rows: view.rows, selected: view.selected))
    }
    removedGenerations = Array(state.generations.dropFirst(columns.count))
  }

  /// The state to store; with the definition it is enough to restore the picker.
  package var state: PickerState {
    PickerState(
      value: value, asOf: asOf, bounds: bounds,
      generations: columns.map(\.generation) + removedGenerations, marks: storedMarks)
  }
}

extension Picker: Hashable {
  package static func == (left: Picker, right: Picker) -> Bool {
    left.definition == right.definition && left.state == right.state
      && left.columns == right.columns
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(definition)
    hasher.combine(value)
    hasher.combine(asOf)
  }
}

extension PickerValue {
  /// The selected keys; empty for a range.
  var keys: [String] { if case .keys(let keys, _) = self { keys } else { [] } }
  /// The goal day of a `date` with `rememberDay`.
  var goalDay: Int? { if case .keys(_, let goalDay) = self { goalDay } else { nil } }
  /// The range; `nil` for keys.
  var range: DateRange? { if case .range(let range) = self { range } else { nil } }
}

extension Picker {
  /// Replaces the definition by another one of the same kind. The selection stays as far as the new
  /// definition allows it.
  ///
  /// Call ``tick(_:)`` with the current time before.
  /// - Parameters:
  ///   - definedAt: The time at which the host's definition was accepted, if no tick followed it.
  ///     If the definition has no bounds at the time of the last tick, its bounds at this time are
  ///     used.
  ///   - known: A picker with the new definition, to save work.
  /// - Returns: For columns all reloads, then all moved rows; for a calendar the months, then the
  ///   range.
  /// - Throws: The problem that the definition has at the time of the last tick. The picker is
  ///   unchanged then.
  package mutating func redefine(
    _ new: Definition, definedAt: Instant? = nil, knowing known: Picker? = nil
  ) throws(DefinitionProblem) -> TickAnswer {
    guard new.kind == definition.kind else {
      let detail = "kind is \"\(new.kind)\"; it must stay \"\(definition.kind)\""
      throw DefinitionProblem(detail).under("kind")
    }
    let newBounds = try new.bounds(at: asOf, orAt: definedAt)
    let before = self
    definition = new
    layout = nil
    bounds = newBounds
    today = new.zone.localDate(at: asOf)
    if case .availability(let kind) = new.rules {
      let answer = redefineAvailability(kind)
      findNextTick()
      return answer
    }
    findNextTick()
    if let calendar { return redefineCalendar(calendar, before) }
    return TickAnswer(changes: redefineColumns(before, knowing: known))
  }

  private mutating func redefineColumns(
    _ before: Picker, knowing known: Picker?
  ) -> [PickerChange] {
    let goalDay = definition.goalDay(keeping: value)
    let rules = definition.columnRules(
      within: bounds, today: today, goalDay: goalDay,
      knowing: known?.definition === definition ? known?.shownSlotDays : nil)!
    let retained = rules.keeping(value.keys, shownIn: columns)
    let reason: ClampReason = definition.kind == .date ? retained.reason ?? .gone : .gone
    return show(retained, rules, goalDay: goalDay, by: .define(reason))
  }

  private mutating func redefineCalendar(
    _ calendar: CalendarRules, _ before: Picker
  ) -> TickAnswer {
    var answer = TickAnswer(cellsChanged: true)
    if calendar.bounds.months != before.months {
      answer.changes.append(.months(calendar.bounds.months))
    }
    let retained = calendar.keepingWalked(before.range)
    value = .range(retained.range)
    let reach = calendar.reach(of: retained.range)
    if retained.range != before.range || reach != before.reach {
      let wanted = retained.reason == nil ? nil : before.range?.end
      answer.changes.append(
        .range(
          .init(
            range: retained.range, cause: .define, reason: retained.reason, wanted: wanted,
            reach: reach)))
    }
    return answer
  }
}

extension Definition {
  /// The bounds at `now`; if the definition has none then, those at `other`.
  fileprivate func bounds(
    at now: Instant, orAt other: Instant?
  ) throws(DefinitionProblem) -> PickerBounds {
    do throws(DefinitionProblem) {
      return try bounds(at: now)
    } catch {
      guard let other else { throw error }
      return try bounds(at: other)
    }
  }
}

extension Picker {
  /// Checks the invariants of a picker, for tests and the simulator.
  ///
  /// - Returns: The first invariant that does not hold, as a sentence; `nil` if all hold.
  package func _checkInvariants() -> String? {
    guard state.fits(definition) else { return "the state is of the definition's kind" }
    if let calendar { return checkCalendar(calendar) }
    if case .availability(let kind) = definition.rules { return checkAvailability(kind) }
    let rules = definition.columnRules(
      within: bounds, today: today, goalDay: nil, knowing: nil)!
    let retained = rules.keeping(value.keys)
    guard retained.reason == nil, retained.keys.isExactly(value.keys) else {
      return "the selected keys can be shown"
    }
    let views = rules.columns(showing: value.keys)
    guard views.count == columns.count else { return "the columns are those of the kind" }
    for (state, view) in zip(columns, views) {
      guard state.rows == view.rows, state.selected == view.selected else {
        return "the columns are what the value and the bounds make them"
      }
      guard state.generation >= 1 else { return "generations begin with 1" }
      guard (state.selected == nil) == (state.rows.count == 0) else {
        return "a row is selected where there is one"
      }
      if let selected = state.selected {
        guard state.rows.row(ofKey: state.rows.key(at: selected)) == selected else {
          return "a key names its row"
        }
      }
    }
    guard (value.goalDay == nil) == (definition.goalDay(keeping: value) == nil) else {
      return "a picker has a goal day if its definition remembers it"
    }
    guard columns.compactMap(\.selectedKey).isExactly(value.keys) else {
      return "the selected rows have the selected keys"
    }
    return nil
  }

  private func checkCalendar(_ calendar: CalendarRules) -> String? {
    guard columns.isEmpty else { return "a calendar has no columns" }
    guard let range else { return nil }
    guard range.start <= range.end else { return "a range's start is not after its end" }
    guard range.hits >= 1 else { return "a range has hits" }
    guard calendar.keeping(range) == range else { return "a range is within the bounds" }
    if isRangeOpen || calendar.kind.selection == .single {
      guard range.start == range.end else { return "an open range and a single date is one day" }
    }
    guard isRangeOpen == (reach != nil) else { return "an open range has a reach" }
    if let reach, !reach.contains(range.start) { return "a reach has its start" }
    return nil
  }
}

extension Picker {
  /// The result of the current selection; ``PickerResult/null`` while a range is open or nothing is
  /// selected.
  package var result: PickerResult {
    switch (definition.rules, bounds) {
    case (.date, _): return .date(value.keys)
    case (.slot(let kind), .slots(let earliest)):
      let rules = SlotRules(
        kind: kind, zone: definition.zone, earliest: earliest, today: today,
        knowing: shownSlotDays)
      return rules.result(of: value.keys)
    case (.slot, _): preconditionFailure("bounds of another kind")
    case (.availability, _): return availabilityResult
    case (.cascade, _), (.columns, _): return .keys(value.keys)
    case (.calendar(let kind), _):
      guard let range, !isRangeOpen else { return .null }
      switch (kind.unit, kind.selection) {
      case (.days, .single): return .day(range.start)
      case (.days, .range): return .range(start: range.start, end: range.end)
      case (.nights, _): return .stay(start: range.start, end: range.end)
      }
    }
  }

  /// Whether ``result`` is not ``PickerResult/null``. Only a complete picker can be confirmed.
  package var isComplete: Bool { result != .null }
}

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
