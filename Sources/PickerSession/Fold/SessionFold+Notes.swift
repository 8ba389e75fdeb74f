import CivilTime
package import JSONText
package import PickerModel

extension SessionFold {
  /// Applies a JSON Merge Patch to the notes.
  ///
  /// Notes do not affect the picker, so they can change while the session is not open; its result
  /// has the amounts of before then. While the host decides on a confirmation, the patch waits. An
  /// invalid patch changes nothing; the host's request was checked before it was logged.
  mutating func note(_ patch: NotesPatch, at now: Instant, _ outcomes: inout [Outcome]) {
    tick(to: now, &outcomes)
    if status == .confirming {
      if decision.hasRoom(for: patch.tree) { decision.addNotes(patch.tree) }
      return
    }
    guard let change = patch.change ?? (try? notes.change(by: patch.tree, for: definition.kind)),
      !change.isEmpty
    else { return }
    assert(change == (try? notes.change(by: patch.tree, for: definition.kind)))
    notes.apply(change)
    shared?.ownNotes.add(change)
    let edit = NotesEdit(patch: patch.tree, change: change, locale: definition.locale)
    commit(.notes(edit), hasResult: takeResult(), at: now, &outcomes)
  }

  /// The notes on the rows that the reloads in `change` include; `nil` if there are none.
  func notes(onRowsOf change: SessionChange) -> RowNotes? {
    guard !notes.columns.isEmpty else { return nil }
    var sent: [Int: [ExactString: Note]] = [:]
    for case .reload(let column, let state) in change.pickerChanges {
      guard let known = notes.columns[column] else { continue }
      for row in state.window(limits.windowRows) {
        let key = ExactString(state.rows.key(at: row))
        if let note = known[key] { sent[column, default: [:]][key] = note }
      }
    }
    return sent.isEmpty ? nil : RowNotes(columns: sent, locale: definition.locale)
  }
}

/// A change of the notes. Self-contained: it can be encoded later, in any language.
package struct NotesEdit: Hashable, Sendable {
  /// The host's JSON Merge Patch.
  package let patch: JSONTree
  package let change: NotesChange
  /// The definition's locale, for members in whose language a note has no text.
  package let locale: String
}

/// The notes on rows at one revision.
package struct RowNotes: Hashable, Sendable {
  /// By column index and row key.
  package let columns: [Int: [ExactString: Note]]
  /// The definition's locale, see ``NotesEdit/locale``.
  package let locale: String

  package init(columns: [Int: [ExactString: Note]], locale: String) {
    self.columns = columns
    self.locale = locale
  }

  var count: Int { columns.values.reduce(0) { $0 + $1.count } }
}

extension JSONTree {
  /// The number of JSON values in the tree, including arrays and objects.
  package var valueCount: Int {
    switch self {
    case .null, .bool, .integer, .number, .string: 1
    case .array(let elements): elements.reduce(1) { $0 + $1.valueCount }
    case .object(let members): members.reduce(1) { $0 + $1.value.valueCount }
    }
  }
}
