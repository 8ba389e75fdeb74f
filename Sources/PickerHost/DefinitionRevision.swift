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
    let (document, given) = try document()
    let picker = try picker(document, maker)
    let ownPatch: JSONTree? = if case .mergePatch(let patch) = given, own != nil { patch } else {
      nil
    }
    if picker.definition.isSame(as: definition) {
      guard let own, let ownPatch, !own.merging(ownPatch).isSameValue(as: own) else { return nil }
      return DefinitionChange(
        version: version, definition: definition, source: .mergePatch(.object([])), own: ownPatch)
    }
    let source =
      own == nil
      ? given
      : .mergePatch(
        definition.document(full: true).mergePatch(to: picker.definition.document(full: true)))
    return DefinitionChange(
      version: version + 1, definition: picker.definition, source: source, own: ownPatch,
      picker: picker,
      encoded: source == .whole && isStored ? maker.encode(picker.definition) : nil)
  }

  /// The definition's document as the request wants it. It may be invalid.
  private func document() throws(HubProblem) -> (JSONTree, DefinitionChange.Source) {
    let tree = try request.read()
    if let versions = request.versions, !versions.names(version) {
      throw .versionMismatch(version)
    }
    let document: (tree: JSONTree, source: DefinitionChange.Source)
    switch request.format {
    case .whole, .unknown: document = (tree, .whole)
    case .mergePatch:
      let merged =
        if let own, let shared {
          shared.document.merging(own.merging(tree))
        } else {
          definition.document(full: true).merging(tree)
        }
      document = (merged, .mergePatch(tree))
    case .jsonPatch:
      do throws(JSONPatchProblem) {
        document = (try definition.document(patchedWith: tree, limits: limits), .jsonPatch(tree))
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
