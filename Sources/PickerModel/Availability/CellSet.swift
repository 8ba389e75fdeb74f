/// A set of cells, a bit for each.
struct CellSet: Hashable, Sendable {
  private var words: [UInt64] = []

  init() {}

  init(_ runs: some Sequence<Range<Int>>) {
    for run in runs { insert(run) }
  }

  func contains(_ cell: Int) -> Bool {
    cell >> 6 < words.count && words[cell >> 6] >> UInt64(cell & 63) & 1 == 1
  }

  mutating func insert(_ cells: Range<Int>) {
    guard !cells.isEmpty else { return }
    let count = (cells.upperBound + 63) >> 6
    if count > words.count {
      words.append(contentsOf: repeatElement(0, count: count - words.count))
    }
    for cell in cells { words[cell >> 6] |= 1 << UInt64(cell & 63) }
  }

  /// The set of the cells with other numbers.
  ///
  /// - Parameter numbers: For each cell its new number, or −1.
  func renumbered(_ numbers: [Int]) -> CellSet {
    var set = CellSet()
    for (cell, number) in numbers.enumerated() where number >= 0 && contains(cell) {
      set.insert(number..<number + 1)
    }
    return set
  }

  /// Ascending, as few as possible.
  var runs: [Range<Int>] {
    var runs: [Range<Int>] = []
    for cell in 0..<64 * words.count where contains(cell) {
      if let last = runs.last, last.upperBound == cell {
        runs[runs.count - 1] = last.lowerBound..<cell + 1
      } else {
        runs.append(cell..<cell + 1)
      }
    }
    return runs
  }

  var byteCount: Int { 8 * words.count + 32 }
}
