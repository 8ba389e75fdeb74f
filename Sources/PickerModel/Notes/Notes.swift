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

extension Notes {
  /// The notes that a JSON Merge Patch changes. Apply the result with ``apply(_:)``.
  ///
  /// The cost depends on the size of the patch, not on the number of notes, except where `null`
  /// removes all of them.
  /// - Parameters:
  ///   - patch: `{"days":{…}}` or `{"columns":{…}}`; `null` removes a note, or all of them.
  ///   - kind: The picker's kind; `nil` to allow both days and columns.
  /// - Throws: ``BadNotes`` if a note or the number of notes would be invalid.
  /// - Source: RFC 7396.
  package func change(by patch: JSONTree, for kind: PickerKind?) throws(BadNotes) -> NotesChange {
    guard let members = patch.members else {
      throw BadNotes("notes must be an object like {\"days\":{\"2026-12-24\":{\"text\":\"full\"}}}")
    }
    if let kind, !kind.hasNotes { throw BadNotes("an \(kind) has no notes") }
    var change = NotesChange()
    for member in members {
      switch member.key {
      case "days" where kind?.showsMonths == false, "columns" where kind?.showsMonths == true:
        guard member.value == .null || member.value == .object([]) else {
          throw BadNotes("days are supported for calendars only, columns for the other kinds only")
        }
      case "days": change.days = try daysChanged(by: member.value)
      case "columns": change.columns = try columnsChanged(by: member.value)
      default:
        throw BadNotes("the field \(member.key.quoted) is unknown; the fields are days and columns")
      }
    }
    try checkCounts(after: change)
    return change
  }

  private func daysChanged(by patch: JSONTree) throws(BadNotes) -> [NotesChange.Day] {
    var changed: [NotesChange.Day] = []
    switch patch {
    case .null: changed = days.keys.map { .init(date: $0, note: nil) }
    case .object(let members):
      for member in members {
        guard let date = CivilDate(iso: member.key.utf8) else {
          throw BadNotes("days has the key \(member.key.quoted); it must be a date like 2026-12-24")
        }
        let known = days[date]
        let note = try Notes.merge(
          member.value, into: known, at: "the note on \(date.iso)", isOnDay: true)
        if note != known { changed.append(.init(date: date, note: note)) }
      }
    case .bool, .integer, .number, .string, .array:
      throw BadNotes("days must be an object of notes by date, or null")
    }
    return changed.sorted { $0.date < $1.date }
  }

  private func columnsChanged(by patch: JSONTree) throws(BadNotes) -> [NotesChange.Column] {
    var changed: [NotesChange.Column] = []
    switch patch {
    case .null:
      for column in columns.keys { changed += try rowsChanged(in: column, by: .null) }
    case .object(let members):
      for member in members {
        guard let column = Notes.columnNumber(member.key) else {
          throw BadNotes(
            "columns has the key \(member.key.quoted); it must be the number of a column, 0 to "
              + "\(Notes.columnsMax - 1)")
        }
        changed += try rowsChanged(in: column, by: member.value)
      }
    case .bool, .integer, .number, .string, .array:
      throw BadNotes("columns must be an object of objects by column, or null")
    }
    return changed.sorted { $0.column < $1.column }
  }

  /// - Returns: One column, or none if nothing changes.
  private func rowsChanged(
    in column: Int, by patch: JSONTree
  ) throws(BadNotes) -> [NotesChange.Column] {
    let known = columns[column] ?? [:]
    var rows: [NotesChange.Row] = []
    switch patch {
    case .null:
      rows = known.keys.map { .init(key: $0, note: nil) }
      rows.sort { $0.key.text.utf8.lexicographicallyPrecedes($1.key.text.utf8) }
    case .object(let members):
      for member in members {
        guard (1...Notes.keyCharactersMax).contains(member.key.unicodeScalars.count) else {
          throw BadNotes(
            "\(Notes.subject(member.key, column)): a key must have 1 to "
              + "\(Notes.keyCharactersMax) characters")
        }
        let key = ExactString(member.key)
        let before = known[key]
        let note = try Notes.merge(
          member.value, into: before, at: Notes.subject(member.key, column), isOnDay: false)
        if note != before { rows.append(.init(key: key, note: note)) }
      }
    case .bool, .integer, .number, .string, .array:
      throw BadNotes("columns/\(column) must be an object of notes by key, or null")
    }
    return rows.isEmpty ? [] : [.init(column: column, rows: rows)]
  }

  private static func merge(
    _ patch: JSONTree, into known: Note?, at subject: @autoclosure () -> String, isOnDay: Bool
  ) throws(BadNotes) -> Note? {
    if case .null = patch { return nil }
    if let plain = Note(plain: patch, over: known, isOnDay: isOnDay) { return plain }
    let merged = (known?.tree ?? .object([])).merging(patch)
    return try Note(merged, at: subject(), isOnDay: isOnDay)
  }

  func checkCounts(after change: NotesChange) throws(BadNotes) {
    var dayCount = days.count
    for day in change.days {
      dayCount += (day.note == nil ? 0 : 1) - (days[day.date] == nil ? 0 : 1)
    }
    guard dayCount <= Notes.daysMax else {
      throw BadNotes("there would be notes on \(dayCount) days; \(Notes.daysMax) are allowed")
    }
    var rowCount = rowCount
    for column in change.columns {
      let known = columns[column.column] ?? [:]
      for row in column.rows {
        rowCount += (row.note == nil ? 0 : 1) - (known[row.key] == nil ? 0 : 1)
      }
    }
    guard rowCount <= Notes.rowsMax else {
      throw BadNotes("there would be notes on \(rowCount) rows; \(Notes.rowsMax) are allowed")
    }
  }

  private static func subject(_ key: String, _ column: Int) -> String {
    "the note on row \(key.quoted) of column \(column)"
  }

  /// The maximum number of columns of a definition.
  private static let columnsMax = 32
  /// The maximum length of a row's key, in Unicode scalars.
  private static let keyCharactersMax = 200

  private static func columnNumber(_ text: String) -> Int? {
    guard let number = Int(text), (0..<columnsMax).contains(number), "\(number)" == text else {
      return nil
    }
    return number
  }
}
