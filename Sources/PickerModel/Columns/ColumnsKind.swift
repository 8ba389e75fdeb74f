import JSONText

/// The options of `columns`: independent columns.
///
/// - Source: web/guide/definitions.md, "`columns`".
struct ColumnsKind: Sendable {
  let table: NodeTable

  static let shape: [String: FieldShape] = [
    "columns": .each(.each(.fields(["text": .value, "key": .value, "terms": .value])))
  ]

  init?(_ reader: inout DefinitionReader) {
    let reading = NodeReading(limits: reader.limits)
    let table = reader.field("columns", missing: nil) { tree throws(DefinitionProblem) in
      try reading.columns(tree)
    }
    guard let table else { return nil }
    self.table = table
  }

  func members(full isFull: Bool, isExplicit: Bool) -> [JSONTree.Member] {
    guard isFull else { return [] }
    let columns = table.roots.map { table.document(of: $0, isExplicit: isExplicit) }
    return [.init("columns", .array(columns))]
  }
}

extension ColumnsKind: ColumnRules {
  var firstKeys: [String] { table.roots.map { table.key(Int($0.first)) } }

  func show(_ keys: [String], _ column: (Int, ColumnRows, Int?) -> Void) {
    for index in keys.indices {
      let rows = SiblingRows(table: table, list: table.roots[index])
      column(index, .nodes(rows), rows.row(ofKey: keys[index])!)
    }
  }

  func keys(of fields: ResultFields) -> [String]? { fields.keys }

  func rows(below keys: ArraySlice<String>) -> ColumnRows {
    guard keys.count < table.roots.count else { return .empty }
    return .nodes(SiblingRows(table: table, list: table.roots[keys.count]))
  }

  func selecting(
    row: Int, column: Int, showing keys: [String], in columns: [ColumnState]
  ) -> RetainedSelection {
    var keys = keys
    keys[column] = columns[column].rows.key(at: row)
    return RetainedSelection(keys: keys)
  }

  /// In each column the row with the same key, otherwise the first row.
  func keeping(_ keys: [String]) -> RetainedSelection {
    RetainedSelection(
      keys: table.roots.enumerated().map { index, list in
        let row = index < keys.count ? table.row(ofKey: keys[index], in: list) : nil
        return table.key(Int(list.first) + (row ?? 0))
      })
  }

  /// In each column the row with the same key, otherwise the nearest remaining row.
  func keeping(_ keys: [String], shownIn columns: [ColumnState]) -> RetainedSelection {
    RetainedSelection(
      keys: table.roots.enumerated().map { index, list in
        guard index < keys.count else { return table.key(Int(list.first)) }
        let row = table.row(nearestTo: keys[index], of: columns[index].rows, in: list)
        return table.key(Int(list.first) + row)
      })
  }
}
