/// A member's answer for a cell.
package enum Grade: UInt8, Comparable, Sendable, CaseIterable {
  case no, maybe, yes

  package init?(name: String) {
    switch name {
    case "no": self = .no
    case "maybe": self = .maybe
    case "yes": self = .yes
    default: return nil
    }
  }

  package var name: StaticString {
    switch self {
    case .no: "no"
    case .maybe: "maybe"
    case .yes: "yes"
    }
  }

  package static func < (left: Grade, right: Grade) -> Bool { left.rawValue < right.rawValue }
}

/// Consecutive cells with the same mark.
package struct MarkRun: Hashable, Sendable {
  private let from: Int32
  private let until: Int32
  /// `nil` if the cells have no mark.
  package let grade: Grade?

  package init(_ cells: Range<Int>, _ grade: Grade?) {
    from = Int32(cells.lowerBound)
    until = Int32(cells.upperBound)
    self.grade = grade
  }

  package var cells: Range<Int> { Int(from)..<Int(until) }
}

/// The marks of one member: ascending runs of marked cells, as few as possible.
package struct Marks: Hashable, Sendable {
  package private(set) var runs: [MarkRun] = []

  package init() {}

  /// - Parameter runs: Ascending runs without overlaps; those without grade are dropped.
  package init(_ runs: some Sequence<MarkRun>) {
    for run in runs { append(run.cells, run.grade) }
  }

  package var isEmpty: Bool { runs.isEmpty }

  private mutating func append(_ cells: Range<Int>, _ grade: Grade?) {
    guard let grade, !cells.isEmpty else { return }
    if let last = runs.last, last.grade == grade, last.cells.upperBound == cells.lowerBound {
      runs[runs.count - 1] = MarkRun(last.cells.lowerBound..<cells.upperBound, grade)
    } else {
      runs.append(MarkRun(cells, grade))
    }
  }

  /// The marks after cells got another one.
  ///
  /// - Parameters:
  ///   - cells: Ascending ranges without overlaps.
  ///   - grade: `nil` to remove the marks.
  func marking(_ cells: [Range<Int>], _ grade: Grade?) -> Marks {
    var marks = Marks()
    marks.runs.reserveCapacity(runs.count + 2 * cells.count)
    var next = 0
    // The end of the last range: cells before it have their new mark.
    var covered = 0
    for run in runs {
      var start = max(run.cells.lowerBound, covered)
      while next < cells.count, cells[next].lowerBound < run.cells.upperBound {
        if start < cells[next].lowerBound {
          marks.append(start..<cells[next].lowerBound, run.grade)
        }
        marks.append(cells[next], grade)
        covered = cells[next].upperBound
        start = max(start, covered)
        next += 1
      }
      if start < run.cells.upperBound { marks.append(start..<run.cells.upperBound, run.grade) }
    }
    for range in cells[next...] { marks.append(range, grade) }
    return marks
  }

  /// The runs of cells whose mark was another one in `other`, ascending.
  func differences(from other: Marks) -> [MarkDifference] {
    var found: [MarkDifference] = []
    var (own, others) = (RunCursor(runs), RunCursor(other.runs))
    var cell = 0
    while true {
      let next = min(own.end(at: cell), others.end(at: cell))
      guard next < .max else { return found }
      let (before, after) = (others.grade(at: cell), own.grade(at: cell))
      if before != after {
        found.append(MarkDifference(cells: cell..<next, before: before, after: after))
      }
      cell = next
    }
  }

  /// The marks on the cells with other numbers.
  ///
  /// - Parameter numbers: For each cell its new number, or −1.
  func renumbered(_ numbers: [Int], without removed: Grade?) -> Marks {
    var marks = Marks()
    for run in runs where run.grade != removed {
      for cell in run.cells where numbers[cell] >= 0 {
        marks.append(numbers[cell]..<numbers[cell] + 1, run.grade)
      }
    }
    return marks
  }

  /// Writes the grades of `cells` to `grades`; `unmarked` for cells without a mark.
  func write(_ cells: Range<Int>, unmarked: Grade, to grades: inout [Grade]) {
    grades.removeAll(keepingCapacity: true)
    grades.append(contentsOf: repeatElement(unmarked, count: cells.count))
    for run in runs[runs.partitionPoint { $0.cells.upperBound > cells.lowerBound }...] {
      let inside = run.cells.clamped(to: cells)
      guard !inside.isEmpty, let grade = run.grade else { break }
      for cell in inside { grades[cell - cells.lowerBound] = grade }
    }
  }
}

/// Cells whose mark has changed.
struct MarkDifference: Hashable {
  let cells: Range<Int>
  let before: Grade?
  let after: Grade?
}

/// Reads runs cell by cell, in ascending order.
private struct RunCursor {
  private let runs: [MarkRun]
  private var next = 0

  init(_ runs: [MarkRun]) { self.runs = runs }

  /// Where the mark at `cell` ends: the end of its run, the start of the next one, or `Int.max`.
  mutating func end(at cell: Int) -> Int {
    while next < runs.count, runs[next].cells.upperBound <= cell { next += 1 }
    guard next < runs.count else { return .max }
    let run = runs[next].cells
    return cell < run.lowerBound ? run.lowerBound : run.upperBound
  }

  func grade(at cell: Int) -> Grade? {
    next < runs.count && runs[next].cells.contains(cell) ? runs[next].grade : nil
  }
}
