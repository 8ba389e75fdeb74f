package import JSONText
package import PickerModel

/// A version of a shared definition that is not stored yet.
package struct SharedDraft: Sendable {
  package let name: String
  package let document: JSONTree
  package let notes: Notes
  /// Whether the feed reports it: it replaces another definition, not only other notes.
  package let isReported: Bool

  package var byteCount: Int { document.byteCount + notes.byteCount }

  package init(name: String, document: JSONTree, notes: Notes, isReported: Bool = false) {
    (self.name, self.document, self.notes) = (name, document, notes)
    self.isReported = isReported
  }
}
