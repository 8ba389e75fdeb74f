import JSONText

/// What a ``NodeTable`` knows of a long list of siblings, so that nothing needs to compare all its
/// keys and texts later.
struct LongList: Sendable {
  private let rows: [ExactString: Int32]
  /// A hash of the key of each row, with the process's random key.
  let hashes: [Int32]
  private let knownHashes: Set<Int32>
  let digest: ListDigest

  init(keys: [String], texts: [String], _ nodes: Range<Int>) {
    rows = Dictionary(
      uniqueKeysWithValues: nodes.map { (ExactString(keys[$0]), Int32($0 - nodes.lowerBound)) })
    hashes = nodes.map { Int32(truncatingIfNeeded: ExactString(keys[$0]).hashValue) }
    knownHashes = Set(hashes)
    digest = ListDigest(keys: keys, texts: texts, nodes)
  }

  func row(ofKey key: String) -> Int? { rows[ExactString(key)].map(Int.init) }

  /// The row of the first of the rows of another definition's list that this one still has. If both
  /// lists are long, hashes exclude almost all other rows: comparing 20,000 keys takes much longer.
  func row(of oldRows: some Sequence<Int>, of old: SiblingRows) -> Int? {
    let oldHashes = old.table.longLists[old.list.first]?.hashes
    for oldRow in oldRows {
      if let oldHashes, !knownHashes.contains(oldHashes[oldRow]) { continue }
      if let row = row(ofKey: old.key(at: oldRow)) { return row }
    }
    return nil
  }
}

/// 128 bits of SipHash with the process's random key: equal digests are equal lists.
struct ListDigest: Equatable, Sendable {
  private let low: Int
  private let high: Int

  init(keys: [String], texts: [String], _ nodes: Range<Int>) {
    var (low, high) = (Hasher(), Hasher())
    high.combine(1)
    for node in nodes {
      for text in [keys[node], texts[node]] {
        low.combine(ExactString(text))
        high.combine(ExactString(text))
      }
    }
    self.low = low.finalize()
    self.high = high.finalize()
  }
}
