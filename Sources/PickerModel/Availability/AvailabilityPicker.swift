package import CivilTime
package import JSONText

/// A picker in which each member marks the dates or times at which it is free.
package struct AvailabilityPicker: PickerShape {
  package private(set) var definition: Definition
  var time: PickerTime
  /// The bounds at the last tick at which the definition had any.
  private var bounds: PickerBounds
  package private(set) var availability: Availability

  init(_ definition: Definition, _ bounds: PickerBounds, now: Instant) {
    let kind = definition.availabilityKind
    self.definition = definition
    self.bounds = bounds
    time = PickerTime(now, in: definition.zone)
    availability = Availability(
      kind, cells: kind.cells(within: bounds), generation: 1, at: now, today: time.today)
    findNextTick()
  }

  init(_ definition: Definition, state: StoredPicker) {
    let kind = definition.availabilityKind
    self.definition = definition
    bounds = state.bounds
    time = PickerTime(state.asOf, in: definition.zone)
    availability = Availability(
      kind, kind.cells(within: bounds), state.marks, at: state.asOf, today: time.today)
    findNextTick()
  }

  package var state: StoredPicker {
    let marks = StoredMarks(
      generation: availability.generation, cells: availability.cells, marks: availability.marks,
      byHand: availability.byHand, chosen: availability.chosen?.cell)
    return StoredPicker(
      value: value, asOf: time.asOf, bounds: bounds, generations: [], marks: marks)
  }

  /// Undo restores nothing.
  package var value: PickerSelection { .range(nil) }

  package var result: PickerResult {
    guard let window = availability.chosen ?? availability.best.first else { return .null }
    return .window(
      WindowResult(
        availability.span(of: window), window.counts, in: availability.kind.cellZone.rules))
  }

  /// An estimate of the memory that cells and marks take, in bytes.
  var partsByteCount: Int {
    let runs = availability.marks.values.reduce(0) { $0 + $1.runs.count }
    let hands = availability.byHand.values.reduce(0) { $0 + 128 + $1.byteCount }
    return 96 * availability.cells.count + 128 * availability.marks.count + 12 * runs + hands
  }
}

extension Definition {
  fileprivate var availabilityKind: AvailabilityKind {
    guard case .availability(let kind) = rules else { preconditionFailure("of another kind") }
    return kind
  }
}

extension AvailabilityPicker {
  package static func == (left: AvailabilityPicker, right: AvailabilityPicker) -> Bool {
    left.definition == right.definition && left.state == right.state
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(definition)
    hasher.combine(time.asOf)
  }
}

/// Time and definitions.
extension AvailabilityPicker {
  var instantOfNextTick: Instant? {
    let zone = definition.zone
    let next = availability.nextTick(after: time.asOf, today: time.today, in: zone)
    guard availability.kind.dates.dependOnToday,
      let midnight = zone.nextDateChange(after: time.asOf)
    else { return next }
    return next.map { min($0, midnight) } ?? midnight
  }

  /// Without a copy of the picker before: marks are copied if they are changed while there is
  /// another reference.
  mutating func tick(_ now: Instant) -> TickAnswer {
    let day = time.today
    let kind = availability.kind
    advance(to: now)
    if time.today != day, kind.dates.dependOnToday, let new = try? definition.bounds(at: now) {
      bounds = new
    }
    let cells = kind.cells(within: bounds)
    let changes = availability.tick(now, today: time.today, cells: cells)
    findNextTick()
    return TickAnswer(changes: changes)
  }

  /// It has no inventory.
  mutating func see(_ levels: KeyLevels?) -> TickAnswer { TickAnswer() }

  mutating func take(offered fields: ResultFields) throws(Refusal) -> [PickerChange] {
    throw Refusal(wrongResultFor: definition.kind)
  }

  mutating func redefine(
    _ new: Definition, _ bounds: PickerBounds, knowing known: AvailabilityPicker?
  ) -> TickAnswer {
    let (old, kind) = (availability.kind, new.availabilityKind)
    definition = new
    self.bounds = bounds
    advance(to: time.asOf)
    let isRenumbered =
      kind.cellZone.name != old.cellZone.name || kind.firstWeekday != old.firstWeekday
    let changes = availability.replace(
      kind, kind.cells(within: bounds), isRenumbered: isRenumbered, at: time.asOf,
      today: time.today)
    findNextTick()
    return TickAnswer(changes: changes)
  }
}

/// Marking.
extension AvailabilityPicker {
  /// - Throws: ``Refusal`` with, in this order, `wrongKind`, `closed`, `noSuchGrade`, `staleCells`,
  ///   `noSuchCell`, `past`, `full`, `tooManyRuns`.
  /// - Source: web/guide/definitions.md, "`availability`".
  mutating func perform(
    _ action: PickerAction, by actor: Actor
  ) throws(Refusal) -> [PickerChange] {
    switch action {
    case .availability(.mark(let mark)):
      return try availability.mark(mark, by: actor.member.text, actor.limits)
    case .availability(.importMarks(let marks)):
      return try availability.take(marks, actor.limits)
    case .clear: return try availability.clear(actor.member.text)
    case .columns, .calendar, .set: throw Refusal(unsupported: action.type, definition.kind)
    }
  }

  mutating func restore(_ value: PickerSelection) -> [PickerChange] { [] }

  func hasPart(of member: MemberID) -> Bool { availability.marks[member.text] != nil }

  /// See ``Picker/choose(_:)``.
  fileprivate mutating func choose(_ choice: WindowChoice) throws(Refusal) {
    try availability.choose(choice.cell, generation: choice.generation)
  }

  fileprivate mutating func endChoice() { availability.endChoice() }

  func checkInvariants() -> String? {
    let own = availability
    let counted = Availability(
      own.kind, cells: own.kind.cells(within: bounds), generation: own.generation,
      marks: own.marks, byHand: own.byHand, chosen: own.chosen?.cell, at: time.asOf,
      today: time.today)
    guard own == counted else { return "the cells are what the bounds make them" }
    guard own.heat == counted.heat, own.best == counted.best else {
      return "the counts are those of all marks"
    }
    guard own.marks.values.allSatisfy({ !$0.isEmpty && Marks($0.runs) == $0 }) else {
      return "marks are as few runs as possible, and a respondent has some"
    }
    guard own.marks.values.allSatisfy({ $0.runs.last!.cells.upperBound <= own.cells.count }) else {
      return "only cells are marked"
    }
    return nil
  }
}

/// The window that a member confirms, whatever its counts.
package struct WindowChoice: Hashable, Sendable {
  /// The first cell of the window.
  package let cell: Int
  package let generation: Int

  package init(cell: Int, generation: Int) {
    self.cell = cell
    self.generation = generation
  }
}

extension WindowChoice {
  /// - Returns: `nil` if the message names no cell.
  package init?(_ fields: inout MessageFields) throws(BadMessage) {
    guard let cell = try fields.optionalInteger(.cell) else { return nil }
    self.init(cell: cell, generation: try fields.integer(.generation))
  }
}

extension JSONWriter {
  /// The fields of a confirm, each after a comma.
  package mutating func choice(_ choice: WindowChoice) {
    literal(",\"cell\":", choice.cell)
    literal(",\"generation\":", choice.generation)
  }
}

/// For readers of any picker.
extension Picker {
  /// The state of an `availability`; `nil` for the other shapes.
  package var availability: Availability? {
    if case .availability(let box) = self { box.shape.availability } else { nil }
  }

  /// Makes a window the result, until ``endChoice()``.
  ///
  /// - Throws: ``Refusal`` with, in this order, `wrongKind`, `staleCells`, `noSuchCell`,
  ///   `notComplete`.
  package mutating func choose(_ choice: WindowChoice) throws(Refusal) {
    switch consume self {
    case .availability(var box):
      defer { self = .availability(box) }
      try box.shape.choose(choice)
    case let other:
      self = other
      throw Refusal(.wrongKind, "confirm takes no cell for \(definition.kind) pickers")
    }
  }

  /// What was computed is the result again.
  package mutating func endChoice() {
    switch consume self {
    case .availability(var box):
      box.shape.endChoice()
      self = .availability(box)
    case let other: self = other
    }
  }
}

/// The part of a picker's state that only an `availability` has.
package struct StoredMarks: Hashable, Sendable {
  package let generation: Int
  /// The cells that are marked, because a new zone database can give other ones.
  package let cells: CellList
  package let marks: [String: Marks]
  /// For respondents with marks of an import, the cells that they have marked by hand.
  let byHand: [String: CellSet]
  /// The first cell of the window that was confirmed, if a cell was named.
  package let chosen: Int?
}

/// The result of an `availability`: a window.
package struct WindowResult: Hashable, Sendable {
  package let span: WindowSpan
  /// Where a window of times begins, in the definition's zone.
  package let local: (date: CivilDate, minute: Int)
  /// `nil` where they are hidden.
  package private(set) var counts: GradeCounts?

  init(_ span: WindowSpan, _ counts: GradeCounts, in zone: ZoneRules) {
    self.span = span
    self.counts = counts
    switch span {
    case .dates(let dates): local = (dates.lowerBound, 0)
    case .time(let start, until: _):
      let place = zone.local(at: start)
      local = (place.date, place.secondOfDay / 60)
    }
  }

  package var withoutCounts: WindowResult {
    var result = self
    result.counts = nil
    return result
  }

  package static func == (left: WindowResult, right: WindowResult) -> Bool {
    left.span == right.span && left.counts == right.counts && left.local == right.local
  }

  package func hash(into hasher: inout Hasher) { hasher.combine(span) }
}
