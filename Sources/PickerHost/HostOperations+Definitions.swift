import JSONText
package import PickerHub
import PickerModel
package import PickerSession
import PickerWire

/// The request `PUT` or `PATCH …/definition`, or `PATCH …/notes`.
package struct DefinitionRequest: Sendable {
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
  /// The maximum of JSON values in the body.
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

extension DefinitionRequest {
  /// The maximum size of a patch in bytes.
  private static let patchByteCountMax = 262_144

  /// Refuses a body that is too large for its format, before it is read.
  func checkSize() throws(HubProblem) {
    if case .whole = format { return }
    guard byteCount <= DefinitionRequest.patchByteCountMax else {
      throw .tooLarge("a patch may have at most \(DefinitionRequest.patchByteCountMax) bytes")
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

  /// The body, parsed as JSON; not validated further.
  func read() throws(HubProblem) -> JSONTree {
    try checkSize()
    if case .unknown(let type) = format {
      throw .badRequest(
        "the media type \(type) is not a patch format; send application/merge-patch+json or "
          + "application/json-patch+json")
    }
    do throws(JSONError) {
      return try JSONTree.parse(body(), depthMax: bodyDepthMax, valuesMax: valuesMax)
    } catch {
      if case .whole = format, let problem = DefinitionProblem(error, in: []) {
        throw .badDefinition(problem)
      }
      throw .badRequest(error.bodyProblem)
    }
  }
}

/// A definition, or the outcome of its change, as JSON.
package struct DefinitionAnswer: Sendable {
  package let version: Int
  package let body: [UInt8]
  /// The outcome of a change without its `changes`; `nil` if nothing was changed.
  package let shortBody: [UInt8]?

  package init(version: Int, body: [UInt8], shortBody: [UInt8]? = nil) {
    (self.version, self.body, self.shortBody) = (version, body, shortBody)
  }
}

/// Reading and changing the definition of a session.
/// - Source: web/guide/inventory.md.
extension HostOperations {
  package func readDefinition(
    of id: SessionID, token: Credential?, at time: HubTime
  ) async throws(HubProblem) -> DefinitionAnswer {
    let session = try await seam.find(id, token: token, needs: .viewer, at: time).session
    let (definition, version) = (session.fold.definition, session.fold.version)
    let seesAll = seam.allowsChange(token, of: session)
    let body = await encode(ofWeight: definition.weight) { definition.fullJSON(seesAll: seesAll) }
    return DefinitionAnswer(version: version, body: body)
  }

  package func redefine(
    _ id: SessionID, _ request: DefinitionRequest, token: Credential?, at time: HubTime
  ) async throws(HubProblem) -> DefinitionAnswer {
    let hosted = try await seam.find(id, token: token, needs: .owner, at: time)
    let seesParts = seam.seesParts(token, of: hosted.session)
    return try await change(hosted, seesParts: seesParts) { hosted throws(HubProblem) in
      try request.checkSize()
      let shared = try await sharedBelow(request, of: hosted)
      let fold = hosted.session.fold
      let revision = DefinitionRevision(
        request: request, definition: fold.definition, version: fold.version,
        own: fold.shared?.own, shared: shared, now: seam.now.session)
      let (maker, isStored) = (seam.maker, seam.log.canLoad)
      let change = try await seam.inBackground {
        Result { () throws(HubProblem) in try revision.change(maker, isStored: isStored) }
      }.get()
      guard let change else { return nil }
      // It counts already.
      guard seam.hasMemory(for: 0) else { throw .full(.sessionsBytes) }
      return .define(change)
    }
  }

  /// The shared definition, for a patch of the session's own part.
  private func sharedBelow(
    _ request: DefinitionRequest, of hosted: HostedSession
  ) async throws(HubProblem) -> SharedDefinition? {
    guard case .mergePatch = request.format, let name = hosted.session.fold.origin.uses?.name else {
      return nil
    }
    let outcome = await answered {
      seam.log.shared(name, hub: seam.shard.index, completion: $0)
    }
    guard case .found(let shared) = outcome else { throw .unavailable }
    return shared
  }
}

extension HubProblem {
  init(_ problem: JSONPatchProblem) {
    switch problem {
    case .malformed(let detail): self = .badRequest(detail)
    case .failed(let detail): self = .patchFailed(detail)
    case .tooLarge(let path, let detail):
      self = .badDefinition(DefinitionProblem(pointer: path.text, detail: detail))
    case .tooMuchWork(let detail): self = .tooLarge(detail)
    }
  }
}
