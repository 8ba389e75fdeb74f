package import JSONText
package import PickerModel

/// A change of a session's notes by its host.
package struct NotesPatch: Sendable {
  /// The JSON Merge Patch (RFC 7396).
  package let tree: JSONTree
  /// ``tree`` as JSON. The history has it: a tree of 4,000 notes takes long to free.
  let json: [UInt8]
  /// The effect of the patch on the notes at the time of the request, so that it is evaluated once.
  /// `nil` for a stored patch; then the fold evaluates it.
  package let change: NotesChange?

  /// - Parameter change: The effect of the patch when it will be applied. No other change of the
  ///   notes may come between.
  package init(_ tree: JSONTree, change: NotesChange? = nil) {
    self.tree = tree
    json = tree.serialized()
    self.change = change
  }

  /// Whether the patch is known to have no effect.
  package var changesNothing: Bool { change?.isEmpty ?? false }
}

extension NotesPatch: Hashable {
  package static func == (left: NotesPatch, right: NotesPatch) -> Bool { left.tree == right.tree }
  package func hash(into hasher: inout Hasher) { hasher.combine(tree) }
}
