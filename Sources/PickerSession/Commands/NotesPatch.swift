package import JSONText
package import PickerModel

/// A change of a session's notes.
package struct NotesPatch: Sendable {
  /// The JSON Merge Patch (RFC 7396).
  package let tree: JSONTree
  /// ``tree`` as JSON. The history has it: a tree of 4,000 notes takes long to free.
  let json: [UInt8]
  /// The effect of the patch on the notes at the time of the request, so that it is evaluated once.
  /// `nil` for a stored patch; then the fold evaluates it.
  package let change: NotesChange?
  /// The notes after it, if sessions share them in memory.
  let after: Notes?

  /// - Parameter change: The effect of the patch when it will be applied. No other change of the
  ///   notes may come between.
  package init(_ tree: JSONTree, change: NotesChange? = nil, after: Notes? = nil) {
    self.tree = tree
    json = tree.serialized()
    self.change = change
    self.after = after
  }

  /// Whether the patch is known to have no effect.
  package var changesNothing: Bool { change?.isEmpty ?? false }
}

extension NotesPatch: Hashable {
  package static func == (left: NotesPatch, right: NotesPatch) -> Bool { left.tree == right.tree }
  package func hash(into hasher: inout Hasher) { hasher.combine(tree) }
}
