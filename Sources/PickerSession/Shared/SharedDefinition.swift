package import JSONText
package import PickerModel

/// A version of a definition that many sessions use, with its notes.
///
/// - Source: web/guide/inventory.md, "One inventory for many sessions".
package struct SharedDefinition: Sendable {
  package let name: String
  /// Greater than that of every earlier version of any shared definition of the store.
  package let version: Int
  /// The definition with its defaults, as ``Definition/document(full:isExplicit:)`` has it.
  package let document: JSONTree
  package let notes: Notes
  /// What the sessions that use it take from; `nil`: they take nothing.
  package let inventory: InventorySettings?
  /// The number of values of ``document``, and of notes.
  package let weight: Int
  /// Its memory in bytes, an estimate.
  package let byteCount: Int
  private let charge: MemoryCharge?

  /// The maximum of shared definitions in a store.
  package static let countMax = 10_000
  /// How long one exists without a session that uses it, if anybody may create some.
  package static let unusedSeconds = 2_592_000

  /// - Parameter memory: Counts the definition as long as a copy of it exists.
  package init(
    name: String, version: Int, document: JSONTree, notes: Notes,
    inventory: InventorySettings? = nil, memory: (any MemoryAccount)? = nil
  ) {
    (self.name, self.version, self.document, self.notes) = (name, version, document, notes)
    self.inventory = inventory
    weight = document.extent.valueCount + notes.days.count + notes.rowCount
    byteCount = document.byteCount + notes.byteCount + (inventory?.byteCount ?? 0)
    charge = memory.map { [byteCount] in MemoryCharge(byteCount, in: $0) }
  }

  package var kind: PickerKind? {
    document["kind"]?.string.flatMap(PickerKind.init(rawValue:))
  }

  /// The definition's document, the notes and the inventory, as requests and responses have them.
  package var tree: JSONTree {
    .object(
      [.init("definition", document), .init("notes", notes.tree)]
        + (inventory.map { [.init("inventory", $0.tree)] } ?? []))
  }

  /// The ``name`` of a definition that keys of a namespace have created. No name has a slash.
  package static func name(_ given: String, in namespace: String?) -> String {
    namespace.map { "\($0)/\(given)" } ?? given
  }

  /// A ``name`` without its namespace, as hosts give and see it.
  package static func givenName(_ name: String) -> String {
    name.firstIndex(of: "/").map { String(name[name.index(after: $0)...]) } ?? name
  }

  /// The namespace of a ``name``; `nil` if it has none.
  static func namespace(of name: String) -> String? {
    name.firstIndex(of: "/").map { String(name[..<$0]) }
  }

  package static func isName(_ text: String) -> Bool {
    (1...64).contains(text.utf8.count) && text != "." && text != ".." && text.isWord(with: "-_.")
  }
}

/// What a session uses since its creation.
package struct SharedUse: Hashable, Sendable {
  /// The name of the shared definition.
  package let name: String
  /// The version that the session has got at its creation.
  package let version: Int
  /// The session's own part of its definition: a JSON Merge Patch of the shared one.
  package let own: JSONTree
  /// The notes that it has got itself at its creation, over the shared ones.
  package let ownNotes: OwnNotes

  package init(name: String, version: Int, own: JSONTree, ownNotes: OwnNotes = OwnNotes()) {
    (self.name, self.version, self.own, self.ownNotes) = (name, version, own, ownNotes)
  }
}

/// How far a session has followed its shared definition.
///
/// Invariants: its definition is that of version ``accepted``, or of a later one, with ``own``
/// merged over it; its notes are those of ``accepted`` with its own. Both versions never decrease.
package struct SharedState: Hashable, Sendable {
  /// The last version that the session has got, whether it was valid for it or not.
  package var version: Int
  package var accepted: Int
  package var own: JSONTree
  package var ownNotes: OwnNotes

  package init(version: Int, accepted: Int, own: JSONTree, ownNotes: OwnNotes) {
    (self.version, self.accepted, self.own, self.ownNotes) = (version, accepted, own, ownNotes)
  }

  init(_ use: SharedUse) {
    self.init(version: use.version, accepted: use.version, own: use.own, ownNotes: use.ownNotes)
  }

  /// Whether the session has no part of its own: all such sessions of a version are equal.
  package var isPlain: Bool { own == .object([]) && ownNotes.isEmpty }

  /// Takes a change of the document that is valid for the session.
  mutating func take(_ change: DocumentChange) {
    if let follows = change.follows {
      (version, accepted) = (follows.version, follows.version)
    } else if let patch = change.definition?.own {
      own = own.merging(patch)
    } else if case .mergePatch(let patch) = change.definition?.source {
      // Of a session with a shared definition, every change is logged as a merge patch.
      own = own.composing(patch)
    }
  }
}

/// What changes for sessions that are in one state when they follow their shared definition.
package struct SharedStep: Sendable {
  package let shared: SharedDefinition
  private var define: (definition: Definition, patch: JSONTree)?
  private var notes: NotesPatch?
  private var problem: DefinitionProblem?

  /// The new definition; `nil` if the session's stays the same.
  package var definition: Definition? { define?.definition }

  /// - Parameters:
  ///   - definition: The session's definition now.
  ///   - notes: Its notes now.
  ///   - make: Makes a definition from its document.
  package init(
    to new: SharedDefinition, from definition: Definition, _ notes: Notes, _ state: SharedState,
    make: (JSONTree) throws(DefinitionProblem) -> Definition
  ) {
    shared = new
    do throws(DefinitionProblem) {
      let before = definition.document(full: true)
      let document = new.document.merging(state.own)
      if !document.isSameValue(as: before) {
        let made = try make(document)
        try definition.kind.check(made.kind)
        if !made.isSame(as: definition) {
          define = (made, before.mergePatch(to: made.document(full: true)))
        }
      }
      let after = try SharedStep.notes(of: new, state)
      let patch = notes == after ? nil : notes.tree.mergePatch(to: after.tree)
      if let patch, let change = try? notes.change(by: patch, for: definition.kind) {
        self.notes = NotesPatch(patch, change: change, after: after)
      }
    } catch {
      (define, self.notes, problem) = (nil, nil, error)
    }
  }

  private static func notes(
    of new: SharedDefinition, _ state: SharedState
  ) throws(DefinitionProblem) -> Notes {
    do throws(BadNotes) {
      return try state.ownNotes.over(new.notes)
    } catch {
      throw DefinitionProblem(pointer: "", detail: error.detail)
    }
  }

  /// The change of a session whose definition has a version; `nil` if nothing changes for it.
  ///
  /// - Parameter settings: Those of its inventory; `nil` if it has none, and gets none.
  package func change(
    after version: Int, taking settings: InventorySettings? = nil
  ) -> DocumentChange? {
    let inventory: InventorySettings?? =
      settings == nil || settings == shared.inventory ? .none : .some(shared.inventory)
    if define == nil, notes == nil, problem == nil, inventory == nil { return nil }
    let definition = define.map { define in
      DefinitionChange(
        version: version + 1, definition: define.definition, source: .mergePatch(define.patch))
    }
    return DocumentChange(
      definition: definition, notes: notes, inventory: inventory,
      follows: .init(shared.version, problem: problem))
  }
}
