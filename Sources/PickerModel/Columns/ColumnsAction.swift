import JSONText

/// What a member does to a picker of columns.
package enum ColumnsAction: Hashable, Sendable {
  case select(RowSelection)

  var type: String { "select" }

  var byteCount: Int {
    switch self {
    case .select(let selection): selection.key?.utf8.count ?? 0
    }
  }

  /// See ``PickerAction/brief``.
  var brief: ColumnsAction {
    switch self {
    case .select(let selection): .select(selection.withoutKey)
    }
  }
}

/// A row of a column, and the generation of the rows that the member saw when it selected the row.
/// The host looks at no rows: its generation is 0, which no column has, so that the key names the
/// row.
package struct RowSelection: Hashable, Sendable {
  package let column: Int
  /// The row's index, used if `generation` is the column's current one.
  package let row: Int
  package let generation: Int
  /// The row's key, used if the column has had other rows since `generation`.
  package let key: String?

  package init(column: Int, row: Int, generation: Int, key: String?) {
    self.column = column
    self.row = row
    self.generation = generation
    self.key = key
  }

  /// Whether only the key names the row, as in a select by the host. A member's message may have
  /// the same generation with another row, or without a key.
  package var isByKey: Bool { generation == 0 && row == 0 && key != nil }

  var withoutKey: RowSelection {
    RowSelection(column: column, row: row, generation: generation, key: nil)
  }
}

extension RowSelection {
  /// The maximum length of a row's key. Longer keys are cut to one character more, so that they
  /// still match no row.
  private static let keyCharactersMax = DefinitionLimits().textCharactersMax

  /// - Parameter isFromHost: Whether the key is enough.
  init(
    _ fields: inout MessageFields, _ text: Span<UInt8>, fromHost isFromHost: Bool
  ) throws(BadMessage) {
    var key: String?
    if case .string = fields[.key] {
      key = try fields.string(.key, text).prefix(scalarCount: RowSelection.keyCharactersMax + 1)
    }
    if isFromHost, fields[.row] == nil, fields[.generation] == nil {
      guard key != nil else { throw BadMessage("key must be a string", pointer: "/key") }
      self.init(column: try fields.integer(.column), row: 0, generation: 0, key: key)
    } else {
      self.init(
        column: try fields.integer(.column), row: try fields.integer(.row),
        generation: try fields.integer(.generation), key: key)
    }
  }
}

extension JSONWriter {
  /// The fields of a select, each after a comma.
  mutating func selection(_ selection: RowSelection) {
    literal(",\"column\":", selection.column)
    if !selection.isByKey {
      literal(",\"row\":", selection.row)
      literal(",\"generation\":", selection.generation)
    }
    if let key = selection.key { literal(",\"key\":", key) }
  }
}

extension PickerAction {
  package static func select(_ selection: RowSelection) -> PickerAction {
    .columns(.select(selection))
  }
}

extension Refusal {
  package static func noSuchColumn(_ column: Int, of count: Int) -> Refusal {
    Refusal(
      .noSuchColumn, "column \(column) does not exist; the columns are 0 to \(count - 1)",
      ["count": .integer(count)])
  }
}

extension ColumnsAction {
  /// See ``PickerAction/words``.
  var words: String {
    switch self {
    case .select(let selection):
      "select column \(selection.column) row \(selection.row) of generation "
        + "\(selection.generation)" + (selection.key.map { " key “\($0.prefix(40))”" } ?? "")
    }
  }
}
