package import JSONText
package import PickerHub
import PickerModel
package import PickerSession
import PickerWire

/// A request that changes a document: `PUT` or `PATCH …/definition`, `PATCH …/notes`, `PUT` or
/// `PATCH /v1/definitions/{name}`.
/// - Source: web/guide/inventory.md.
package struct DocumentRequest: Sendable {
  package enum Format: Sendable {
    case whole, mergePatch, jsonPatch
    /// A media type that is not a patch format.
    case unknown(String)
  }

  package let format: Format
  package let byteCount: Int
  /// Returns the body. Copying a large one takes as long as a tap may wait, so it is called on the
  /// thread that parses it.
  package let body: @Sendable () -> [UInt8]
  /// The `If-Match` header, if any.
  package let versions: VersionMatch?
  /// The maximum of JSON values in the body, and in the changed document.
  package let valuesMax: Int

  package init(
    format: Format, byteCount: Int, versions: VersionMatch?, valuesMax: Int,
    body: @escaping @Sendable () -> [UInt8]
  ) {
    self.format = format
    self.byteCount = byteCount
    self.versions = versions
    self.valuesMax = valuesMax
    self.body = body
  }

  package init(
    format: Format, body: [UInt8], versions: VersionMatch?, valuesMax: Int
  ) {
    self.init(
      format: format, byteCount: body.count, versions: versions, valuesMax: valuesMax,
      body: { body })
  }
}

extension DocumentRequest {
  /// The maximum size of a patch in bytes.
  private static let patchByteCountMax = 262_144

  /// Refuses a body that is too large for its format, before it is read.
  func checkSize() throws(HubProblem) {
    if case .whole = format { return }
    guard byteCount <= DocumentRequest.patchByteCountMax else {
      throw .tooLarge("a patch may have at most \(DocumentRequest.patchByteCountMax) bytes")
    }
  }

  /// The body as a merge patch of notes.
  func readNotes() throws(HubProblem) -> JSONTree {
    let patch = try read()
    if case .jsonPatch = format {
      throw .badRequest("a change of notes must be application/merge-patch+json")
    }
    return patch
  }

  /// What the request makes of a document. It may be invalid.
  ///
  /// - Parameters:
  ///   - current: The document; `nil` if there is none yet.
  ///   - version: Its version; 0 if there is none.
  ///   - path: Where the definition is in it.
  ///   - merge: Applies a merge patch to it.
  /// - Throws: In the order that the contract gives: what the body is, `If-Match`, the patch.
  func document(
    of current: (() -> JSONTree)?, version: Int, definitionAt path: [String] = [],
    merge: (_ document: JSONTree, _ patch: JSONTree) -> JSONTree
  ) throws(HubProblem) -> JSONTree {
    var isWhole: Bool { if case .whole = format { true } else { false } }
    guard isWhole || current != nil else { throw .noSuchDefinition }
    let body = try read(definitionAt: path)
    if let versions, !versions.names(version) { throw .versionMismatch(version) }
    guard let current, !isWhole else { return body }
    guard case .jsonPatch = format else { return merge(current(), body) }
    var limits = JSONPatchLimits()
    limits.valuesMax = valuesMax
    // They take about as long as making the largest definition.
    limits.stepsMax = 8_388_608
    do throws(JSONPatchProblem) {
      return try JSONPatch(body, limits: limits).apply(to: current())
    } catch {
      throw HubProblem(error)
    }
  }

  /// The body, parsed as JSON; not validated further.
  private func read(definitionAt path: [String] = []) throws(HubProblem) -> JSONTree {
    if case .unknown(let type) = format {
      throw .badRequest(
        "the media type \(type) is not a patch format; send application/merge-patch+json or "
          + "application/json-patch+json")
    }
    do throws(JSONError) {
      return try JSONTree.parse(body(), depthMax: bodyDepthMax, valuesMax: valuesMax)
    } catch {
      if case .whole = format, let problem = DefinitionProblem(error, in: path) {
        throw .badDefinition(problem)
      }
      throw .badRequest(error.bodyProblem)
    }
  }
}

/// A document, or the outcome of its change, as JSON.
package struct DocumentAnswer: Sendable {
  /// `nil` for notes, which have none.
  package let version: Int?
  package let body: [UInt8]
  /// The outcome of a change without its `changes`; `nil` if nothing was changed.
  package let shortBody: [UInt8]?

  package init(version: Int?, body: [UInt8], shortBody: [UInt8]? = nil) {
    (self.version, self.body, self.shortBody) = (version, body, shortBody)
  }
}

extension HubProblem {
  fileprivate init(_ problem: JSONPatchProblem) {
    switch problem {
    case .malformed(let detail): self = .badRequest(detail)
    case .failed(let detail): self = .patchFailed(detail)
    case .tooLarge(let path, let detail):
      self = .badDefinition(DefinitionProblem(pointer: path.text, detail: detail))
    case .tooMuchWork(let detail): self = .tooLarge(detail)
    }
  }
}
