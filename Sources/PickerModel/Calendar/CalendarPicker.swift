package import CivilTime

/// A calendar, in which taps select a range or a day.
package struct CalendarPicker: PickerShape {
  package private(set) var definition: Definition
  var time: PickerTime
  fileprivate(set) var kind: CalendarKind
  /// The calendar that determines the grids of the months: that of ``definition``, or of a later
  /// one that the picker does not apply yet.
  private var layout: CalendarKind
  /// The bounds at the last tick at which the definition had any.
  private var bounds: CalendarBounds
  /// `nil` if none is selected.
  package private(set) var range: DateRange?
  /// The last tap on the range; `nil` if the host has selected it.
  package private(set) var lastTap: RangeTap?

  init(
    _ definition: Definition, _ bounds: PickerBounds, now: Instant, seeing levels: KeyLevels? = nil
  ) {
    guard case .calendar(var kind) = definition.rules, case .calendar(let bounds) = bounds else {
      preconditionFailure("of another kind")
    }
    if let levels { kind = CalendarKind(kind, seeing: levels) }
    self.definition = definition
    self.kind = kind
    layout = kind
    self.bounds = bounds
    time = PickerTime(now, in: definition.zone)
    findNextTick()
  }

  init(_ definition: Definition, state: StoredPicker, seeing levels: KeyLevels?) {
    self.init(definition, state.bounds, now: state.asOf, seeing: levels)
    (range, lastTap) = (state.value.range, state.value.tap)
  }

  package var state: StoredPicker {
    StoredPicker(value: value, asOf: time.asOf, bounds: .calendar(bounds), generations: [])
  }

  package var value: PickerSelection { .range(range, lastTap) }

  private var rules: CalendarRules { CalendarRules(kind: kind, bounds: bounds, layout: layout) }

  package var result: PickerResult { kind.result(of: range) }
}

extension CalendarKind {
  /// The result of a range.
  func result(of range: DateRange?) -> PickerResult {
    guard let range, !rule.isOpen(range) else { return .null }
    return switch (unit, selection) {
    case (.days, .single): .day(range.start)
    case (.days, .range): .range(start: range.start, end: range.end)
    case (.nights, _): .stay(start: range.start, end: range.end)
    }
  }

  /// The same with the total of its days' notes, if all of them have an amount.
  func result(of range: DateRange?, priced notes: Notes) -> PickerResult {
    let result = result(of: range)
    guard notes.amountCount > 0, let range, result != .null else { return result }
    let count = range.end.days(since: range.start) + (unit == .nights ? 0 : 1)
    return result.with(
      total: notes.total(from: range.start, count: count).map {
        PriceTotal(amount: $0, currency: currency)
      })
  }

  var rule: TwoTapRule { TwoTapRule(isSingle: selection == .single, dayCountMin: minDays) }
}

extension CalendarPicker {
  package static func == (left: CalendarPicker, right: CalendarPicker) -> Bool {
    left.definition == right.definition && left.state == right.state
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(definition)
    hasher.combine(range)
    hasher.combine(time.asOf)
  }
}

/// Time and definitions.
extension CalendarPicker {
  var instantOfNextTick: Instant? {
    let zone = definition.zone
    if kind.dates.dependOnToday { return zone.nextDateChange(after: time.asOf) }
    // A list of fixed months: when another cell, or none, is today.
    let first = kind.grid(of: bounds.months.first).firstDate
    if time.today < first { return zone.startOfDay(first) }
    // A clock change from after midnight to before it makes yesterday today again.
    let mayReturn = time.today.adding(days: -1).map(rules.shows) ?? false
    return rules.shows(time.today) || mayReturn ? zone.nextDateChange(after: time.asOf) : nil
  }

  mutating func tick(_ now: Instant) -> TickAnswer {
    let before = self
    advance(to: now)
    if let new = try? definition.bounds(at: now), case .calendar(let new) = new { bounds = new }
    findNextTick()
    if bounds == before.bounds, time.today == before.time.today { return TickAnswer() }
    var answer = TickAnswer()
    if bounds.months != before.bounds.months {
      answer.changes.append(.calendar(.months(bounds.months)))
    }
    select(rules.keeping(range), lastTap)
    if range != before.range || reach != before.reach {
      answer.changes.append(change(of: before.range, .tick, reason: .elapsed))
    }
    let isTodayElsewhere =
      time.today != before.time.today
      && (rules.shows(time.today) || rules.shows(before.time.today))
    if isTodayElsewhere || bounds != before.bounds { answer.cellsBefore = .calendar(Boxed(before)) }
    answer.hasOtherValue = range != before.range
    return answer
  }

  mutating func redefine(
    _ new: Definition, _ bounds: PickerBounds, knowing known: CalendarPicker?
  ) -> TickAnswer {
    let before = self
    self = CalendarPicker(new, bounds, now: time.asOf, seeing: kind.inventory)
    var answer = TickAnswer(cellsBefore: .calendar(Boxed(before)))
    if self.bounds.months != before.bounds.months {
      answer.changes.append(.calendar(.months(self.bounds.months)))
    }
    let retained = rules.keepingWalked(before.range)
    select(retained.range, before.lastTap)
    if range != before.range || reach != before.reach {
      let wanted = retained.reason == nil ? nil : before.range?.end
      answer.changes.append(
        change(of: before.range, .define, reason: retained.reason, wanted: wanted))
    }
    answer.hasOtherValue = range != before.range
    return answer
  }

  mutating func see(_ levels: KeyLevels?) -> TickAnswer {
    let before = self
    if layout === kind { layout = CalendarKind(kind, seeing: levels) }
    kind = CalendarKind(kind, seeing: levels)
    var answer = TickAnswer(cellsBefore: .calendar(Boxed(before)))
    var retained: (range: DateRange?, reason: ClampReason?) = (range, nil)
    // Otherwise what time has cut would be cut again. A stay that was begun with its departure
    // needs a night before it.
    let isBegun = rules.isOpen(range) && rules.keeping(range) == range
    if let range, rules.isClosed(in: range) || rules.isOpen(range) && !isBegun {
      retained = rules.keepingWalked(range)
    }
    select(retained.range, before.lastTap)
    if range != before.range || reach != before.reach {
      let wanted = retained.reason == nil ? nil : before.range?.end
      answer.changes.append(
        change(of: before.range, .inventory, reason: retained.reason, wanted: wanted))
    }
    answer.hasOtherValue = range != before.range
    return answer
  }

  mutating func take(offered fields: ResultFields) throws(Refusal) -> [PickerChange] {
    guard let days = kind.days(of: fields) else { throw Refusal(wrongResultFor: definition.kind) }
    let before = range
    range = try rules.range(tapping: days)
    lastTap = nil
    return range == before ? [] : [change(of: before, .inventory, reason: .offered)]
  }

  /// See ``Picker/layOut(like:)``.
  mutating func layOut(like other: Definition) -> CalendarPicker? {
    guard case .calendar(let new) = other.rules else { return nil }
    let before = self
    layout = new
    let hasMoved =
      before.layout.firstWeekday != new.firstWeekday || before.layout.weeks != new.weeks
    return hasMoved ? before : nil
  }
}

/// Tapping.
extension CalendarPicker {
  mutating func perform(
    _ action: PickerAction, by actor: Actor
  ) throws(Refusal) -> [PickerChange] {
    switch action {
    case .calendar(.tap(let target)): return try tap(target, by: actor)
    case .set(let fields): return try set(fields, by: actor)
    case .clear: return clear()
    case .columns, .availability: throw Refusal(unsupported: action.type, definition.kind)
    }
  }

  /// Taps a date, a cell or a point: begins a range, or ends the open one.
  ///
  /// - Throws: ``Refusal`` with, in this order, `outsideMonths`, `noSuchCell`, `otherMonth`,
  ///   `beforeMin`, `afterMax`, `blocked`, `tapClaimed`, `minDays`; for nights after `afterMax`:
  ///   `tapClaimed`, `blocked`, `noArrival`, `noDeparture`, `maxNights`, `minNights`. The picker is
  ///   unchanged: a refused tap does not count.
  /// - Source: web/guide/definitions.md, "`calendar`".
  private mutating func tap(
    _ target: TapTarget, by actor: Actor
  ) throws(Refusal) -> [PickerChange] {
    let rules = rules
    let before = range
    let date = try rules.date(at: target)
    let tapped = try rules.tap(
      date, on: before, claimedBy: actor.mayClose ? nil : lastTap?.member)
    range = tapped.range
    lastTap = RangeTap(actor, at: time.asOf)
    // Not by ``change(of:_:reason:wanted:)``, whose call would copy the shape.
    let change = RangeChange(
      range: tapped.range, cause: tapped.reason == nil ? .tap : .clamp, reason: tapped.reason,
      wanted: tapped.reason == nil ? nil : date, reach: rules.reach(of: tapped.range),
      before: before)
    return [.calendar(.range(change))]
  }

  /// Selects a whole value. It is exact: what a tap would clamp is refused.
  ///
  /// - Returns: The change, with the cause `set`; empty if the value stands already.
  /// - Throws: ``Refusal`` with `wrongKind` for fields of another kind of picker, else with that of
  ///   the first tap that would be refused, or the reason for which the walk would end elsewhere.
  ///   The picker is unchanged.
  /// - Source: web/guide/README.md, "Set".
  private mutating func set(
    _ fields: ResultFields, by actor: Actor
  ) throws(Refusal) -> [PickerChange] {
    guard let days = kind.days(of: fields) else { throw Refusal(wrongResultFor: definition.kind) }
    if let range, !isRangeOpen, range.start == days.min()!, range.end == days.max()! { return [] }
    let before = range
    range = try rules.range(tapping: days)
    lastTap = RangeTap(actor, at: time.asOf)
    return [change(of: before, .set)]
  }

  /// Clears the range.
  ///
  /// - Returns: Empty if there is no range.
  private mutating func clear() -> [PickerChange] {
    guard let before = range else { return [] }
    select(nil, nil)
    return [change(of: before, .clear)]
  }

  /// Restores an earlier range, cut to the current definition and bounds.
  mutating func restore(_ value: PickerSelection) -> [PickerChange] {
    let before = range
    let remaining = rules.keepingWalked(value.range).range
    guard remaining != before else { return [] }
    select(remaining, value.tap)
    return [change(of: before, .undo)]
  }

  /// - Parameter tap: The last tap on the range, if there is one.
  private mutating func select(_ range: DateRange?, _ tap: RangeTap?) {
    (self.range, lastTap) = (range, range == nil ? nil : tap)
  }

  /// The change from `before` to the current range.
  private func change(
    of before: DateRange?, _ cause: RangeCause, reason: ClampReason? = nil,
    wanted: CivilDate? = nil
  ) -> PickerChange {
    .calendar(
      .range(
        RangeChange(
          range: range, cause: cause, reason: reason, wanted: wanted, reach: reach,
          before: before)))
  }

  /// Whether the next tap ends the range.
  package var isRangeOpen: Bool { rules.isOpen(range) }

  /// The days on which an open range could end; `nil` while no range is open.
  package var reach: ClosedRange<CivilDate>? { rules.reach(of: range) }

  func checkInvariants() -> String? {
    guard let range else { return nil }
    guard range.start <= range.end else { return "a range's start is not after its end" }
    guard range.hits >= 1 else { return "a range has hits" }
    guard rules.keeping(range) == range else { return "a range is within the bounds" }
    if isRangeOpen || kind.selection == .single {
      guard range.start == range.end else { return "an open range and a single date is one day" }
    }
    guard isRangeOpen == (reach != nil) else { return "an open range has a reach" }
    if let reach, !reach.contains(range.start) { return "a reach has its start" }
    return nil
  }
}

extension CalendarKind {
  /// The days to tap for a result, in this order; `nil` if it has none for this calendar.
  func days(of fields: ResultFields) -> [CivilDate]? {
    if selection == .single { return fields.date.map { [$0] } }
    guard let start = fields.start, let end = fields.end else { return nil }
    return [start, end]
  }
}

extension CalendarRules {
  /// The range that taps on an empty calendar make if none of them is clamped.
  fileprivate func range(tapping days: [CivilDate]) throws(Refusal) -> DateRange {
    var range: DateRange?
    for day in days {
      let tapped = try tap(try date(at: .date(day)), on: range, claimedBy: nil)
      if let reason = tapped.reason {
        throw refusal(of: reason, from: range!.start, to: day, stopping: tapped.range)
      }
      range = tapped.range
    }
    return range!
  }
}

/// What a calendar shows.
extension CalendarPicker {
  package var months: MonthList { bounds.months }

  /// See ``Picker/cells(of:)``.
  func cells(of month: CivilMonth) -> [Cell]? { rules.cells(of: month, today: time.today) }

  /// See ``Picker/cellDates(from:count:)``.
  func cellDates(from: CivilMonth, count: Int) -> ClosedRange<CivilDate>? {
    rules.cellDates(from: from, count: count)
  }

  /// See ``Picker/bands(of:for:)``.
  func bands(of month: CivilMonth, for range: DateRange?) -> MonthBands {
    rules.bands(of: month, for: range)
  }

  /// See ``Picker/bandsDiffer(in:_:_:)``.
  func bandsDiffer(in month: CivilMonth, _ one: DateRange?, _ other: DateRange?) -> Bool {
    rules.bandsDiffer(in: month, one, other)
  }
}

/// For readers of any picker.
extension Picker {
  package var asCalendar: CalendarPicker? {
    if case .calendar(let box) = self { box.shape } else { nil }
  }

  /// Arranges the cells of months by another definition, which the picker does not apply yet.
  /// Nothing else changes.
  ///
  /// - Returns: The picker before, if cells have moved.
  package mutating func layOut(like other: Definition) -> Picker? {
    guard case .calendar(var box) = self else { return nil }
    let before = box.shape.layOut(like: other)
    self = .calendar(box)
    return before.map { .calendar(Boxed($0)) }
  }

  /// A calendar's list of months; `nil` for the other shapes.
  package var months: MonthList? {
    if case .calendar(let box) = self { box.shape.months } else { nil }
  }

  /// A calendar's range; `nil` if none is selected, and for the other shapes.
  package var range: DateRange? {
    if case .calendar(let box) = self { box.shape.range } else { nil }
  }

  /// The last tap on a calendar's range; `nil` if the host has selected it, and for the other
  /// shapes.
  package var lastTap: RangeTap? {
    if case .calendar(let box) = self { box.shape.lastTap } else { nil }
  }

  /// Whether the next tap ends the range.
  package var isRangeOpen: Bool {
    if case .calendar(let box) = self { box.shape.isRangeOpen } else { false }
  }

  /// The days on which an open range could end; `nil` while no range is open.
  package var reach: ClosedRange<CivilDate>? {
    if case .calendar(let box) = self { box.shape.reach } else { nil }
  }

  /// The cells of a month's grid, row by row.
  ///
  /// - Returns: `nil` for a month outside the list, and for the other shapes.
  package func cells(of month: CivilMonth) -> [Cell]? {
    if case .calendar(let box) = self { box.shape.cells(of: month) } else { nil }
  }

  /// The dates of all cells of `count` months from `from`, as far as they are in the list.
  ///
  /// - Returns: `nil` if none of the months is in the list, and for the other shapes.
  package func cellDates(from: CivilMonth, count: Int) -> ClosedRange<CivilDate>? {
    if case .calendar(let box) = self { box.shape.cellDates(from: from, count: count) } else { nil }
  }

  /// The bands that highlight the range in `month`; empty for a month outside the list.
  package func bands(of month: CivilMonth) -> MonthBands { bands(of: month, for: range) }

  /// The bands that would highlight `range` in `month`, to compare before and after a change.
  package func bands(of month: CivilMonth, for range: DateRange?) -> MonthBands {
    if case .calendar(let box) = self { box.shape.bands(of: month, for: range) } else { .none }
  }

  /// Whether ``bands(of:for:)`` differ between two ranges. Cheaper than comparing the bands.
  package func bandsDiffer(
    in month: CivilMonth, _ one: DateRange?, _ other: DateRange?
  ) -> Bool {
    if case .calendar(let box) = self {
      box.shape.bandsDiffer(in: month, one, other)
    } else {
      false
    }
  }
}
