import CivilTime
import JSONText
import Testing

@testable import PickerModel

/// Compares an availability with a count of everything by everybody, after each step.
@Suite struct AvailabilityOracleTests {
  @Test(arguments: 0..<60)
  func `marks, heat and best windows are those of a brute-force count`(_ seed: Int) throws {
    var world = try AvailabilityWorld(seed: UInt64(seed))
    for _ in 0..<60 {
      try world.step()
      #expect(world.difference == nil, "seed \(seed)")
      if world.difference != nil { return }
    }
  }

  @Test func `a mark changes the counts of the windows that meet its cells only`() throws {
    var picker = try Picker(
      #"{"kind":"availability","dates":["2026-11-23"],"stepMinutes":30,"length":3}"#,
      at: "2026-11-20T10:00:00Z")
    let limits = PickerLimits(respondentsMax: 10, runsMax: 10)
    _ = try picker.perform(
      .mark(CellMark(grade: "yes", cells: [0..<16], generation: 1)), by: "a", limits)

    let changes = try picker.perform(
      .mark(CellMark(grade: "no", cells: [0..<1, 15..<16], generation: 1)), by: "a", limits)

    #expect(
      summary(changes) == [
        "marks a 0-1 no, 15-16 no", "heat of 1", "best [1, 2, 3, 4, 5]",
      ])
  }
}

/// Random marks, and what they should be.
private struct AvailabilityWorld {
  private var picker: Picker
  private var random: RandomSource
  private var cells: [Int: [Int: Grade]] = [:]
  private let length: Int
  private let isUnmarkedYes: Bool
  private let minimum: Int
  private var shown = Shown()

  /// What a client folds from the changes.
  private struct Shown: Equatable {
    var marks: [Int: [Int: Grade]] = [:]
    var heat: [Int: GradeCounts] = [:]
    var respondents = 0
    var best: [BestWindow] = []
  }

  init(seed: UInt64) throws {
    random = RandomSource(seed: seed)
    length = Int.random(in: 1...6, using: &random)
    isUnmarkedYes = Bool.random(using: &random)
    minimum = Int.random(in: 1...3, using: &random)
    let hours = #"[{"from":"09:00","until":"11:30"},{"from":"13:00","until":"15:00"}]"#
    let options =
      #""length":\#(length),"unmarked":"\#(isUnmarkedYes ? "yes" : "no")","minimum":\#(minimum)"#
    picker = try Picker(
      #"{"kind":"availability","dates":{"from":"2026-11-23","through":"2026-11-26"},"#
        + #""stepMinutes":30,"hours":\#(hours),\#(options)}"#, at: "2026-11-23T09:40:00Z")
  }

  private var count: Int { picker.availability!.cells.count }

  mutating func step() throws {
    if Int.random(in: 0..<12, using: &random) == 0 {
      let minutes = Int.random(in: -60...200, using: &random)
      fold(picker.tick(picker.asOf.adding(minutes: minutes)).changes)
      return
    }
    let member = Int.random(in: 0..<7, using: &random)
    if Int.random(in: 0..<10, using: &random) == 0 {
      cells[member] = nil
      fold(try picker.perform(.clear, by: "\(member)"))
      return
    }
    let past = picker.availability!.past
    guard past < count else { return }
    var ranges: [Range<Int>] = []
    var next = Int.random(in: past..<count, using: &random)
    while next < count, ranges.count < 4 {
      let end = min(count, next + Int.random(in: 1...5, using: &random))
      ranges.append(next..<end)
      next = end + Int.random(in: 0...6, using: &random)
    }
    let grade = [Grade.yes, .maybe, .no, nil].randomElement(using: &random)!
    for cell in ranges.joined() { cells[member, default: [:]][cell] = grade }
    if cells[member]?.isEmpty == true { cells[member] = nil }
    let mark = CellMark(grade: grade.map { "\($0.name)" }, cells: ranges, generation: 1)
    fold(
      try picker.perform(
        .mark(mark), by: "\(member)", PickerLimits(respondentsMax: 100, runsMax: 400)))
  }

  private mutating func fold(_ changes: [PickerChange]) {
    for change in changes {
      switch change {
      case .availability(.marks(let change)):
        let member = Int(change.respondent)!
        for run in change.runs {
          for cell in run.cells { shown.marks[member, default: [:]][cell] = run.grade }
        }
        if shown.marks[member]?.isEmpty == true { shown.marks[member] = nil }
      case .availability(.heat(let change)):
        shown.respondents = change.respondentCount
        for run in change.runs {
          for cell in run.cells { shown.heat[cell] = run.counts.isZero ? nil : run.counts }
        }
      case .availability(.best(let change)): shown.best = change.windows.map(\.window)
      default: break
      }
    }
  }

  /// What differs from the brute-force count; `nil` if nothing does.
  var difference: String? {
    var expected = Shown(marks: cells, respondents: cells.count)
    for marks in cells.values {
      for (cell, grade) in marks { expected.heat[cell, default: GradeCounts()].add(1, grade) }
    }
    expected.best = best()
    if expected.marks != shown.marks { return "the marks" }
    if expected.heat != shown.heat { return "the heat" }
    if expected.best != shown.best { return "\(shown.best) instead of \(expected.best)" }
    if expected.respondents != shown.respondents { return "the number of respondents" }
    return picker._checkInvariants()
  }

  private func best() -> [BestWindow] {
    guard case .times(let starts, let step) = picker.availability!.cells.content else { return [] }
    let past = picker.availability!.past
    var windows: [BestWindow] = []
    for first in past..<max(past, count) where first + length <= count {
      let range = first..<first + length
      guard range.dropFirst().allSatisfy({ starts[$0] == starts[$0 - 1] + step }) else { continue }
      var counts = GradeCounts()
      for marks in cells.values {
        counts.add(1, range.map { marks[$0] ?? (isUnmarkedYes ? .yes : .no) }.min())
      }
      if counts.yes + counts.maybe >= minimum {
        windows.append(BestWindow(cell: first, counts: counts))
      }
    }
    windows.sort {
      ($1.counts.yes + $1.counts.maybe, $1.counts.yes, $0.cell)
        < ($0.counts.yes + $0.counts.maybe, $0.counts.yes, $1.cell)
    }
    return Array(windows.prefix(5))
  }
}
