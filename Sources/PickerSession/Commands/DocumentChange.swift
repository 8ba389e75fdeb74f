package import PickerModel

/// A change of a session's document, which is its definition and its notes.
///
/// - Source: web/guide/inventory.md.
package struct DocumentChange: Hashable, Sendable {
  /// `nil` if the definition stays the same.
  package let definition: DefinitionChange?
  /// `nil` if the notes stay the same.
  package let notes: NotesPatch?
  /// The settings of the inventory, or that it has none any more; `.none`: they stay the same.
  package let inventory: InventorySettings??
  /// The version of the shared definition that the session follows with the change; `nil` if its
  /// host has changed the session itself.
  package let follows: SharedVersion?

  /// A version of the shared definition, as far as it concerns a session.
  package struct SharedVersion: Hashable, Sendable {
    package let version: Int
    /// Why it is not valid for the session, which then stays as it is.
    package let problem: DefinitionProblem?

    package init(_ version: Int, problem: DefinitionProblem? = nil) {
      (self.version, self.problem) = (version, problem)
    }
  }

  package init(
    definition: DefinitionChange? = nil, notes: NotesPatch? = nil,
    inventory: InventorySettings?? = .none, follows: SharedVersion? = nil
  ) {
    (self.definition, self.notes, self.follows) = (definition, notes, follows)
    self.inventory = inventory
  }
}
