package import CivilTime
import JSONText
package import PickerHub
import PickerModel
package import PickerSession

/// Evaluates a request that changes a document. Can be used on any thread.
package struct DocumentRevision: Sendable {
  private let request: DocumentRequest
  private let maker: DefinitionMaker
  private let now: Instant

  package init(_ request: DocumentRequest, maker: DefinitionMaker, at now: Instant) {
    (self.request, self.maker, self.now) = (request, maker, now)
  }

  /// The definition of a session that a request changes.
  struct Current {
    let definition: Definition
    let version: Int
    /// Of a session with a shared definition: the session's own part, which gets what changes.
    let own: JSONTree?
    /// The shared definition, if the request is a merge patch, which is one of the own part.
    let shared: SharedDefinition?
  }

  /// The change of a session's definition, checked with the rules of a creation.
  ///
  /// - Parameter isStored: Whether the log stores it, so that it is encoded here.
  /// - Returns: `nil` if the definition stays the same.
  func change(
    of current: Current, isStored: Bool
  ) throws(HubProblem) -> DefinitionChange? {
    var patch: JSONTree?
    let definition = current.definition
    var document = try request.document(
      of: { definition.document(full: true) }, version: current.version
    ) {
      patch = $1
      guard let own = current.own, let shared = current.shared else { return $0.merging($1) }
      return shared.document.merging(own.merging($1))
    }
    if case .jsonPatch = request.format { document = document.withoutNulls }
    guard document.extent.valueCount <= request.valuesMax else {
      let detail = "the definition would have more than \(request.valuesMax) values"
      throw .badDefinition(DefinitionProblem(pointer: "", detail: detail))
    }
    let picker = try picker(document, replacing: definition.kind)
    let ownPatch = current.own == nil ? nil : patch
    if picker.definition.isSame(as: definition) {
      guard let own = current.own, let ownPatch, !own.merging(ownPatch).isSameValue(as: own) else {
        return nil
      }
      return DefinitionChange(
        version: current.version, definition: definition, source: .mergePatch(.object([])),
        own: ownPatch)
    }
    let source = source(patch, of: picker.definition, replacing: current)
    return DefinitionChange(
      version: current.version + 1, definition: picker.definition, source: source, own: ownPatch,
      picker: picker,
      encoded: source == .whole && isStored ? maker.encode(picker.definition) : nil)
  }

  /// What the log stores. A JSON Patch is a format of requests only: applying it has limits, which
  /// no stored entry may depend on.
  ///
  /// - Parameter patch: That of the request, if it is a merge patch.
  private func source(
    _ patch: JSONTree?, of new: Definition, replacing current: Current
  ) -> DefinitionChange.Source {
    if current.own == nil {
      if let patch { return .mergePatch(patch) }
      if case .whole = request.format { return .whole }
    }
    let (before, after) = (current.definition.document(full: true), new.document(full: true))
    let difference = before.mergePatch(to: after)
    // Rows are stored as they are in a snapshot then, once.
    let isLong = 2 * difference.byteCount > after.byteCount
    return current.own == nil && isLong ? .whole : .mergePatch(difference)
  }

  /// The change of a session's notes.
  ///
  /// - Parameter evaluate: What the patch does to them.
  func change(
    ofNotes evaluate: (JSONTree) throws(BadNotes) -> NotesChange
  ) throws(HubProblem) -> NotesPatch {
    let patch = try request.readNotes()
    do throws(BadNotes) {
      return NotesPatch(patch, change: try evaluate(patch))
    } catch {
      throw .badRequest(error.detail)
    }
  }

  /// The version of a shared definition that a request wants.
  ///
  /// - Parameters:
  ///   - name: With its namespace.
  ///   - current: `nil` if there is no definition of this name.
  /// - Returns: `nil` if nothing changes.
  package func draft(
    _ name: String, replacing current: SharedDefinition?
  ) throws(HubProblem) -> SharedDraft? {
    let tree = try request.document(
      of: current.map { current in { current.tree } }, version: current?.version ?? 0,
      definitionAt: ["definition"]
    ) { $0.merging($1) }
    guard let members = tree.members else { throw .badRequest("the body must be a JSON object") }
    guard tree.extent.valueCount <= request.valuesMax else {
      throw .tooLarge("the definition and its notes would have too many values")
    }
    for member in members where !["definition", "notes", "inventory"].contains(member.key) {
      throw .badRequest(
        "the field \(member.key.quoted) is unknown; the fields are definition, notes and inventory")
    }
    guard let given = tree["definition"] else {
      throw .badRequest("definition is missing; it must be an object with the kind of picker")
    }
    // As in a merge patch: a field that is null has its default.
    let definition = try picker(given.withoutNulls, replacing: current?.kind).definition
    let notes = try notes(tree["notes"] ?? .object([]), for: definition.kind)
    let inventory = try inventory(tree["inventory"], for: definition.kind)
    let document = definition.document(full: true)
    let isOther = current.map { !document.isSameValue(as: $0.document) } ?? false
    let isSameInventory = inventory == current?.inventory
    if let current, !isOther, isSameInventory, notes == current.notes { return nil }
    return SharedDraft(
      name: name, document: document, notes: notes, inventory: inventory, isReported: isOther)
  }

  /// Makes a picker with a definition, which shows that it is valid now.
  ///
  /// - Parameter kind: That of the definition before it.
  private func picker(
    _ document: JSONTree, replacing kind: PickerKind?
  ) throws(HubProblem) -> Picker {
    do throws(DefinitionProblem) {
      try kind?.check(document)
      return try Picker(try maker.make(document, at: now), now: now)
    } catch {
      throw .badDefinition(error)
    }
  }

  private func inventory(
    _ tree: JSONTree?, for kind: PickerKind
  ) throws(HubProblem) -> InventorySettings? {
    guard let tree, tree != .null else { return nil }
    do throws(DefinitionProblem) {
      return try InventorySettings(tree, for: kind)
    } catch {
      throw .badDefinition(error)
    }
  }

  private func notes(_ tree: JSONTree, for kind: PickerKind) throws(HubProblem) -> Notes {
    let isEmpty = tree.members?.allSatisfy { $0.value == .object([]) } ?? false
    if tree == .null || !kind.hasNotes && isEmpty { return Notes() }
    do throws(BadNotes) {
      var notes = Notes()
      notes.apply(try notes.change(by: tree, for: kind))
      return notes
    } catch {
      throw .badRequest(error.detail)
    }
  }
}

extension JSONTree {
  /// The object without members that are `null`; another value as it is.
  fileprivate var withoutNulls: JSONTree {
    guard case .object(let members) = self else { return self }
    return .object(members.filter { $0.value != .null })
  }
}
