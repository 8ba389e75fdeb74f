/// Copies the inventories of shared definitions, after these.
extension SQLCopy {
  private static let inventory: [(name: String, kind: Kind)] = [
    ("name", .text), ("number", .integer), ("changed_at", .integer), ("ordinal", .integer),
    ("line_number", .integer), ("whole_number", .integer), ("open_count", .integer),
    ("booked_count", .integer),
  ]
  private static let claim: [(name: String, kind: Kind)] = [
    ("definition", .text), ("id", .text), ("is_session", .bool), ("state", .text),
    ("keys", .text), ("units", .integer), ("weight", .integer), ("holder", .text),
    ("begun_at", .integer), ("ends_at", .integer), ("ordinal", .integer), ("is_over", .bool),
    ("number", .integer),
  ]
  private static let unit: [(name: String, kind: Kind)] = [
    ("definition", .text), ("key", .text), ("id", .text), ("is_session", .bool),
    ("is_booked", .bool), ("units", .integer), ("ends_at", .integer), ("ordinal", .integer),
    ("wish", .text),
  ]
  private static let key: [(name: String, kind: Kind)] = [
    ("definition", .text), ("key", .text), ("booked", .integer), ("held", .integer),
    ("offered", .integer), ("waiting", .integer), ("kept_since", .integer), ("number", .integer),
  ]

  /// The number of rows that are copied at once.
  private static let rowCountMax = 500

  func copyInventories() throws {
    try copy("inventory", SQLCopy.inventory, keyCount: 1)
    try copy("inventory_claim", SQLCopy.claim, keyCount: 3)
    try copy("inventory_unit", SQLCopy.unit, keyCount: 4)
    try copy("inventory_key", SQLCopy.key, keyCount: 2)
  }

  /// Copies a table in the order of its key, which is its first columns.
  private func copy(
    _ table: String, _ columns: [(name: String, kind: Kind)], keyCount: Int
  ) throws {
    let key = SQLCopy.names(Array(columns.prefix(keyCount)))
    var last: [(any SQLValue)?] = columns.prefix(keyCount).map { column in
      switch column.kind {
      case .bool: false
      case .integer: 0
      case .text, .blob: ""
      }
    }
    while true {
      let rows = try source.rows(
        """
        SELECT \(SQLCopy.names(columns)) FROM \(table)
        WHERE (\(key)) > (\(SQLCopy.marks(keyCount))) ORDER BY \(key)
        LIMIT \(SQLCopy.rowCountMax)
        """, last
      ) { SQLCopy.values($0, columns) }
      for row in rows {
        try target.send(
          """
          INSERT INTO \(table) (\(SQLCopy.names(columns)))
          VALUES (\(SQLCopy.marks(columns.count)))
          """, row)
      }
      try target.flush()
      guard rows.count == SQLCopy.rowCountMax, let end = rows.last else { return }
      last = Array(end.prefix(keyCount))
    }
  }
}
