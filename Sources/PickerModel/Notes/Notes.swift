package import CivilTime
package import JSONText

/// The notes of a session.
///
/// They are shown and decide nothing. A note on a row that does not exist waits for the row.
/// - Source: rules.md, "Notes".
package struct Notes: Hashable, Sendable {
  package private(set) var days: [CivilDate: Note] = [:]
  /// By column, then by the key of the row. No column is empty.
  package private(set) var columns: [Int: [ExactString: Note]] = [:]

  /// Days at most.
  package static let daysMax = 4_000
  /// Rows of all columns at most.
  package static let rowsMax = 20_000

  package init() {}

  package var isEmpty: Bool { days.isEmpty && columns.isEmpty }
  package var rowCount: Int { columns.values.reduce(0) { $0 + $1.count } }

  package mutating func apply(_ change: NotesChange) {
    for day in change.days { days[day.date] = day.note }
    for column in change.columns {
      for row in column.rows { columns[column.column, default: [:]][row.key] = row.note }
      if columns[column.column]?.isEmpty == true { columns[column.column] = nil }
    }
  }
}

/// What a patch changes: only notes that differ.
package struct NotesChange: Hashable, Sendable {
  package struct Day: Hashable, Sendable {
    package let date: CivilDate
    /// `nil` if the day has no note any more.
    package let note: Note?
  }

  package struct Row: Hashable, Sendable {
    package let key: ExactString
    /// `nil` if the row has no note any more.
    package let note: Note?
  }

  package struct Column: Hashable, Sendable {
    package let column: Int
    /// At least one.
    package let rows: [Row]
  }

  /// In the order of their dates.
  package var days: [Day] = []
  /// In ascending order.
  package var columns: [Column] = []

  package init() {}

  package var isEmpty: Bool { days.isEmpty && columns.isEmpty }
}

extension Notes {
  /// `{"days":{…},"columns":{…}}`, with everything in order.
  package var tree: JSONTree {
    .object([
      .init(
        "days",
        .object(
          days.sorted { $0.key < $1.key }.map { .init($0.key.iso, $0.value.tree) })),
      .init(
        "columns",
        .object(
          columns.sorted { $0.key < $1.key }.map { .init("\($0.key)", Notes.tree(of: $0.value)) })),
    ])
  }

  private static func tree(of rows: [ExactString: Note]) -> JSONTree {
    let inOrder = rows.sorted { $0.key.text.utf8.lexicographicallyPrecedes($1.key.text.utf8) }
    return .object(inOrder.map { .init($0.key.text, $0.value.tree) })
  }

  /// - Returns: `nil` for a tree that ``tree`` cannot have written.
  package init?(tree: JSONTree) {
    self.init()
    guard let change = try? change(by: tree, for: nil) else { return nil }
    apply(change)
  }
}
