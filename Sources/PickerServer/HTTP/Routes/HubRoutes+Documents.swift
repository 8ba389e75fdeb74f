import JSONText
import PickerHost
import PickerHub
import PickerSession
import SessionLog
import WebSocketTransport

/// Documents: of a session (`…/definition` and `…/notes`), and those that sessions share
/// (`/v1/definitions/{name}`).
/// - Source: web/guide/inventory.md.
extension HubRoutes {
  /// The address of a document, or of a part of it.
  private enum Address {
    case session(SessionID, DocumentPart)
    /// - Parameter name: With its namespace.
    case shared(name: String)
  }

  private func address(_ call: RoutedRequest) throws(ProblemDocument) -> Address {
    if call.variables["name"] != nil { return .shared(name: try sharedName(call)) }
    let part = call.request.target.segments.last == "notes" ? DocumentPart.notes : .definition
    return .session(call.session, part)
  }

  /// `GET`
  func readDocument(_ call: RoutedRequest) async throws(ProblemDocument) -> HTTPResponse? {
    let answer: DocumentAnswer
    switch try address(call) {
    case .session(let id, let part):
      answer = try await host { host throws(HubProblem) in
        try await host.read(part, of: id, token: call.credential, at: transport.now)
      }
    case .shared(let name):
      guard let shared = try await shared(name) else {
        throw ProblemDocument(HubProblem.noSuchDefinition)
      }
      answer = await answered { answer in
        transport.inBackground {
          DocumentAnswer(version: shared.version, body: shared.tree.serialized())
        } then: {
          answer($0)
        }
      }
    }
    return HTTPResponse(answer, ifNoneMatch: call.request.headers[.ifNoneMatch])
  }

  /// `PUT` and `PATCH`
  func changeDocument(_ call: RoutedRequest) async throws(ProblemDocument) -> HTTPResponse? {
    let address = try address(call)
    let byteCount = countBody(of: call.request)
    defer { transport.countBody(-byteCount) }
    switch address {
    case .session(let id, let part):
      return HTTPResponse(
        try await host { host throws(HubProblem) in
          try await host.change(
            part, of: id, change(of: call.request), token: call.credential, at: transport.now)
        })
    case .shared(let name):
      let (version, isNew) = try await change(name, change(of: call.request))
      let over = await keysOver(of: name)
      let body = JSONTree.object(
        [
          .init("name", .string(SharedDefinition.givenName(name))),
          .init("version", .integer(version)),
        ] + (over.isEmpty ? [] : [.init("over", .array(over.map(JSONTree.string)))])
      ).serialized()
      return HTTPResponse(
        DocumentAnswer(version: version, body: body), status: isNew ? 201 : 200)
    }
  }

  /// Counts a body that may wait for other changes. A large body counts itself.
  ///
  /// - Returns: The number of bytes to subtract when the change is answered.
  private func countBody(of request: HTTPRequest) -> Int {
    guard case .small(let bytes) = request.body else { return 0 }
    transport.countBody(bytes.count)
    return bytes.count
  }

  private func change(of request: HTTPRequest) -> DocumentRequest {
    let body = request.body
    return DocumentRequest(
      format: format(of: request), byteCount: body.count,
      versions: request.headers[.ifMatch].map(VersionMatch.init(header:)),
      valuesMax: hub.configuration.definitionLimits.bodyValuesMax,
      body: { body.bytes })
  }

  private func format(of request: HTTPRequest) -> DocumentRequest.Format {
    if request.method == .put { return .whole }
    let type = (request.headers[.contentType] ?? "").prefix { $0 != ";" && $0 != " " }
    switch type.lowercased() {
    case "application/json-patch+json": return .jsonPatch
    case "application/merge-patch+json", "application/json", "": return .mergePatch
    default: return .unknown(String(type.prefix(64)))
    }
  }
}

/// Shared definitions.
/// - Source: web/guide/inventory.md, "One inventory for many sessions".
extension HubRoutes {
  /// How often a change is evaluated: another one may come between.
  private static let attemptsMax = 8

  private func change(
    _ name: String, _ request: DocumentRequest
  ) async throws(ProblemDocument) -> (version: Int, isNew: Bool) {
    guard store.sharedRates.count(name, at: transport.now.machine) else {
      throw ProblemDocument(HubProblem.tooMany)
    }
    var written = SharedWriting.unavailable
    for _ in 1...HubRoutes.attemptsMax {
      let current = try await shared(name)
      let draft = try await host { host throws(HubProblem) in
        try await host.draft(name, replacing: current, request, at: transport.now)
      }
      guard let draft else {
        await hubsKnow(current)
        return (current?.version ?? 0, false)
      }
      written = await fromAnyThread {
        store.shared.write(draft, replacing: current?.version, completion: $0)
      }
      switch written {
      case .done(let version):
        // The store has posted the new version to the hubs already.
        await hubsKnow(nil)
        return (version, current == nil)
      // Without If-Match the request named no version that could mismatch.
      case .outdated where request.versions == nil: written = .unavailable
      case .outdated: continue
      case .inUse:
        throw ProblemDocument(
          status: 409, code: "inUse",
          detail: "an inventory can be added while no session uses the definition, and taken away "
            + "while nothing of it is booked, held, offered or waited for")
      case .absent, .tooMany, .full, .unavailable: throw ProblemDocument(written)
      }
    }
    throw ProblemDocument(written)
  }

  /// Waits until the hubs of this node know a version, so that an operation of the host that
  /// follows the answer counts after it.
  private func hubsKnow(_ shared: SharedDefinition?) async {
    _ = await fromAllLoops { transport in
      if let shared { transport.hub.changed(shared, at: transport.now) }
    }
  }

  /// `DELETE`
  func deleteShared(_ call: RoutedRequest) async throws(ProblemDocument) -> HTTPResponse? {
    let name = try sharedName(call)
    let versions = call.request.headers[.ifMatch].map(VersionMatch.init(header:))
    let outcome = await fromAnyThread { store.shared.remove(name, if: versions, completion: $0) }
    guard case .done = outcome else { throw ProblemDocument(outcome) }
    return HTTPResponse(status: 204)
  }

  /// - Returns: `nil` if there is no definition of this name.
  func shared(_ name: String) async throws(ProblemDocument) -> SharedDefinition? {
    switch await fromAnyThread({ store.shared.read(name, completion: $0) }) {
    case .found(let shared): return shared
    case .absent: return nil
    case .elsewhere, .unavailable, .unreadable: throw ProblemDocument(HubProblem.unavailable)
    }
  }

  func sharedName(_ call: RoutedRequest) throws(ProblemDocument) -> String {
    if case .token = hub.configuration.authentication {
      throw ProblemDocument(
        HubProblem.notAllowed(
          "shared definitions need API keys (--auth keys:FILE): with --auth token nobody owns them")
      )
    }
    let name = call["name"]
    guard SharedDefinition.isName(name) else {
      throw .badRequest(
        "the name of a shared definition has 1 to 64 letters, digits, -, _ and ., not . or ..")
    }
    return SharedDefinition.name(name, in: call.credential?.namespace)
  }
}

extension HTTPResponse {
  /// - Parameter ifNoneMatch: Of a read; a client that has the current version gets no body.
  fileprivate init(_ document: DocumentAnswer, ifNoneMatch: String? = nil, status: Int = 200) {
    guard let version = document.version else {
      self.init(json: document.body)
      return
    }
    let tag = "\"\(version)\""
    let isKnown = ifNoneMatch.map { EntityTag.isNamed(tag, in: $0) } ?? false
    let headers = [(name: "ETag", value: tag), (name: "Cache-Control", value: "no-store")]
    let type = [(name: "Content-Type", value: "application/json")]
    self.init(
      status: isKnown ? 304 : status, headers: isKnown ? headers : headers + type,
      body: isKnown ? [] : document.body)
    shortBody = document.shortBody
  }
}

extension VersionMatch {
  /// Parses `*` or a list of entity tags. Weak tags (`W/"1"`) match no version.
  init(header: String) {
    let tags = header.split(separator: ",").map { $0.filter { $0 != " " && $0 != "\t" } }
    self = tags == ["*"] ? .any : .oneOf(tags.map { String($0) })
  }
}

extension ProblemDocument {
  fileprivate init(_ outcome: SharedWriting) {
    switch outcome {
    case .outdated(let version): self.init(HubProblem.versionMismatch(version))
    case .absent: self.init(HubProblem.noSuchDefinition)
    case .inUse: self.init(HubProblem.inUse)
    case .tooMany:
      self.init(
        status: 409, code: "tooManyDefinitions",
        detail: "there are \(SharedDefinition.countMax) shared definitions already; delete one")
    case .full: self.init(HubProblem.storeFull)
    case .unavailable, .done: self.init(HubProblem.unavailable)
    }
  }
}
