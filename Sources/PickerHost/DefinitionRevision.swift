import CivilTime
import JSONText
import PickerHub
import PickerModel
import PickerSession

/// A request to change a definition, together with the current definition. It can be evaluated on
/// any thread.
package struct DefinitionRevision: Sendable {
  let request: DefinitionRequest
  /// The current definition.
  let definition: Definition
  let version: Int
  /// Of a session with a shared definition: the session's own part, which gets what changes.
  let own: JSONTree?
  /// The shared definition, if the request is a merge patch, which is one of the own part.
  let shared: SharedDefinition?
  let now: Instant

  /// The limits of the changed document. The steps take about as long as making the largest
  /// definition.
  private var limits: JSONPatchLimits {
    var limits = JSONPatchLimits()
    limits.valuesMax = request.valuesMax
    limits.stepsMax = 8_388_608
    return limits
  }

  /// The changed definition, checked with the rules of a creation.
  ///
  /// - Parameter isStored: Whether the log stores it, so that it is encoded here.
  /// - Returns: `nil` if the definition stays the same.
  func change(_ maker: DefinitionMaker, isStored: Bool) throws(HubProblem) -> DefinitionChange? {
    let (document, patch) = try document()
    let picker = try picker(document, maker)
    let ownPatch = own == nil ? nil : patch
    if picker.definition.isSame(as: definition) {
      guard let own, let ownPatch, !own.merging(ownPatch).isSameValue(as: own) else { return nil }
      return DefinitionChange(
        version: version, definition: definition, source: .mergePatch(.object([])), own: ownPatch)
    }
    let source = source(patch, of: picker.definition)
    return DefinitionChange(
      version: version + 1, definition: picker.definition, source: source, own: ownPatch,
      picker: picker,
      encoded: source == .whole && isStored ? maker.encode(picker.definition) : nil)
  }

  /// What the log stores. A JSON Patch is a format of requests only: applying it has limits, which
  /// no stored entry may depend on.
  ///
  /// - Parameter patch: That of the request, if it is a merge patch.
  private func source(_ patch: JSONTree?, of new: Definition) -> DefinitionChange.Source {
    if own == nil {
      if let patch { return .mergePatch(patch) }
      if case .whole = request.format { return .whole }
    }
    let (before, after) = (definition.document(full: true), new.document(full: true))
    let difference = before.mergePatch(to: after)
    // Rows are stored as they are in a snapshot then, once.
    let isLong = 2 * difference.byteCount > after.byteCount
    return own == nil && isLong ? .whole : .mergePatch(difference)
  }

  /// The definition's document as the request wants it, and the request's merge patch, if it is
  /// one. The document may be invalid.
  private func document() throws(HubProblem) -> (JSONTree, JSONTree?) {
    let tree = try request.read()
    if let versions = request.versions, !versions.names(version) {
      throw .versionMismatch(version)
    }
    let document: (tree: JSONTree, patch: JSONTree?)
    switch request.format {
    case .whole, .unknown: document = (tree, nil)
    case .mergePatch:
      let merged =
        if let own, let shared {
          shared.document.merging(own.merging(tree))
        } else {
          definition.document(full: true).merging(tree)
        }
      document = (merged, tree)
    case .jsonPatch:
      do throws(JSONPatchProblem) {
        document = (try definition.document(patchedWith: tree, limits: limits), nil)
      } catch {
        throw HubProblem(error)
      }
    }
    guard document.tree.extent.valueCount <= limits.valuesMax else {
      let detail = "the definition would have more than \(limits.valuesMax) values"
      throw .badDefinition(DefinitionProblem(pointer: "", detail: detail))
    }
    return document
  }

  /// Makes a picker with the changed definition.
  private func picker(
    _ document: JSONTree, _ maker: DefinitionMaker
  ) throws(HubProblem) -> Picker {
    do throws(DefinitionProblem) {
      if let name = document["kind"]?.string, let kind = PickerKind(rawValue: name),
        kind != definition.kind
      {
        throw DefinitionProblem(
          pointer: "/kind", detail: "kind is \"\(kind)\"; it must stay \"\(definition.kind)\"")
      }
      return try Picker(try maker.make(document, at: now), now: now)
    } catch {
      throw .badDefinition(error)
    }
  }
}
