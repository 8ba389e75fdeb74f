import CivilTime

/// The state of an `availability` picker: its cells, everybody's marks, and what was counted.
package struct Availability: Sendable {
  let kind: AvailabilityKind
  package private(set) var cells: CellList
  /// Counts the changes of the numbering, from 1.
  package private(set) var generation: Int
  /// The first cells that are past.
  package private(set) var past: Int
  /// Whether marks cannot be changed any more.
  package private(set) var isClosed: Bool
  /// The marks of each respondent, by its member's id.
  package private(set) var marks: [String: Marks]
  /// For each respondent with marks of an import, the cells that it has marked, or removed its
  /// marks from, by hand. An import leaves them alone.
  private(set) var byHand: [String: CellSet]
  /// The number of marks of each cell.
  package private(set) var heat: [GradeCounts]
  private var tally: WindowTally
  /// At most ``bestCountMax``, the best first.
  package private(set) var best: [BestWindow] = []
  /// The window that was confirmed; `nil` unless a cell was named.
  package private(set) var chosen: BestWindow?

  private static let bestCountMax = 5

  /// - Parameters:
  ///   - marks: With the numbers of `cells`.
  ///   - chosen: The first cell of the window that was confirmed.
  init(
    _ kind: AvailabilityKind, cells: CellList, generation: Int, marks: [String: Marks] = [:],
    byHand: [String: CellSet] = [:], chosen: Int? = nil, at now: Instant, today: CivilDate
  ) {
    self.kind = kind
    self.cells = cells
    self.generation = generation
    self.marks = marks
    self.byHand = byHand.filter { marks[$0.key] != nil }
    past = cells.pastCount(at: now, today: today)
    isClosed = kind.isClosed(at: now)
    heat = Array(repeating: GradeCounts(), count: cells.count)
    tally = WindowTally(
      cells, length: kind.length, unmarked: kind.unmarked == .no ? .no : .yes, past: past)
    for marks in marks.values {
      for run in marks.runs {
        for cell in run.cells { heat[cell].add(1, run.grade) }
      }
      tally.count(all: marks, in: cells)
    }
    tally.refreshAll(cells)
    best = bestWindows()
    if let chosen { self.chosen = window(at: chosen) }
  }

  /// Restores a state. Marks stay with their cells if the numbers are other ones now.
  init(
    _ kind: AvailabilityKind, _ cells: CellList, _ stored: StoredMarks?, at now: Instant,
    today: CivilDate
  ) {
    guard let stored, stored.cells != cells else {
      self.init(
        kind, cells: cells, generation: stored?.generation ?? 1, marks: stored?.marks ?? [:],
        byHand: stored?.byHand ?? [:], chosen: stored?.chosen, at: now, today: today)
      return
    }
    let numbers = stored.cells.numbers(in: cells)
    let marks = stored.marks.mapValues { $0.renumbered(numbers, without: nil) }
    self.init(
      kind, cells: cells, generation: stored.generation + 1,
      marks: marks.filter { !$0.value.isEmpty },
      byHand: stored.byHand.mapValues { $0.renumbered(numbers) },
      chosen: stored.chosen.flatMap { numbers[$0] >= 0 ? numbers[$0] : nil }, at: now, today: today)
  }

  /// The number of members with a mark.
  package var respondentCount: Int { marks.count }

  private mutating func bestWindows() -> [BestWindow] {
    tally.best(
      Availability.bestCountMax, respondents: marks.count, minimum: kind.minimum, in: cells)
  }

  private func window(at cell: Int) -> BestWindow? {
    guard cell >= 0, cell < cells.count, cells.hasWindow(at: cell, length: kind.length) else {
      return nil
    }
    return BestWindow(cell: cell, counts: tally.counts(of: cell, respondents: marks.count))
  }

  /// What a window takes.
  package func span(of window: BestWindow) -> WindowSpan {
    cells.span(at: window.cell, length: kind.length)
  }

  /// All marks with their counts, as runs of cells with equal counts.
  package var heatRuns: [HeatRun] { heatRuns(in: [0..<cells.count]).filter { !$0.counts.isZero } }

  private func heatRuns(in ranges: [Range<Int>]) -> [HeatRun] {
    var runs: [HeatRun] = []
    for range in ranges {
      for cell in range {
        if let last = runs.last, last.cells.upperBound == cell, last.counts == heat[cell] {
          runs[runs.count - 1] = HeatRun(last.cells.lowerBound..<cell + 1, heat[cell])
        } else {
          runs.append(HeatRun(cell..<cell + 1, heat[cell]))
        }
      }
    }
    return runs
  }
}

/// Consecutive cells with the same numbers of marks.
package struct HeatRun: Hashable, Sendable {
  private let from: Int32
  private let until: Int32
  private let yes: Int32
  private let maybe: Int32
  private let no: Int32

  init(_ cells: Range<Int>, _ counts: GradeCounts) {
    from = Int32(cells.lowerBound)
    until = Int32(cells.upperBound)
    (yes, maybe, no) = (Int32(counts.yes), Int32(counts.maybe), Int32(counts.no))
  }

  package var cells: Range<Int> { Int(from)..<Int(until) }
  package var counts: GradeCounts { GradeCounts(yes: Int(yes), maybe: Int(maybe), no: Int(no)) }
}

/// Marks.
extension Availability {
  /// Marks cells.
  ///
  /// - Parameters:
  ///   - mark: What the member has sent.
  ///   - respondent: The member's id.
  ///   - limits: How many respondents there may be, and how many runs each may have.
  /// - Throws: ``Refusal`` with, in this order, `closed`, `noSuchGrade`, `staleCells`,
  ///   `noSuchCell`, `past`, `full`, `tooManyRuns`.
  mutating func mark(
    _ mark: CellMark, by respondent: String, _ limits: PickerLimits
  ) throws(Refusal) -> [PickerChange] {
    try checkOpen()
    let grade = mark.grade.flatMap { Grade(name: $0) }
    if mark.grade != nil, grade == nil || grade == .maybe && !kind.hasMaybe {
      throw Refusal(
        .noSuchGrade,
        kind.hasMaybe
          ? "grade must be yes, maybe, no or null" : "grade must be yes, no or null")
    }
    try check(generation: mark.generation)
    guard mark.cells.allSatisfy({ $0.lowerBound >= 0 && $0.upperBound <= cells.count }) else {
      throw .noSuchCell(of: cells.count)
    }
    guard mark.cells.allSatisfy({ $0.lowerBound >= past }) else {
      throw Refusal(
        .past, "the first \(past) cells are past; mark later ones", ["past": .integer(past)])
    }
    let before = marks[respondent] ?? Marks()
    let after = before.marking(mark.cells, grade)
    try check(after, isNew: before.isEmpty, limits)
    let changes = replace(before, by: after, of: respondent)
    if !changes.isEmpty, !byHand.isEmpty {
      for run in mark.cells { byHand[respondent]?.insert(run) }
    }
    return changes
  }

  /// Marks the cells of a member that it has not marked by hand, and that are not past, as its
  /// calendar says.
  ///
  /// - Throws: ``Refusal`` with, in this order, `closed`, `full`, `tooManyRuns`.
  mutating func take(
    _ marks: MarkImport, _ limits: PickerLimits
  ) throws(Refusal) -> [PickerChange] {
    try checkOpen()
    let before = self.marks[marks.member] ?? Marks()
    let hand = byHand[marks.member] ?? CellSet(before.runs.map(\.cells))
    var grades: [Grade] = []
    before.write(0..<cells.count, unmarked: .no, to: &grades)
    let marked = CellSet(before.runs.map(\.cells))
    let imported = marks.grades(of: cells, hasMaybe: kind.hasMaybe)
    var runs: [MarkRun] = []
    for cell in imported.indices {
      let isFixed = cell < past || hand.contains(cell)
      let grade = isFixed ? marked.contains(cell) ? grades[cell] : nil : imported[cell]
      runs.append(MarkRun(cell..<cell + 1, grade))
    }
    let after = Marks(runs)
    try check(after, isNew: before.isEmpty, limits)
    let changes = replace(before, by: after, of: marks.member)
    if !changes.isEmpty, !after.isEmpty { byHand[marks.member] = hand }
    return changes
  }

  /// Removes all marks of a member.
  ///
  /// - Throws: ``Refusal`` with `closed`.
  mutating func clear(_ respondent: String) throws(Refusal) -> [PickerChange] {
    try checkOpen()
    return replace(marks[respondent] ?? Marks(), by: Marks(), of: respondent)
  }

  private func checkOpen() throws(Refusal) {
    guard isClosed, let closes = kind.closesAt else { return }
    throw Refusal(
      .closed, "marks cannot be changed since \(closes.rfc3339)",
      ["closes": .string(closes.rfc3339)])
  }

  /// - Parameter isNew: Whether the member had no marks.
  private func check(_ after: Marks, isNew: Bool, _ limits: PickerLimits) throws(Refusal) {
    if isNew, !after.isEmpty, marks.count >= limits.respondentsMax {
      throw Refusal(
        .full, "\(limits.respondentsMax) members have marks; no more are possible",
        ["count": .integer(limits.respondentsMax)])
    }
    guard after.runs.count <= limits.runsMax else {
      throw Refusal(
        .tooManyRuns,
        "the marks would be \(after.runs.count) runs of equal marks; \(limits.runsMax) are allowed",
        ["count": .integer(limits.runsMax)])
    }
  }

  private func check(generation: Int) throws(Refusal) {
    guard generation != self.generation else { return }
    throw Refusal(
      .staleCells,
      "the cells have generation \(self.generation), not \(generation): they were numbered anew",
      ["generation": .integer(self.generation)])
  }

  private mutating func replace(
    _ before: Marks, by after: Marks, of respondent: String
  ) -> [PickerChange] {
    let changed = after.differences(from: before)
    if changed.isEmpty { return [] }
    for part in changed {
      for cell in part.cells {
        heat[cell].add(-1, part.before)
        heat[cell].add(1, part.after)
      }
    }
    tally.count(changed, from: before, to: after, in: cells)
    marks[respondent] = after.isEmpty ? nil : after
    if after.isEmpty, !byHand.isEmpty { byHand[respondent] = nil }
    var runs: [MarkRun] = []
    for part in changed {
      if let last = runs.last, last.grade == part.after,
        last.cells.upperBound == part.cells.lowerBound
      {
        runs[runs.count - 1] =
          MarkRun(last.cells.lowerBound..<part.cells.upperBound, part.after)
      } else {
        runs.append(MarkRun(part.cells, part.after))
      }
    }
    let heat = HeatChange(respondentCount: marks.count, runs: heatRuns(in: changed.map(\.cells)))
    return [
      .availability(.marks(MarksChange(respondent: respondent, runs: runs))),
      .availability(.heat(heat)),
    ]
      + bestChange()
  }

  /// Finds the best windows again.
  private mutating func bestChange() -> [PickerChange] {
    let before = best
    best = bestWindows()
    return best == before ? [] : [.availability(.best(BestChange(of: self)))]
  }

  /// Chooses the window that starts at a cell, whatever its counts, until ``endChoice()``.
  ///
  /// - Throws: ``Refusal`` with, in this order, `staleCells`, `noSuchCell`, `notComplete`.
  mutating func choose(_ cell: Int, generation: Int) throws(Refusal) {
    try check(generation: generation)
    guard cell >= 0, cell < cells.count else { throw .noSuchCell(of: cells.count) }
    guard cell >= past, let window = window(at: cell) else {
      throw Refusal(.notComplete, "no window begins at cell \(cell), or it is past")
    }
    chosen = window
  }

  mutating func endChoice() { chosen = nil }
}

extension Refusal {
  fileprivate static func noSuchCell(of count: Int) -> Refusal {
    Refusal(.noSuchCell, "there are \(count) cells, from 0 on", ["count": .integer(count)])
  }
}

/// Time and definitions.
extension Availability {
  /// The state at another time, with the cells of that time.
  mutating func tick(_ now: Instant, today: CivilDate, cells: CellList) -> [PickerChange] {
    if cells != self.cells {
      return replace(kind, cells, isRenumbered: true, at: now, today: today)
    }
    var changes: [PickerChange] = []
    let past = cells.pastCount(at: now, today: today)
    let isLater = past != self.past
    if isLater {
      self.past = past
      tally.setPast(past, cells)
      changes.append(.availability(.past(past)))
    }
    if kind.isClosed(at: now) != isClosed {
      isClosed.toggle()
      changes.append(.availability(.closed(isClosed)))
    }
    return isLater ? changes + bestChange() : changes
  }

  /// The state with another definition. Everything is counted again.
  ///
  /// - Parameter isRenumbered: Whether the numbering is another one even if the cells are the same.
  mutating func replace(
    _ kind: AvailabilityKind, _ cells: CellList, isRenumbered: Bool, at now: Instant,
    today: CivilDate
  ) -> [PickerChange] {
    let before = self
    let isRenumbered = isRenumbered || cells != before.cells
    let numbers = before.cells.numbers(in: cells)
    var marks: [String: Marks] = [:]
    for (respondent, own) in before.marks {
      let kept = own.renumbered(numbers, without: kind.hasMaybe ? nil : .maybe)
      if !kept.isEmpty { marks[respondent] = kept }
    }
    self = Availability(
      kind, cells: cells, generation: before.generation + (isRenumbered ? 1 : 0), marks: marks,
      byHand: before.byHand.mapValues { $0.renumbered(numbers) }, at: now, today: today)
    var changes: [PickerChange] = []
    if isRenumbered { changes.append(.availability(.cells(CellsChange(of: self)))) }
    if past != before.past, !isRenumbered { changes.append(.availability(.past(past))) }
    if isClosed != before.isClosed { changes.append(.availability(.closed(isClosed))) }
    return changes + (isRenumbered ? allMarks : marksRemoved(since: before))
  }

  /// The changes that bring all marks to a client that has none.
  private var allMarks: [PickerChange] {
    var changes: [PickerChange] = marks.sorted { $0.key < $1.key }.map {
      .availability(.marks(MarksChange(respondent: $0.key, runs: $0.value.runs)))
    }
    changes.append(.availability(.heat(HeatChange(respondentCount: marks.count, runs: heatRuns))))
    changes.append(.availability(.best(BestChange(of: self))))
    return changes
  }

  private func marksRemoved(since before: Availability) -> [PickerChange] {
    var changes: [PickerChange] = []
    for (respondent, own) in before.marks.sorted(by: { $0.key < $1.key }) {
      let differences = (marks[respondent] ?? Marks()).differences(from: own)
      guard !differences.isEmpty else { continue }
      let runs = differences.map { MarkRun($0.cells, $0.after) }
      changes.append(.availability(.marks(MarksChange(respondent: respondent, runs: runs))))
    }
    let cells = heat.indices.filter { heat[$0] != before.heat[$0] }.map { $0..<$0 + 1 }
    if !cells.isEmpty {
      changes.append(
        .availability(
          .heat(HeatChange(respondentCount: marks.count, runs: heatRuns(in: cells)))))
    }
    // With another length, the same cell begins another window.
    if best != before.best || kind.length != before.kind.length && !best.isEmpty {
      changes.append(.availability(.best(BestChange(of: self))))
    }
    return changes
  }

  /// The next instant at which a tick changes anything but the dates; `nil` if there is none.
  func nextTick(after now: Instant, today: CivilDate, in zone: ZoneRules) -> Instant? {
    let next = cells.nextPast(after: now, today: today, in: zone)
    guard let closes = kind.closesAt, closes > now else { return next }
    return next.map { min($0, closes) } ?? closes
  }
}

extension AvailabilityKind {
  func isClosed(at now: Instant) -> Bool { closesAt.map { now >= $0 } ?? false }
}

extension Availability: Hashable {
  package static func == (left: Availability, right: Availability) -> Bool {
    left.cells == right.cells && left.generation == right.generation && left.past == right.past
      && left.isClosed == right.isClosed && left.marks == right.marks
      && left.byHand == right.byHand && left.chosen == right.chosen
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(generation)
    hasher.combine(marks.count)
  }
}
