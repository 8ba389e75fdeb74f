import CivilTime
import JSONText
import PickerModel
import PickerSession

/// The notes on the rows of one column.
struct ColumnNotes {
  let notes: [ExactString: Note]
  /// The definition's.
  let locale: String

  /// - Returns: `nil` if no row has a note.
  init?(_ notes: [ExactString: Note]?, locale: String) {
    guard let notes else { return nil }
    self.notes = notes
    self.locale = locale
  }
}

extension RowNotes {
  func notes(of column: Int) -> ColumnNotes? { ColumnNotes(columns[column], locale: locale) }
}

extension SessionFold {
  func columnNotes(_ column: Int) -> ColumnNotes? {
    ColumnNotes(notes.columns[column], locale: definition.locale)
  }
}

/// Notes on days and rows, in the language of who reads them.
/// - Source: protocol.md, "The host changes the picker".
extension JSONWriter {
  /// `,"note":{"text","tone"?}` for a cell or a row; nothing without a note.
  mutating func noteField(_ note: Note?, locale: String, texts: any RowTexts) {
    guard let note else { return }
    literal(",\"note\":")
    self.note(note, locale: locale, texts: texts)
  }

  /// `{"text","tone"?}`, or null for a note that is gone.
  private mutating func note(_ note: Note?, locale: String, texts: any RowTexts) {
    guard let note else { return literal("null") }
    literal("{\"text\":")
    string(note.text(for: texts.noteTag, fallback: locale))
    if let tone = note.tone {
      literal(",\"tone\":\"")
      raw(tone.rawValue)
      literal("\"")
    }
    literal("}")
  }

  /// A change of kind `notes` for each column whose rows have other notes.
  mutating func rowNotes(_ edit: NotesEdit, texts: any RowTexts) {
    for (index, column) in edit.change.columns.enumerated() {
      if index > 0 { literal(",") }
      literal("{\"change\":\"notes\",\"column\":")
      integer(column.column)
      literal(",\"rows\":{")
      for (index, row) in column.rows.enumerated() {
        if index > 0 { literal(",") }
        string(row.key.text)
        literal(":")
        note(row.note, locale: edit.locale, texts: texts)
      }
      literal("}}")
    }
  }

  /// The change of kind `notes` for days; nothing if none of them is seen.
  ///
  /// - Parameter dates: Those that are seen; `nil` for all.
  mutating func dayNotes(
    _ edit: NotesEdit, in dates: ClosedRange<CivilDate>?, texts: any RowTexts
  ) {
    var isFirst = true
    for day in edit.change.days where dates?.contains(day.date) ?? true {
      literal(isFirst ? "{\"change\":\"notes\",\"days\":{\"" : ",\"")
      isFirst = false
      raw(day.date.iso)
      literal("\":")
      note(day.note, locale: edit.locale, texts: texts)
    }
    if !isFirst { literal("}}") }
  }
}

extension Delta {
  /// The part of a delta that logs and answers over HTTP have and resumed members have not: the
  /// notes of all days.
  func dayNotes(texts: any RowTexts) -> [UInt8] {
    guard case .notes(let edit) = change, !edit.change.days.isEmpty else { return [] }
    var writer = JSONWriter()
    writer.dayNotes(edit, in: nil, texts: texts)
    return writer.bytes
  }
}
