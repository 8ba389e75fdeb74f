/// What a kind with columns has to say, under the bounds of a moment.
///
/// Whoever compares, reloads, counts generations and names causes is ``Picker``, for all kinds
/// alike.
protocol ColumnRules {
  /// The keys that are selected when nobody has selected anything.
  var firstKeys: [String] { get }

  /// The columns that show `keys`, each with its selected row.
  ///
  /// - Precondition: The keys can be shown, as those of a ``Kept`` can.
  func columns(showing keys: [String]) -> [ColumnView]

  /// What a member's select makes of `keys`.
  ///
  /// - Parameter row: A row that is shown in `column` and is not selected.
  func selecting(row: Int, column: Int, showing keys: [String], in columns: [ColumnState]) -> Kept

  /// `keys` if they can be shown, else what is nearest to them. Also takes keys that never could.
  func keeping(_ keys: [String]) -> Kept
}

/// A column's rows and which one is selected.
struct ColumnView {
  var rows: ColumnRows
  /// `nil` if there are no rows.
  var selected: Int?

  static let empty = ColumnView(rows: .empty, selected: nil)
}

/// Keys that can be shown.
struct Kept: Equatable {
  var keys: [String]
  /// Why they are not the wanted ones; `nil` if they are, or went to their first rows.
  var reason: ClampReason?
}
