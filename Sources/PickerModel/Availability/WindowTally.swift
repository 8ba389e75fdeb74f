/// How many respondents have which grade for each window, and which windows are the best.
///
/// It counts what differs from the grade of a respondent that has marked nothing, so that a new
/// respondent changes nothing in the windows that its marks do not meet.
struct WindowTally: Hashable, Sendable {
  private let length: Int
  private let unmarked: Grade
  /// For each window, by its first cell: the respondents with maybe.
  private var maybes: [Int32]
  /// The respondents with the grade opposite to ``unmarked``.
  private var opposites: [Int32]
  /// A tournament: the leaf of a window is its rank, and each node above has the higher one of its
  /// two children. Windows that cannot be the best have −1.
  private var ranks: [Int64]
  private let leafCount: Int
  /// The windows before this one begin with a past cell.
  private var past: Int

  init(_ cells: CellList, length: Int, unmarked: Grade, past: Int) {
    self.length = length
    self.unmarked = unmarked
    self.past = past
    maybes = Array(repeating: 0, count: cells.count)
    opposites = maybes
    var leafCount = 1
    while leafCount < cells.count { leafCount *= 2 }
    self.leafCount = leafCount
    ranks = Array(repeating: -1, count: 2 * leafCount)
    refresh(0..<cells.count, cells)
  }

  /// The number of respondents with each grade for a window.
  func counts(of window: Int, respondents: Int) -> GradeCounts {
    let (maybe, opposite) = (Int(maybes[window]), Int(opposites[window]))
    let rest = respondents - maybe - opposite
    return unmarked == .no
      ? GradeCounts(yes: opposite, maybe: maybe, no: rest)
      : GradeCounts(yes: rest, maybe: maybe, no: opposite)
  }

  /// More yes and maybe first, then more yes. Independent of the number of respondents.
  private func rank(of window: Int) -> Int64 {
    let (maybe, opposite) = (Int64(maybes[window]), Int64(opposites[window]))
    if unmarked == .no { return (maybe + opposite) << 32 | opposite }
    let most: Int64 = 1 << 30
    return (most - opposite) << 32 | (most - opposite - maybe)
  }

  /// Takes over the ranks of windows after their counts, or ``past``, have changed.
  private mutating func refresh(_ windows: Range<Int>, _ cells: CellList) {
    guard !windows.isEmpty else { return }
    for window in windows {
      let isPossible = window >= past && cells.hasWindow(at: window, length: length)
      ranks[leafCount + window] = isPossible ? rank(of: window) : -1
    }
    var (low, high) = (leafCount + windows.lowerBound, leafCount + windows.upperBound - 1)
    while low > 1 {
      (low, high) = (low / 2, high / 2)
      for node in low...high { ranks[node] = max(ranks[2 * node], ranks[2 * node + 1]) }
    }
  }

  private mutating func set(_ rank: Int64, of window: Int) {
    var node = leafCount + window
    ranks[node] = rank
    while node > 1 {
      node /= 2
      ranks[node] = max(ranks[2 * node], ranks[2 * node + 1])
    }
  }

  mutating func setPast(_ past: Int, _ cells: CellList) {
    let changed = min(past, self.past)..<max(past, self.past)
    self.past = past
    refresh(changed, cells)
  }

  /// Counts the windows that meet changed cells of one respondent.
  ///
  /// - Parameter cells: The changed cells, ascending.
  mutating func count(
    _ changed: [MarkDifference], from before: Marks, to after: Marks, in cells: CellList
  ) {
    var (old, new): ([Grade], [Grade]) = ([], [])
    var index = 0
    while index < changed.count {
      let first = max(0, changed[index].cells.lowerBound - length + 1)
      var end = changed[index].cells.upperBound
      index += 1
      while index < changed.count, changed[index].cells.lowerBound - length + 1 <= end {
        end = changed[index].cells.upperBound
        index += 1
      }
      let read = first..<min(cells.count, end + length - 1)
      before.write(read, unmarked: unmarked, to: &old)
      after.write(read, unmarked: unmarked, to: &new)
      count(first..<end, old, -1, cells)
      count(first..<end, new, 1, cells)
      refresh(first..<end, cells)
    }
  }

  /// Counts all windows of a respondent, without their ranks.
  mutating func count(all marks: Marks, in cells: CellList) {
    var grades: [Grade] = []
    marks.write(0..<cells.count, unmarked: unmarked, to: &grades)
    count(0..<cells.count, grades, 1, cells)
  }

  /// Takes over the ranks of all windows.
  mutating func refreshAll(_ cells: CellList) { refresh(0..<cells.count, cells) }

  /// - Parameter grades: Those of the cells from the first window on.
  private mutating func count(
    _ windows: Range<Int>, _ grades: [Grade], _ change: Int32, _ cells: CellList
  ) {
    let opposite: Grade = unmarked == .no ? .yes : .no
    // The cells with no and with maybe in the window.
    var (no, maybe) = (0, 0)
    for offset in 0..<min(length - 1, grades.count) {
      if grades[offset] == .no { no += 1 } else if grades[offset] == .maybe { maybe += 1 }
    }
    for offset in 0..<windows.count {
      let last = offset + length - 1
      guard last < grades.count else { return }
      if grades[last] == .no { no += 1 } else if grades[last] == .maybe { maybe += 1 }
      let window = windows.lowerBound + offset
      let worst: Grade = no > 0 ? .no : maybe > 0 ? .maybe : .yes
      if worst != unmarked, cells.hasWindow(at: window, length: length) {
        if worst == .maybe {
          maybes[window] += change
        } else if worst == opposite {
          opposites[window] += change
        }
      }
      if grades[offset] == .no { no -= 1 } else if grades[offset] == .maybe { maybe -= 1 }
    }
  }

  /// The best windows.
  mutating func best(
    _ countMax: Int, respondents: Int, minimum: Int, in cells: CellList
  ) -> [BestWindow] {
    var best: [BestWindow] = []
    var found: [(window: Int, rank: Int64)] = []
    while best.count < countMax, ranks[1] >= 0 {
      var node = 1
      while node < leafCount { node = ranks[2 * node] == ranks[node] ? 2 * node : 2 * node + 1 }
      let window = node - leafCount
      let counts = counts(of: window, respondents: respondents)
      guard counts.yes + counts.maybe >= minimum else { break }
      best.append(BestWindow(cell: window, counts: counts))
      found.append((window, ranks[node]))
      set(-1, of: window)
    }
    for (window, rank) in found { set(rank, of: window) }
    return best
  }
}

/// The number of respondents, or of marks, with each grade.
package struct GradeCounts: Hashable, Sendable {
  package internal(set) var yes: Int
  package internal(set) var maybe: Int
  package internal(set) var no: Int

  package init(yes: Int = 0, maybe: Int = 0, no: Int = 0) {
    self.yes = yes
    self.maybe = maybe
    self.no = no
  }

  package var isZero: Bool { yes == 0 && maybe == 0 && no == 0 }

  mutating func add(_ change: Int, _ grade: Grade?) {
    switch grade {
    case .yes: yes += change
    case .maybe: maybe += change
    case .no: no += change
    case nil: break
    }
  }
}

/// A window and its counts.
package struct BestWindow: Hashable, Sendable {
  /// The number of its first cell.
  package let cell: Int
  package let counts: GradeCounts
}
