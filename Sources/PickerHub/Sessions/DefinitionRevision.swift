import CivilTime
import JSONText
import PickerModel
import PickerSession

/// A request to change a definition, together with the current definition. It can be evaluated on
/// any thread.
struct DefinitionRevision: Sendable {
  let request: DefinitionRequest
  /// The current definition.
  let definition: Definition
  let version: Int
  let now: Instant
  /// Whether other nodes can append to the log. Then whole definitions are logged, because a patch
  /// does not say on which definition it was evaluated.
  let isShared: Bool

  /// The maximum size of a request body and of a definition (in rows) that are processed on the
  /// hub's thread. Larger ones are processed on another thread, because 20,000 rows would delay
  /// taps noticeably.
  static let bodyBytesOnLoop = 16_384
  static let weightOnLoop = 500

  /// The changed definition, checked with the rules of a creation.
  ///
  /// - Parameter encode: Encodes a whole definition for the log.
  /// - Returns: `nil` if the definition stays the same.
  func change(
    _ make: (JSONTree) throws(DefinitionProblem) -> Definition,
    encode: (Definition) -> EncodedDefinition? = { _ in nil }
  ) throws(HubProblem) -> DefinitionChange? {
    let tree = try request.read()
    if let versions = request.versions, !versions.names(version) {
      throw .versionMismatch(version)
    }
    var source: DefinitionChange.Source
    let document: JSONTree
    switch request.format {
    case .whole, .unknown: (source, document) = (.whole, tree)
    case .mergePatch:
      source = .mergePatch(tree)
      document = definition.document(full: true).merging(tree)
    case .jsonPatch:
      source = .jsonPatch(tree)
      do throws(JSONPatchProblem) {
        document = try definition.document(patchedWith: tree)
      } catch {
        throw HubProblem(error)
      }
    }
    let picker = try picker(document, make)
    if picker.definition.isSame(as: definition) { return nil }
    if isShared { source = .whole }
    return DefinitionChange(
      version: version + 1, definition: picker.definition, source: source, needsBase: isShared,
      picker: picker,
      encoded: source == .whole ? encode(picker.definition) : nil)
  }

  /// Makes a picker with the changed definition.
  private func picker(
    _ document: JSONTree, _ make: (JSONTree) throws(DefinitionProblem) -> Definition
  ) throws(HubProblem) -> Picker {
    do throws(DefinitionProblem) {
      if let name = document["kind"]?.string, let kind = PickerKind(rawValue: name),
        kind != definition.kind
      {
        throw DefinitionProblem(
          pointer: "/kind", detail: "kind is \"\(kind)\"; it must stay \"\(definition.kind)\"")
      }
      return try Picker(try make(document), now: now)
    } catch {
      throw .badDefinition(error)
    }
  }
}
