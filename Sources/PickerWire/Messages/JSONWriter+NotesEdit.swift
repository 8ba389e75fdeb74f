import CivilTime
import JSONText
import PickerModel
import PickerSession

extension SessionFold {
  func columnNotes(_ column: Int) -> ColumnNotes? {
    ColumnNotes(notes.columns[column], locale: definition.locale)
  }
}

/// Writes notes on days and rows in the reader's language.
///
/// - Source: web/guide/inventory.md.
extension JSONWriter {
  /// A change of type `notes` for each column with changed notes.
  mutating func rowNotes(_ edit: NotesEdit, texts: any RowTexts) {
    for (index, column) in edit.change.columns.enumerated() {
      if index > 0 { literal(",") }
      literal("{\"change\":\"notes\",\"column\":", column.column)
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

  /// A change of type `notes` for days; nothing if no changed note is in `dates`.
  ///
  /// - Parameters:
  ///   - dates: The dates that the reader displays; `nil` for all.
  ///   - isLast: Whether no change follows; otherwise a comma does.
  mutating func dayNotes(
    _ edit: NotesEdit, in dates: ClosedRange<CivilDate>?, isLast: Bool, texts: any RowTexts
  ) {
    var isFirst = true
    for day in edit.change.days where dates?.contains(day.date) ?? true {
      literal(isFirst ? "{\"change\":\"notes\",\"days\":{\"" : ",\"")
      isFirst = false
      raw(day.date.iso)
      literal("\":")
      note(day.note, locale: edit.locale, texts: texts)
    }
    if !isFirst { literal(isLast ? "}}" : "}},") }
  }
}

extension Delta {
  /// The change with the notes of the days that a reader displays, with its comma; empty if there
  /// is none.
  func dayNotes(in dates: ClosedRange<CivilDate>?, texts: any RowTexts) -> [UInt8] {
    guard let edit = change.notesEdit else { return [] }
    var writer = JSONWriter()
    guard case .definition = change else {
      writer.dayNotes(edit, in: dates, isLast: result == nil, texts: texts)
      return writer.bytes
    }
    writer.dayNotes(edit, in: dates, isLast: true, texts: texts)
    return writer.bytes.isEmpty ? [] : [UInt8(ascii: ",")] + writer.bytes
  }

  /// The change with the notes of all days, for logs and HTTP responses. Clients instead get the
  /// notes of the months that they display.
  func dayNotes(texts: any RowTexts) -> [UInt8] {
    dayNotes(in: nil, texts: texts)
  }
}
