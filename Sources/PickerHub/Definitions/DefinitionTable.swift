package import PickerModel

/// The definitions of the sessions in memory. Sessions with equal definitions share one object: a
/// thousand sessions with the same tree of 20,000 nodes have one tree.
package struct DefinitionTable {
  private struct Known {
    /// A weak reference makes reference counting of its object slower. Handling a tap neither
    /// retains nor releases a definition.
    weak var definition: Definition?
  }

  /// By a digest of their documents.
  private var known: [[UInt8]: Known] = [:]
  /// The number of entries at which those of released definitions are removed.
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
