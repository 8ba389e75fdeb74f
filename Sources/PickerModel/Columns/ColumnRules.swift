/// The rules of a kind with columns, within the bounds of the last tick.
///
/// An implementation computes rows and keys only. ``ColumnsPicker`` compares them with those
/// before, counts generations and reports the causes, for all kinds with columns alike.
protocol ColumnRules {
  /// The keys that a new picker has selected, unless its definition has an `initial` value.
  var firstKeys: [String] { get }

  /// Calls `column` for each column in order, with its index, its rows and the selected row, which
  /// is `nil` if there are no rows.
  ///
  /// - Precondition: `keys` are valid, as those of a ``RetainedSelection`` are.
  func show(_ keys: [String], _ column: (Int, ColumnRows, _ selected: Int?) -> Void)

  /// The keys of a result; `nil` if it is one of another kind.
  func keys(of fields: ResultFields) -> [String]?

  /// The rows of the column after `keys`, if these are selected; `.empty` if there is none.
  ///
  /// - Precondition: Each key is one of a row of its column.
  func rows(below keys: ArraySlice<String>) -> ColumnRows

  /// The selection after a member selects a row.
  ///
  /// - Parameters:
  ///   - row: A row of `column` that is not selected.
  ///   - keys: The keys selected before.
  func selecting(row: Int, column: Int, showing keys: [String], in columns: [ColumnState])
    -> RetainedSelection

  /// `keys` if they are valid within the bounds, otherwise the nearest valid selection. Accepts any
  /// keys, also of another shape.
  func keeping(_ keys: [String]) -> RetainedSelection

  /// `keys` if they are valid, otherwise the nearest valid selection, after a change of definition.
  ///
  /// - Parameter columns: The columns under the definition before, which say which rows were next
  ///   to the selected one.
  func keeping(_ keys: [String], shownIn columns: [ColumnState]) -> RetainedSelection

  /// The levels of a column's rows, by row; see ``ColumnState/levels``.
  ///
  /// - Parameter keys: The selected keys.
  func levels(
    of rows: ColumnRows, column: Int, showing keys: [String], in inventory: KeyLevels
  ) -> [Int: KeyLevel]

  /// Whether a column's rows depend on the selection in the columns before it.
  var areColumnsLinked: Bool { get }
}

extension ColumnRules {
  func keeping(_ keys: [String], shownIn columns: [ColumnState]) -> RetainedSelection {
    keeping(keys)
  }
  var areColumnsLinked: Bool { false }

  func levels(
    of rows: ColumnRows, column: Int, showing keys: [String], in inventory: KeyLevels
  ) -> [Int: KeyLevel] { [:] }
}

/// A column's rows and its selected row.
struct ColumnView {
  let rows: ColumnRows
  /// `nil` if there are no rows.
  let selected: Int?
}

extension ColumnRules {
  func columns(showing keys: [String]) -> [ColumnView] {
    var columns: [ColumnView] = []
    show(keys) { _, rows, selected in columns.append(ColumnView(rows: rows, selected: selected)) }
    return columns
  }
}

/// A valid selection: one key for each column that has rows.
struct RetainedSelection {
  var keys: [String]
  /// Why the keys were clamped; `nil` if they are the requested ones or the first rows.
  var reason: ClampReason?
  /// For a `date` with `rememberDay`: the day of the month to return to later.
  var goalDay: Int?
  /// For a `date` with `rememberDay`: the key of the day that selecting a year or month tried to
  /// reach.
  var aimedDay: String?

  init(keys: [String], reason: ClampReason? = nil) {
    self.keys = keys
    self.reason = reason
  }
}
