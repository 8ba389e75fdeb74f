/// All rows of a definition's tree or columns in a few flat buffers, siblings next to each other.
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
  let strings: RowStrings
  let terms: RowTerms
  /// How the definition wrote each node, in order to write it the same way.
  let forms: [NodeForm]
  /// The children of each node; `count` is 0 for a leaf.
  let children: [List]
  /// The tree's first level as the only list, or one list per column.
  let roots: [List]
  private let index: KeyIndex

  init(
    _ strings: RowStrings, _ terms: RowTerms, forms: [NodeForm], children: [Range<Int>],
    roots: [Range<Int>]
  ) {
    self.strings = strings
    self.terms = terms
    self.forms = forms
    var contents = ListContents(strings)
    self.roots = roots.map { contents.list($0) }
    self.children = children.map { contents.list($0) }
    index = KeyIndex(strings, lists: roots + children)
  }

  var count: Int { forms.count }

  func key(_ node: Int) -> String { strings.key(node) }

  func row(ofKey key: String, in list: List) -> Int? {
    let node =
      list.isLong
      ? index.row(ofKey: key, in: list.nodes, strings)
      : strings.row(ofKey: key, in: list.nodes)
    return node.map { $0 - Int(list.first) }
  }

  /// The row of `key` in `list`. If it is gone: the nearest row after it in `old` that `list` still
  /// has, otherwise the nearest one before it, otherwise the first row.
  func row(nearestTo key: String, of old: ColumnRows, in list: List) -> Int {
    if let row = row(ofKey: key, in: list) { return row }
    guard case .nodes(let old) = old, let oldRow = old.row(ofKey: key) else { return 0 }
    guard list.isLong else { return row(nearestTo: oldRow, of: old, list) }
    let table = (old.table.index, old.table.strings, old.list.isLong)
    let (oldNode, oldNodes) = (old.node(at: oldRow), old.list.nodes)
    let node =
      index.row(of: oldNode + 1..<oldNodes.upperBound, table, in: list.nodes, strings)
      ?? index.row(of: (oldNodes.lowerBound..<oldNode).reversed(), table, in: list.nodes, strings)
    return node.map { $0 - Int(list.first) } ?? 0
  }

  /// For a list that is not long: looks for its few keys in the old list, which may be long.
  private func row(nearestTo oldRow: Int, of old: SiblingRows, _ list: List) -> Int {
    let remaining = (0..<Int(list.count)).compactMap { row in
      old.row(ofKey: key(Int(list.first) + row)).map { (old: $0, new: row) }
    }
    let next = remaining.filter { $0.old > oldRow }.min { $0.old < $1.old }
    let previous = remaining.filter { $0.old < oldRow }.max { $0.old < $1.old }
    return (next ?? previous)?.new ?? 0
  }

  func list(under node: Int) -> List { children[node] }

  /// The memory of the table in bytes.
  var byteCount: Int { strings.byteCount + terms.byteCount + index.byteCount + 13 * count }

  /// Whether a list has the same keys and texts as one of another table.
  func reads(_ list: List, like other: List, of table: NodeTable) -> Bool {
    list.count == other.count && strings.reads(list.nodes, like: other.nodes, of: table.strings)
  }
}

extension NodeTable.List {
  var nodes: Range<Int> { Int(first)..<Int(first + count) }
  fileprivate var isLong: Bool { count > KeyIndex.longCount }
}

/// Numbers lists by content, so that comparing two columns compares two numbers.
private struct ListContents {
  let strings: RowStrings
  private var known: [Int: [(range: Range<Int>, content: Int32)]] = [:]
  private var count: Int32 = 0

  init(_ strings: RowStrings) { self.strings = strings }

  mutating func list(_ range: Range<Int>) -> NodeTable.List {
    guard !range.isEmpty else { return NodeTable.List(first: 0, count: 0, content: -1) }
    var hasher = Hasher()
    strings.hash(range, into: &hasher)
    let hash = hasher.finalize()
    let same = known[hash]?.first { strings.reads($0.range, like: range, of: strings) }
    if same == nil {
      known[hash, default: []].append((range, count))
      count += 1
    }
    return NodeTable.List(
      first: Int32(range.lowerBound), count: Int32(range.count),
      content: same?.content ?? count - 1)
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
  package func key(at row: Int) -> String { table.key(node(at: row)) }
  /// - Precondition: 0 ≤ `row` < ``count``.
  package func text(at row: Int) -> String { table.strings.text(node(at: row)) }
  /// Calls `body` with the UTF-8 bytes of ``key(at:)``.
  package func withKey(at row: Int, _ body: (UnsafeBufferPointer<UInt8>) -> Void) {
    table.strings.withKey(node(at: row), body)
  }
  /// Calls `body` with the UTF-8 bytes of ``text(at:)``.
  package func withText(at row: Int, _ body: (UnsafeBufferPointer<UInt8>) -> Void) {
    table.strings.withText(node(at: row), body)
  }
  /// Calls `body` with the UTF-8 bytes of each term of a row.
  func withTerms(at row: Int, _ body: (UnsafeBufferPointer<UInt8>) -> Void) {
    table.terms.forEach(of: node(at: row), body)
  }
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
    table.strings.hash(list.nodes.prefix(1), into: &hasher)
  }
}
