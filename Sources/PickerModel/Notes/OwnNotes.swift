import CivilTime
package import JSONText

/// The notes that were changed for one session, over those of its shared definition.
/// - Source: web/guide/inventory.md, "One inventory for many sessions".
package struct OwnNotes: Hashable, Sendable {
  /// A date without a note has none, whatever the shared definition has.
  private var days: [CivilDate: Note?] = [:]
  /// By column index, then by the key of the row.
  private var columns: [Int: [ExactString: Note?]] = [:]

  package init() {}

  package var isEmpty: Bool { days.isEmpty && columns.isEmpty }

  /// The number of days and rows.
  package var count: Int { days.count + columns.values.reduce(0) { $0 + $1.count } }

  /// Whether a change can be added: there are at most as many days and rows as a session may have
  /// notes on.
  package func hasRoom(for change: NotesChange) -> Bool {
    if change.isEmpty { return true }
    var after = self
    after.add(change)
    return after.days.count <= Notes.daysMax && after.count - after.days.count <= Notes.rowsMax
  }

  package mutating func add(_ change: NotesChange) {
    for day in change.days { days[day.date] = .some(day.note) }
    for column in change.columns {
      for row in column.rows { columns[column.column, default: [:]][row.key] = .some(row.note) }
    }
  }

  /// The notes of the session.
  ///
  /// - Throws: ``BadNotes`` if there are too many together.
  package func over(_ shared: Notes) throws(BadNotes) -> Notes {
    if isEmpty { return shared }
    var change = NotesChange()
    change.days = days.map { .init(date: $0.key, note: $0.value) }
    change.columns = columns.map { column in
      .init(column: column.key, rows: column.value.map { .init(key: $0.key, note: $0.value) })
    }
    try shared.checkCounts(after: change)
    var notes = shared
    notes.apply(change)
    return notes
  }
}

/// As JSON: a merge patch whose notes replace those before, sorted, so that equal notes give equal
/// bytes.
extension OwnNotes {
  package var tree: JSONTree {
    let days = days.sorted { $0.key < $1.key }
    let columns = columns.sorted { $0.key < $1.key }
    return .object([
      .init("days", .object(days.map { .init($0.key.iso, $0.value?.tree ?? .null) })),
      .init(
        "columns",
        .object(
          columns.map { column in
            let rows = column.value.sorted {
              $0.key.text.utf8.lexicographicallyPrecedes($1.key.text.utf8)
            }
            return .init(
              "\(column.key)", .object(rows.map { .init($0.key.text, $0.value?.tree ?? .null) }))
          })),
    ])
  }

  /// Reads what ``tree`` wrote; `nil` for anything else.
  package init?(tree: JSONTree) {
    guard let days = tree["days"]?.members, let columns = tree["columns"]?.members else {
      return nil
    }
    func note(_ tree: JSONTree, isOnDay: Bool) -> Note?? {
      if tree == .null { return .some(nil) }
      return (try? Note(tree, at: "", isOnDay: isOnDay)).map { .some($0) }
    }
    for day in days {
      guard let date = CivilDate(iso: day.key.utf8), let note = note(day.value, isOnDay: true)
      else { return nil }
      self.days[date] = .some(note)
    }
    for column in columns {
      guard let number = Int(column.key), let rows = column.value.members else { return nil }
      for row in rows {
        guard let note = note(row.value, isOnDay: false) else { return nil }
        self.columns[number, default: [:]][ExactString(row.key)] = .some(note)
      }
    }
  }
}
