package import CivilTime
package import JSONText

/// The notes of a session, on days or on rows.
///
/// Notes are only displayed; they do not affect what can be picked. A note on a row that does not
/// exist is stored and displayed once the row exists.
/// - Source: web/guide/definitions.md, "Notes".
package struct Notes: Hashable, Sendable {
  package private(set) var days: [CivilDate: Note] = [:]
  /// By column index, then by the key of the row. A column without notes has no entry.
  package private(set) var columns: [Int: [ExactString: Note]] = [:]
  /// The memory of the notes in bytes, an estimate.
  package private(set) var byteCount = 0
  /// The number of days whose note has an amount.
  private(set) var amountCount = 0

  /// The maximum number of days with notes.
  package static let daysMax = 4_000
  /// The maximum number of rows with notes, in all columns together.
  package static let rowsMax = 20_000

  package init() {}

  package var isEmpty: Bool { days.isEmpty && columns.isEmpty }
  package var rowCount: Int { columns.values.reduce(0) { $0 + $1.count } }

  /// Applies a change that ``change(by:for:)`` returned for these notes.
  package mutating func apply(_ change: NotesChange) {
    for day in change.days {
      count(days[day.date], day.note)
      days[day.date] = day.note
    }
    for column in change.columns {
      for row in column.rows {
        count(columns[column.column]?[row.key], row.note, key: row.key.text)
        columns[column.column, default: [:]][row.key] = row.note
      }
      if columns[column.column]?.isEmpty == true { columns[column.column] = nil }
    }
  }

  /// Counts a note that replaces another one.
  private mutating func count(_ before: Note?, _ after: Note?, key: String = "") {
    if let before { byteCount -= before.byteCount + key.utf8.count }
    if let after { byteCount += after.byteCount + key.utf8.count }
    amountCount += (after?.amount == nil ? 0 : 1) - (before?.amount == nil ? 0 : 1)
  }
}

extension Notes {
  /// The notes after several patches. Invalid patches are skipped.
  package func applying(_ patches: [JSONTree], for kind: PickerKind) -> Notes {
    var notes = self
    for patch in patches {
      guard let change = try? notes.change(by: patch, for: kind) else { continue }
      notes.apply(change)
    }
    return notes
  }
}

/// The notes that a patch adds, replaces or removes; unchanged notes are not included.
package struct NotesChange: Hashable, Sendable {
  package struct Day: Hashable, Sendable {
    package let date: CivilDate
    /// `nil` if the note was removed.
    package let note: Note?
  }

  package struct Row: Hashable, Sendable {
    package let key: ExactString
    /// `nil` if the note was removed.
    package let note: Note?
  }

  package struct Column: Hashable, Sendable {
    package let column: Int
    /// One row or more.
    package let rows: [Row]
  }

  /// Sorted by date.
  package var days: [Day] = []
  /// Sorted by column.
  package var columns: [Column] = []

  package init() {}

  package var isEmpty: Bool { days.isEmpty && columns.isEmpty }
}

extension Notes {
  /// The notes as JSON: `{"days":{…},"columns":{…}}`, sorted, so that equal notes give equal bytes.
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

  /// Reads what ``tree`` wrote; `nil` for anything else.
  package init?(tree: JSONTree) {
    self.init()
    guard let change = try? change(by: tree, for: nil) else { return nil }
    apply(change)
  }
}
