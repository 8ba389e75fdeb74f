import JSONText

/// The options of a `cascade`: a tree whose levels are the columns.
///
/// - Source: web/guide/definitions.md, "`cascade`".
struct CascadeKind: Sendable {
  let table: NodeTable
  /// The number of levels of the deepest branch; columns below a shallower leaf are empty.
  let columnCount: Int
  let onParentChange: ParentChange

  static let shape: [String: FieldShape] = ["nodes": .each(.node), "onParentChange": .value]

  init?(_ reader: inout DefinitionReader) {
    let reading = NodeReading(limits: reader.limits)
    let table = reader.field("nodes", missing: nil) { tree throws(DefinitionProblem) in
      try reading.tree(tree)
    }
    let onParentChange = reader.word("onParentChange", missing: ParentChange.first)
    guard let table, let onParentChange else { return nil }
    self.table = table
    self.onParentChange = onParentChange
    columnCount = CascadeKind.depth(of: table)
  }

  // The table stores nodes level by level, so the children of one level are the next level.
  private static func depth(of table: NodeTable) -> Int {
    var depth = 0
    var level = 0..<Int(table.roots[0].count)
    while !level.isEmpty {
      depth += 1
      let below = level.reduce(0) { $0 + Int(table.children[$1].count) }
      level = level.upperBound..<level.upperBound + below
    }
    return depth
  }

  func members(full isFull: Bool, isExplicit: Bool) -> [JSONTree.Member] {
    let nodes =
      isFull
      ? [JSONTree.Member("nodes", table.document(of: table.roots[0], isExplicit: isExplicit))] : []
    return nodes + [.init("onParentChange", .string(onParentChange.rawValue))]
  }
}

extension CascadeKind: ColumnRules {
  var firstKeys: [String] { firstKeys(after: [], from: table.roots[0]) }

  /// `upper`, then the first row of `list` and of each list below it.
  private func firstKeys(after upper: ArraySlice<String>, from list: NodeTable.List) -> [String] {
    var keys: [String] = []
    keys.reserveCapacity(columnCount)
    keys.append(contentsOf: upper)
    var list = list
    while list.count > 0 {
      keys.append(table.key(Int(list.first)))
      list = table.children[Int(list.first)]
    }
    return keys
  }

  func show(_ keys: [String], _ column: (Int, ColumnRows, Int?) -> Void) {
    var list = table.roots[0]
    for index in keys.indices {
      let rows = SiblingRows(table: table, list: list)
      let row = rows.row(ofKey: keys[index])!
      column(index, .nodes(rows), row)
      list = table.children[rows.node(at: row)]
    }
    for index in keys.count..<columnCount { column(index, .empty, nil) }
  }

  func keys(of fields: ResultFields) -> [String]? { fields.keys }

  func rows(below keys: ArraySlice<String>) -> ColumnRows {
    var list = table.roots[0]
    for key in keys { list = table.children[Int(list.first) + table.row(ofKey: key, in: list)!] }
    return list.count == 0 ? .empty : .nodes(SiblingRows(table: table, list: list))
  }

  func selecting(
    row: Int, column: Int, showing keys: [String], in columns: [ColumnState]
  ) -> RetainedSelection {
    guard case .nodes(let rows) = columns[column].rows else {
      preconditionFailure("an empty column has no row to select")
    }
    let node = rows.node(at: row)
    var keys = keys
    keys[column] = table.key(node)
    switch onParentChange {
    case .first:
      return RetainedSelection(keys: firstKeys(after: keys[...column], from: table.children[node]))
    case .keep: return RetainedSelection(keys: keeping(keys).keys)
    }
  }

  /// In each column the row with the same key, otherwise the first row.
  func keeping(_ keys: [String]) -> RetainedSelection {
    var retained: [String] = []
    var list = table.roots[0]
    while list.count > 0 {
      let wanted = retained.count < keys.count ? keys[retained.count] : nil
      let row = wanted.flatMap { table.row(ofKey: $0, in: list) } ?? 0
      let node = Int(list.first) + row
      retained.append(table.key(node))
      list = table.children[node]
    }
    return RetainedSelection(keys: retained)
  }

  var areColumnsLinked: Bool { true }

  /// Of the leaves.
  func levels(
    of rows: ColumnRows, column: Int, showing keys: [String], in inventory: KeyLevels
  ) -> [Int: KeyLevel] {
    guard case .nodes(let siblings) = rows else { return [:] }
    let path = Array(keys.prefix(column))
    var levels: [Int: KeyLevel] = [:]
    for row in 0..<siblings.count where table.children[siblings.node(at: row)].count == 0 {
      levels[row] = inventory[Picker.key(ofPath: path + [siblings.key(at: row)])]
    }
    return levels
  }

  /// In each column the row with the same key. Where there is none: in the first such column the
  /// nearest remaining row, in later ones the first row.
  func keeping(_ keys: [String], shownIn columns: [ColumnState]) -> RetainedSelection {
    var retained: [String] = []
    var hasMoved = false
    var list = table.roots[0]
    while list.count > 0 {
      let column = retained.count
      var row = 0
      if column < keys.count {
        if hasMoved {
          row = table.row(ofKey: keys[column], in: list) ?? 0
        } else {
          row = table.row(nearestTo: keys[column], of: columns[column].rows, in: list)
        }
        hasMoved = hasMoved || !table.key(Int(list.first) + row).isExactly(keys[column])
      }
      let node = Int(list.first) + row
      retained.append(table.key(node))
      list = table.children[node]
    }
    return RetainedSelection(keys: retained)
  }
}
