package import PickerModel

/// The definitions that sessions in memory were made from, so that equal ones are one: a thousand
/// sessions of a tree of 20,000 nodes have one tree.
package struct DefinitionTable {
  private struct Known {
    /// No tap counts its owners, so that counting them is slow from now on costs nothing.
    weak var definition: Definition?
  }

  /// By a digest of their documents.
  private var known: [[UInt8]: Known] = [:]
  /// At how many those that nobody has any more are forgotten.
  private var sweepCount = DefinitionTable.sweepCountMin
  private static let sweepCountMin = 1024

  package init() {}

  package subscript(digest: [UInt8]) -> Definition? { known[digest]?.definition }

  package mutating func insert(_ definition: Definition, digest: [UInt8]) {
    if known.count >= sweepCount {
      known = known.filter { $0.value.definition != nil }
      sweepCount = max(2 * known.count, DefinitionTable.sweepCountMin)
    }
    known[digest] = Known(definition: definition)
  }
}
