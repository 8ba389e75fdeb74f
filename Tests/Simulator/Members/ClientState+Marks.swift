import CivilTime
import JSONText
import PickerClient
import PickerModel
import PickerSession

/// Compares the marks that a client shows with those that it may see.
extension ClientState {
  /// - Parameter zone: The zone of the layout; `nil` for the definition's.
  func checkAvailability(
    _ truth: Picker, _ audience: Sight.Audience, zone: ZoneRules?, _ reader: TextReader,
    isThorough: Bool
  ) throws(ProtocolBreach) {
    guard let shown = availability, let state = truth.availability else {
      throw ProtocolBreach("an availability has cells")
    }
    let numbers = [shown.generation, shown.count, shown.past, shown.isClosed ? 1 : 0]
    let expected = [
      state.generation, state.cells.count, state.past, state.isClosed ? 1 : 0,
    ]
    guard numbers == expected else {
      throw ProtocolBreach("generation, count, past, closed are \(expected), not \(numbers)")
    }
    var marks: [String: [String?]] = [:]
    for (member, own) in state.marks where audience == .everything || member == me?.id {
      var grades: [String?] = Array(repeating: nil, count: state.cells.count)
      for run in own.runs { for cell in run.cells { grades[cell] = run.grade.map { "\($0)" } } }
      marks[member] = grades
    }
    let known = Dictionary(
      uniqueKeysWithValues: shown.respondents.map { ($0.id, $0.grades.map { $0?.rawValue }) })
    guard known == marks else {
      throw ProtocolBreach("the marks at \(revision) are \(marks), not \(known)")
    }
    if pendingCount == 0 {
      let own = me.flatMap { known[$0.id] } ?? Array(repeating: nil, count: shown.count)
      guard shown.shownGrades.map({ $0?.rawValue }) == own else {
        throw ProtocolBreach("a member's own marks are shown")
      }
    }
    try checkCounts(shown, state, audience)
    if isThorough { try checkLayout(shown, CellsChange(of: state), zone, reader) }
  }

  private func checkCounts(
    _ shown: PickerAvailability, _ state: Availability, _ audience: Sight.Audience
  ) throws(ProtocolBreach) {
    guard audience != .ownMarks else {
      if shown.heat == nil, shown.best == nil, shown.respondentCount == nil { return }
      throw ProtocolBreach("counts are hidden from members who may not see them")
    }
    let heat = shown.heat?.map { [$0.yes, $0.maybe, $0.no] }
    let best = shown.best?.map { [$0.cell, $0.counts.yes, $0.counts.maybe, $0.counts.no] }
    guard heat == state.heat.map({ [$0.yes, $0.maybe, $0.no] }),
      best == state.best.map({ [$0.cell, $0.counts.yes, $0.counts.maybe, $0.counts.no] }),
      shown.respondentCount == state.respondentCount
    else { throw ProtocolBreach("the counts at revision \(revision) are the session's") }
  }

  private func checkLayout(
    _ shown: PickerAvailability, _ cells: CellsChange, _ zone: ZoneRules?, _ reader: TextReader
  ) throws(ProtocolBreach) {
    let zone = cells.cells.areDates ? cells.zone.rules : zone ?? cells.zone.rules
    var expected: [String] = []
    var dayTexts: [CivilDate] = []
    switch CellLayout(cells.cells, in: zone, firstWeekday: cells.firstWeekday) {
    case .times(let rows, let days):
      expected += rows.map { "\($0.minute) \($0.isAgain) \($0.isGap)" }
      expected += days.map { "\($0.date.iso) \($0.runs.map { [$0.first, $0.count, $0.position] })" }
      dayTexts = days.map(\.date)
    case .months(let months):
      expected += months.map {
        "\($0.month.iso) \($0.runs.map { [$0.first, $0.count, $0.position] })"
      }
      if case .dates(let dates) = cells.cells.content { dayTexts = dates }
    }
    func runs(_ runs: [PickerAvailability.Run]) -> String {
      "\(runs.map { [$0.cells.lowerBound, $0.cells.count, $0.position] })"
    }
    var known = shown.rows.map { row in
      let parts = row.time.split(separator: ":").compactMap { Int($0) }
      return "\(parts[0] * 60 + parts[1]) \(row.isAgain) \(row.isGap)"
    }
    if !cells.cells.areDates { known += shown.days.map { "\($0.date.iso) \(runs($0.runs))" } }
    known += shown.months.map { "\($0.month.iso) \(runs($0.runs))" }
    guard known == expected else {
      throw ProtocolBreach("the cells stand at \(expected), not \(known)")
    }
    guard
      reader.texts.contains(where: { texts in
        shown.days.map(\.text) == dayTexts.map { texts.day($0) }
      })
    else { throw ProtocolBreach("days are in the client's language") }
  }
}

extension Sight.Audience {
  /// What a reader may see of an `availability`.
  ///
  /// - Parameter role: `nil` for a reader without member.
  init(_ results: ResultsAudience?, _ role: String?) {
    switch results {
    case nil, .everyone: self = .everything
    case .counts: self = role == "owner" ? .everything : .counts
    case .owner: self = role == "owner" ? .everything : .ownMarks
    }
  }
}
