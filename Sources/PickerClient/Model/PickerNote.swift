import JSONText

/// A short text that the host has attached to a day or a row, in this member's language.
public struct PickerNote: Hashable, Sendable {
  public let text: String
  /// `low`, `high`, `good`, `bad`, or a tone of a newer server; `nil` if the note has none.
  public let tone: String?

  public init(text: String, tone: String? = nil) {
    self.text = text
    self.tone = tone
  }

  /// Reads a note; `nil` for null and for anything that is not a note.
  init?(_ tree: JSONTree?) {
    guard let text = tree?["text"]?.string else { return nil }
    self.init(text: text, tone: tree?["tone"]?.string)
  }
}

extension PickerState {
  /// Applies a change of type `notes`, to days in view or to rows.
  mutating func applyNotes(_ change: JSONTree) throws(MalformedMessage) {
    if let days = change["days"]?.members {
      var notes: [PickerDay: PickerNote?] = [:]
      for day in days { if let date = PickerDay(day.key) { notes[date] = PickerNote(day.value) } }
      for month in months.keys { months[month]?.put(notes) }
    }
    guard let rows = change["rows"]?.members else { return }
    let column = try change.number("column")
    guard columns.indices.contains(column) else { return }
    var notes: [ExactString: PickerNote?] = [:]
    for row in rows { notes[ExactString(row.key)] = PickerNote(row.value) }
    columns[column].put(notes)
  }
}

extension PickerMonthView {
  fileprivate mutating func put(_ notes: [PickerDay: PickerNote?]) {
    for index in cells.indices {
      if let note = notes[cells[index].day] { cells[index].note = note }
    }
  }
}

extension PickerColumn {
  fileprivate mutating func put(_ notes: [ExactString: PickerNote?]) {
    for (index, row) in rows {
      if let note = notes[ExactString(row.key)] { rows[index]?.note = note }
    }
  }
}
