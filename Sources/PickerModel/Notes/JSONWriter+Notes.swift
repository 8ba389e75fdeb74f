package import JSONText

/// The notes on rows at one revision.
package struct RowNotes: Hashable, Sendable {
  /// By column index and row key.
  package let columns: [Int: [ExactString: Note]]
  /// The definition's locale, used if a note has no text in a member's language.
  package let locale: String

  package init(columns: [Int: [ExactString: Note]], locale: String) {
    self.columns = columns
    self.locale = locale
  }

  package var count: Int { columns.values.reduce(0) { $0 + $1.count } }

  func notes(of column: Int) -> ColumnNotes? { ColumnNotes(columns[column], locale: locale) }
}

/// The notes on the rows of one column.
package struct ColumnNotes {
  let notes: [ExactString: Note]
  /// The definition's locale, used if a note has no text in the reader's language.
  let locale: String

  /// - Returns: `nil` if no row has a note.
  package init?(_ notes: [ExactString: Note]?, locale: String) {
    guard let notes else { return nil }
    self.notes = notes
    self.locale = locale
  }
}

/// Writes notes on days and rows in the reader's language.
///
/// - Source: web/guide/inventory.md.
extension JSONWriter {
  /// `,"note":{"text","tone"?,"amount"?}` for a cell or a row; nothing if `note` is `nil`.
  mutating func noteField(_ note: Note?, locale: String, texts: any RowTexts) {
    guard let note else { return }
    literal(",\"note\":")
    self.note(note, locale: locale, texts: texts)
  }

  /// `{"text","tone"?,"amount"?}`, or null for a removed note.
  package mutating func note(_ note: Note?, locale: String, texts: any RowTexts) {
    guard let note else { return literal("null") }
    literal("{\"text\":", note.text(for: texts.noteTag, fallback: locale))
    if let tone = note.tone { literal(",\"tone\":", tone.rawValue) }
    if let amount = note.amount {
      literal(",\"amount\":")
      amount.write(to: &self)
    }
    literal("}")
  }
}
