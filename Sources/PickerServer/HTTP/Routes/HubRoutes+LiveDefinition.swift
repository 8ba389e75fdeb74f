import PickerHost
import PickerHub
import PickerSession
import WebSocketTransport

/// `GET`, `PUT` and `PATCH …/definition`, `GET` and `PATCH …/notes`.
/// - Source: web/guide/inventory.md.
extension HubRoutes {
  func readDefinition(_ call: RoutedRequest) async throws(ProblemDocument) -> HTTPResponse? {
    let definition = try await host { host throws(HubProblem) in
      try await host.readDefinition(of: call.session, token: call.credential, at: transport.now)
    }
    return HTTPResponse(definition, ifNoneMatch: call.request.headers[.ifNoneMatch])
  }

  /// `PUT` and `PATCH …/definition`
  func changeDefinition(_ call: RoutedRequest) async throws(ProblemDocument) -> HTTPResponse? {
    let byteCount = countBody(of: call.request)
    defer { transport.countBody(-byteCount) }
    return HTTPResponse(
      try await host { host throws(HubProblem) in
        try await host.redefine(
          call.session, change(of: call.request), token: call.credential, at: transport.now)
      })
  }

  func readNotes(_ call: RoutedRequest) async throws(ProblemDocument) -> HTTPResponse? {
    HTTPResponse(
      json: try await host { host throws(HubProblem) in
        try await host.readNotes(of: call.session, token: call.credential, at: transport.now)
      })
  }

  func changeNotes(_ call: RoutedRequest) async throws(ProblemDocument) -> HTTPResponse? {
    let byteCount = countBody(of: call.request)
    defer { transport.countBody(-byteCount) }
    return HTTPResponse(
      try await host { host throws(HubProblem) in
        try await host.changeNotes(
          of: call.session, change(of: call.request), token: call.credential, at: transport.now)
      })
  }

  /// Counts a body that may wait for other changes. A large body counts itself.
  ///
  /// - Returns: The number of bytes to subtract when the change is answered.
  func countBody(of request: HTTPRequest) -> Int {
    guard case .small(let bytes) = request.body else { return 0 }
    transport.countBody(bytes.count)
    return bytes.count
  }

  func change(of request: HTTPRequest) -> DefinitionRequest {
    let body = request.body
    return DefinitionRequest(
      format: format(of: request), byteCount: body.count,
      versions: request.headers[.ifMatch].map(VersionMatch.init(header:)),
      valuesMax: hub.configuration.definitionLimits.bodyValuesMax,
      body: { body.bytes })
  }

  private func format(of request: HTTPRequest) -> DefinitionRequest.Format {
    if request.method == .put { return .whole }
    let type = (request.headers[.contentType] ?? "").prefix { $0 != ";" && $0 != " " }
    switch type.lowercased() {
    case "application/json-patch+json": return .jsonPatch
    case "application/merge-patch+json", "application/json", "": return .mergePatch
    default: return .unknown(String(type.prefix(64)))
    }
  }
}

extension HTTPResponse {
  /// - Parameter ifNoneMatch: Of a read; a client that has the current version gets no body.
  init(_ definition: DefinitionAnswer, ifNoneMatch: String? = nil, status: Int = 200) {
    let tag = "\"\(definition.version)\""
    let isKnown = ifNoneMatch.map { EntityTag.isNamed(tag, in: $0) } ?? false
    let headers = [(name: "ETag", value: tag), (name: "Cache-Control", value: "no-store")]
    let type = [(name: "Content-Type", value: "application/json")]
    self.init(
      status: isKnown ? 304 : status, headers: isKnown ? headers : headers + type,
      body: isKnown ? [] : definition.body)
    shortBody = definition.shortBody
  }
}

extension VersionMatch {
  /// Parses `*` or a list of entity tags. Weak tags (`W/"1"`) match no version.
  init(header: String) {
    let tags = header.split(separator: ",").map { $0.filter { $0 != " " && $0 != "\t" } }
    self = tags == ["*"] ? .any : .oneOf(tags.map { String($0) })
  }
}
