package import CivilTime

extension Picker {
  /// The state of an `availability`; `nil` for the other kinds.
  package var availability: Availability? { availabilities.first }

  /// Whether a member has marks.
  package func hasMarks(of respondent: String) -> Bool {
    !availabilities.isEmpty && availabilities[0].marks[respondent] != nil
  }

  /// Marks cells for a member.
  ///
  /// - Throws: ``Refusal`` with, in this order, `wrongKind`, `closed`, `noSuchGrade`, `staleCells`,
  ///   `noSuchCell`, `past`, `full`, `tooManyRuns`. The picker is unchanged then.
  /// - Source: web/guide/definitions.md, "`availability`".
  package mutating func mark(
    _ mark: CellMark, by respondent: String, _ limits: MarkLimits
  ) throws(Refusal) -> [PickerChange] {
    guard !availabilities.isEmpty else {
      throw Refusal(.wrongKind, "mark is not supported for \(definition.kind) pickers")
    }
    return try availabilities[0].mark(mark, by: respondent, limits)
  }

  /// Marks cells for a member as its calendar says, except those that it has marked by hand.
  ///
  /// - Throws: ``Refusal`` with, in this order, `wrongKind`, `closed`, `full`, `tooManyRuns`. The
  ///   picker is unchanged then.
  package mutating func take(
    _ marks: MarkImport, _ limits: MarkLimits
  ) throws(Refusal) -> [PickerChange] {
    guard !availabilities.isEmpty else {
      throw Refusal(.wrongKind, "import is not supported for \(definition.kind) pickers")
    }
    return try availabilities[0].take(marks, limits)
  }

  /// Removes all marks of a member.
  ///
  /// - Throws: ``Refusal`` with `closed`.
  package mutating func clearMarks(of respondent: String) throws(Refusal) -> [PickerChange] {
    if availabilities.isEmpty { return [] }
    return try availabilities[0].clear(respondent)
  }

  /// Makes the window that starts at a cell the result, until ``endChoice()``.
  ///
  /// - Throws: ``Refusal`` with, in this order, `wrongKind`, `staleCells`, `noSuchCell`,
  ///   `notComplete`.
  package mutating func choose(cell: Int, generation: Int) throws(Refusal) {
    guard !availabilities.isEmpty else {
      throw Refusal(.wrongKind, "confirm takes no cell for \(definition.kind) pickers")
    }
    try availabilities[0].choose(cell, generation: generation)
  }

  /// The best window is the result again.
  package mutating func endChoice() {
    if !availabilities.isEmpty { availabilities[0].endChoice() }
  }

  /// Moves an `availability` to another time, without a copy of its marks.
  mutating func tickAvailability(_ kind: AvailabilityKind, to now: Instant) -> TickAnswer {
    let day = today
    asOf = now
    today = definition.zone.localDate(at: now)
    if today != day, kind.dates.dependOnToday, let bounds = try? definition.bounds(at: now) {
      self.bounds = bounds
    }
    let cells = kind.cells(within: bounds)
    let changes = availabilities[0].tick(now, today: today, cells: cells)
    findNextTick()
    return TickAnswer(changes: changes)
  }

  mutating func redefineAvailability(_ kind: AvailabilityKind) -> TickAnswer {
    let old = availabilities[0].kind
    let isRenumbered =
      kind.cellZone.name != old.cellZone.name || kind.firstWeekday != old.firstWeekday
    return TickAnswer(
      changes: availabilities[0].replace(
        kind, kind.cells(within: bounds), isRenumbered: isRenumbered, at: asOf, today: today))
  }

  var availabilityResult: PickerResult {
    guard let availability = availabilities.first,
      let window = availability.chosen ?? availability.best.first
    else { return .null }
    return .window(
      WindowResult(
        availability.span(of: window), window.counts, in: availability.kind.cellZone.rules))
  }

  /// The state to store; `nil` for the other kinds.
  var storedMarks: StoredMarks? {
    availabilities.first.map {
      StoredMarks(
        generation: $0.generation, cells: $0.cells, marks: $0.marks, byHand: $0.byHand,
        chosen: $0.chosen?.cell)
    }
  }

  func checkAvailability(_ kind: AvailabilityKind) -> String? {
    guard let own = availabilities.first, availabilities.count == 1, columns.isEmpty else {
      return "an availability has its state and no columns"
    }
    let counted = Availability(
      kind, cells: kind.cells(within: bounds), generation: own.generation, marks: own.marks,
      byHand: own.byHand, chosen: own.chosen?.cell, at: asOf, today: today)
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

  init(
    generation: Int, cells: CellList, marks: [String: Marks], byHand: [String: CellSet],
    chosen: Int?
  ) {
    self.generation = generation
    self.cells = cells
    self.marks = marks
    self.byHand = byHand
    self.chosen = chosen
  }
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

extension Picker {
  /// An estimate of the memory that cells and marks take.
  package var marksByteCount: Int {
    guard let availability = availabilities.first else { return 0 }
    let runs = availability.marks.values.reduce(0) { $0 + $1.runs.count }
    let hands = availability.byHand.values.reduce(0) { $0 + 128 + $1.byteCount }
    return 96 * availability.cells.count + 128 * availability.marks.count + 12 * runs + hands
  }
}
