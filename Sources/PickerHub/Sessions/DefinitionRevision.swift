import CivilTime
import JSONText
import PickerModel
import PickerSession

/// A request to change a definition, together with the current definition. It can be evaluated on
/// any thread.
package struct DefinitionRevision: Sendable {
  let request: DefinitionRequest
  /// The current definition.
  let definition: Definition
  let version: Int
  /// Whether the session has a shared definition: its own part then gets what changes.
  let hasShared: Bool
  let now: Instant

  /// The maximum size of a request body and of a definition (in rows) that are processed on the
  /// hub's thread. Larger ones are processed on another thread, because 20,000 rows would delay
  /// taps noticeably.
  static let bodyBytesOnLoop = 16_384
  package static let weightOnLoop = 500

  /// The limits of a document that is processed on the hub's thread. A few bytes of a JSON Patch
  /// can double the document, so the size of the request says nothing about it.
  private static let limitsOnLoop: JSONPatchLimits = {
    var limits = JSONPatchLimits()
    // A row has four values: itself, its text, key and children.
    limits.valuesMax = 4 * weightOnLoop
    limits.sizeMax = 65_536
    limits.stepsMax = 16_384
    return limits
  }()

  /// The limits of a document that is processed on another thread. The steps take about as long as
  /// making the largest definition.
  private var limits: JSONPatchLimits {
    var limits = JSONPatchLimits()
    limits.valuesMax = request.valuesMax
    limits.stepsMax = 8_388_608
    return limits
  }

  /// The definition's document as the request wants it. It may be invalid.
  struct Document: Sendable {
    fileprivate let tree: JSONTree
    fileprivate let source: DefinitionChange.Source
  }

  private enum Failure: Error {
    /// The document, or the work of making it, exceeds a limit.
    case tooLarge(HubProblem)
    case other(HubProblem)
  }

  /// Makes the document.
  func document() throws(HubProblem) -> Document {
    do throws(Failure) {
      return try document(within: limits)
    } catch {
      switch error {
      case .tooLarge(let problem), .other(let problem): throw problem
      }
    }
  }

  /// Makes the document on the hub's thread.
  ///
  /// - Returns: `nil` if it must be made and processed on another thread.
  func smallDocument() throws(HubProblem) -> Document? {
    do throws(Failure) {
      return try document(within: DefinitionRevision.limitsOnLoop)
    } catch {
      switch error {
      case .tooLarge: return nil
      case .other(let problem): throw problem
      }
    }
  }

  private func document(within limits: JSONPatchLimits) throws(Failure) -> Document {
    let tree = try read()
    let document: Document
    switch request.format {
    case .whole, .unknown: document = Document(tree: tree, source: .whole)
    case .mergePatch:
      let merged = definition.document(full: true).merging(tree)
      document = Document(tree: merged, source: .mergePatch(tree))
    case .jsonPatch:
      do throws(JSONPatchProblem) {
        let patched = try definition.document(patchedWith: tree, limits: limits)
        return Document(tree: patched, source: .jsonPatch(tree))
      } catch {
        switch error {
        case .tooLarge, .tooMuchWork: throw .tooLarge(HubProblem(error))
        case .malformed, .failed: throw .other(HubProblem(error))
        }
      }
    }
    guard document.tree.extent.valueCount <= limits.valuesMax else {
      let detail = "the definition would have more than \(limits.valuesMax) values"
      throw .tooLarge(.badDefinition(DefinitionProblem(pointer: "", detail: detail)))
    }
    return document
  }

  /// Reads the request and checks its version.
  private func read() throws(Failure) -> JSONTree {
    let tree: JSONTree
    do throws(HubProblem) {
      tree = try request.read()
    } catch {
      throw .other(error)
    }
    if let versions = request.versions, !versions.names(version) {
      throw .other(.versionMismatch(version))
    }
    return tree
  }

  /// The changed definition, checked with the rules of a creation.
  ///
  /// - Parameter encode: Encodes a whole definition for the log.
  /// - Returns: `nil` if the definition stays the same.
  func change(
    to document: Document, _ make: (JSONTree) throws(DefinitionProblem) -> Definition,
    encode: (Definition) -> EncodedDefinition? = { _ in nil }
  ) throws(HubProblem) -> DefinitionChange? {
    let picker = try picker(document.tree, make)
    if picker.definition.isSame(as: definition) { return nil }
    let source =
      hasShared
      ? .mergePatch(
        definition.document(full: true).mergePatch(to: picker.definition.document(full: true)))
      : document.source
    return DefinitionChange(
      version: version + 1, definition: picker.definition, source: source,
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
