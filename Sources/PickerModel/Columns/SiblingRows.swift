import JSONText

/// All rows of a definition's tree or columns in flat arrays, siblings next to each other.
///
/// Made once per definition and shared by all its sessions.
package final class NodeTable: Sendable {
  /// Siblings: the nodes with the indices `first ..< first + count`.
  struct List: Sendable {
    let first: Int32
    let count: Int32
    /// A number that is equal for lists of this table with the same keys and texts in the same
    /// order.
    let content: Int32
  }

  /// Identifies the table for caches that must not retain its rows.
  ///
  /// A separate object instead of a weak reference to the table: once an object has had a weak
  /// reference, retaining and releasing it stays slower.
  final class Identity: Sendable {}

  let identity = Identity()
  let texts: [String]
  let keys: [String]
  /// How the definition wrote each node, in order to write it the same way.
  let forms: [NodeForm]
  /// The children of each node; `count` is 0 for a leaf.
  let children: [List]
  /// The tree's first level as the only list, or one list per column.
  let roots: [List]
  /// Lists longer than ``longCount``, by their first nodes.
  let longLists: [Int32: LongList]

  /// Up to this length a linear search is as fast as a dictionary.
  private static let longCount = 24

  init(
    texts: [String], keys: [String], forms: [NodeForm], children: [Range<Int>],
    roots: [Range<Int>]
  ) {
    self.texts = texts
    self.keys = keys
    self.forms = forms
    var contents = ListContents(texts: texts, keys: keys)
    self.roots = roots.map { contents.list($0) }
    self.children = children.map { contents.list($0) }
    var longLists: [Int32: LongList] = [:]
    for list in roots + children where list.count > NodeTable.longCount {
      longLists[Int32(list.lowerBound)] = LongList(keys: keys, texts: texts, list)
    }
    self.longLists = longLists
  }

  func row(ofKey key: String, in list: List) -> Int? {
    if let long = longLists[list.first] { return long.row(ofKey: key) }
    let first = Int(list.first)
    for row in 0..<Int(list.count) where keys[first + row].isExactly(key) { return row }
    return nil
  }

  /// The row of `key` in `list`. If it is gone: the nearest row after it in `old` that `list` still
  /// has, otherwise the nearest one before it, otherwise the first row.
  func row(nearestTo key: String, of old: ColumnRows, in list: List) -> Int {
    if let row = row(ofKey: key, in: list) { return row }
    guard case .nodes(let old) = old, let oldRow = old.row(ofKey: key) else { return 0 }
    guard let long = longLists[list.first] else { return row(nearestTo: oldRow, of: old, list) }
    return long.row(of: oldRow + 1..<old.count, of: old)
      ?? long.row(of: (0..<oldRow).reversed(), of: old) ?? 0
  }

  /// For a list that is not long: looks for its few keys in the old list, which may be long.
  private func row(nearestTo oldRow: Int, of old: SiblingRows, _ list: List) -> Int {
    let remaining = (0..<Int(list.count)).compactMap { row in
      old.row(ofKey: keys[Int(list.first) + row]).map { (old: $0, new: row) }
    }
    let next = remaining.filter { $0.old > oldRow }.min { $0.old < $1.old }
    let previous = remaining.filter { $0.old < oldRow }.max { $0.old < $1.old }
    return (next ?? previous)?.new ?? 0
  }

  func list(under node: Int) -> List { children[node] }

  /// The memory of the table in bytes, an estimate: a row takes 50 to 100 bytes, and a text or key
  /// of more than 15 bytes has a block of its own.
  var byteCount: Int {
    texts.indices.reduce(0) { sum, node in
      let key = forms[node].contains(.hasKey) ? keys[node].blockByteCount : 0
      return sum + 96 + texts[node].blockByteCount + key
    }
  }

  /// Whether a list has the same keys and texts as one of another table.
  ///
  /// Long lists are compared by hashes, which are computed when the tables are made. For large
  /// definitions this happens on another thread than the hub's.
  func reads(_ list: List, like other: List, of table: NodeTable) -> Bool {
    guard list.count == other.count else { return false }
    if let long = longLists[list.first] {
      return long.digest == table.longLists[other.first]?.digest
    }
    return (0..<Int(list.count)).allSatisfy {
      let (node, otherNode) = (Int(list.first) + $0, Int(other.first) + $0)
      return keys[node].isExactly(table.keys[otherNode])
        && texts[node].isExactly(table.texts[otherNode])
    }
  }
}

/// Numbers lists by content, so that comparing two columns compares two numbers.
private struct ListContents {
  let texts: [String]
  let keys: [String]
  private var known: [Int: [(range: Range<Int>, content: Int32)]] = [:]
  private var count: Int32 = 0

  init(texts: [String], keys: [String]) {
    self.texts = texts
    self.keys = keys
  }

  mutating func list(_ range: Range<Int>) -> NodeTable.List {
    guard !range.isEmpty else { return NodeTable.List(first: 0, count: 0, content: -1) }
    var hasher = Hasher()
    for node in range {
      hasher.combine(ExactString(keys[node]))
      hasher.combine(ExactString(texts[node]))
    }
    let hash = hasher.finalize()
    let same = known[hash]?.first { reads($0.range, like: range) }
    if same == nil {
      known[hash, default: []].append((range, count))
      count += 1
    }
    return NodeTable.List(
      first: Int32(range.lowerBound), count: Int32(range.count),
      content: same?.content ?? count - 1)
  }

  private func reads(_ left: Range<Int>, like right: Range<Int>) -> Bool {
    left.count == right.count
      && zip(left, right).allSatisfy {
        keys[$0].isExactly(keys[$1]) && texts[$0].isExactly(texts[$1])
      }
  }
}

/// The rows of one list of a ``NodeTable``.
package struct SiblingRows: Sendable {
  let table: NodeTable
  let list: NodeTable.List

  package var count: Int { Int(list.count) }
  /// An object that identifies the definition's table, for caches. It does not retain the rows.
  package var identity: AnyObject { table.identity }
  /// A number for the content of the list: equal for two lists of one definition if and only if
  /// their rows have the same keys and texts.
  package var listNumber: Int { Int(list.content) }
  /// - Precondition: 0 ≤ `row` < ``count``.
  package func key(at row: Int) -> String { table.keys[node(at: row)] }
  /// - Precondition: 0 ≤ `row` < ``count``.
  package func text(at row: Int) -> String { table.texts[node(at: row)] }
  package func row(ofKey key: String) -> Int? { table.row(ofKey: key, in: list) }

  /// The node of a row.
  ///
  /// - Precondition: 0 ≤ `row` < ``count``.
  func node(at row: Int) -> Int {
    precondition(row >= 0 && row < count, "no such row")
    return Int(list.first) + row
  }
}

extension SiblingRows: Hashable {
  /// Whether all rows have the same keys and texts; the nodes may be different ones.
  package static func == (left: SiblingRows, right: SiblingRows) -> Bool {
    if left.table === right.table { return left.list.content == right.list.content }
    return left.table.reads(left.list, like: right.list, of: right.table)
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(count)
    if count > 0 { hasher.combine(ExactString(key(at: 0))) }
  }
}
