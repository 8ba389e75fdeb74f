/// What a kind with columns has to say, under the bounds of a moment.
///
/// Whoever compares, reloads, counts generations and names causes is ``Picker``, for all kinds
/// alike.
protocol ColumnRules {
  /// The keys that are selected when nobody has selected anything.
  var firstKeys: [String] { get }

  /// Tells of each column that shows `keys`, in order, its rows and which one is selected: `nil` if
  /// there are none.
  ///
  /// - Precondition: The keys can be shown, as those of a ``RetainedSelection`` can.
  func show(_ keys: [String], _ column: (Int, ColumnRows, _ selected: Int?) -> Void)

  /// What a member's select makes of `keys`.
  ///
  /// - Parameter row: A row that is shown in `column` and is not selected.
  func selecting(row: Int, column: Int, showing keys: [String], in columns: [ColumnState])
    -> RetainedSelection

  /// `keys` if they can be shown, else what is nearest to them. Also takes keys that never could.
  func keeping(_ keys: [String]) -> RetainedSelection

  /// `keys` if they can be shown, else what is nearest to them in the columns that show them under
  /// another definition.
  func keeping(_ keys: [String], shownIn columns: [ColumnState]) -> RetainedSelection

  /// Whether a column's rows follow from what is selected before it.
  var areColumnsLinked: Bool { get }
}

extension ColumnRules {
  func keeping(_ keys: [String], shownIn columns: [ColumnState]) -> RetainedSelection {
    keeping(keys)
  }
  var areColumnsLinked: Bool { false }
}

/// A column's rows and which one is selected.
struct ColumnView {
  let rows: ColumnRows
  /// `nil` if there are no rows.
  let selected: Int?
}

extension ColumnRules {
  /// The columns that show `keys`.
  func columns(showing keys: [String]) -> [ColumnView] {
    var columns: [ColumnView] = []
    show(keys) { _, rows, selected in columns.append(ColumnView(rows: rows, selected: selected)) }
    return columns
  }
}

/// Keys that can be shown.
struct RetainedSelection {
  var keys: [String]
  /// Why they are not the wanted ones; `nil` if they are, or went to their first rows.
  var reason: ClampReason?
  /// The goal day that a select leaves, of a `date` that remembers the day.
  var goalDay: Int?
  /// The key of the goal day for which a select of a year or month aimed.
  var aimedDay: String?

  init(keys: [String], reason: ClampReason? = nil) {
    self.keys = keys
    self.reason = reason
  }
}
