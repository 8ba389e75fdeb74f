package import JSONText
package import PickerModel
package import PickerSession

/// A version of a shared definition that is not stored yet.
package struct SharedDraft: Sendable {
  package let name: String
  package let document: JSONTree
  package let notes: Notes
  package let inventory: InventorySettings?
  /// Whether the feed reports it: it replaces another definition, not only other notes.
  package let isReported: Bool

  package var byteCount: Int { document.byteCount + notes.byteCount + (inventory?.byteCount ?? 0) }

  package init(
    name: String, document: JSONTree, notes: Notes, inventory: InventorySettings? = nil,
    isReported: Bool = false
  ) {
    (self.name, self.document, self.notes) = (name, document, notes)
    (self.inventory, self.isReported) = (inventory, isReported)
  }
}
