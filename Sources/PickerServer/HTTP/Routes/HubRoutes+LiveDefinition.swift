import PickerHub
import PickerSession
import WebSocketTransport

/// `GET`, `PUT` and `PATCH …/definition`, `GET` and `PATCH …/notes`.
/// - Source: web/guide/inventory.md.
extension HubRoutes {
  func readDefinition(_ call: RoutedRequest) {
    let caller = call.caller
    hub.readDefinition(of: call.session, token: call.credential, at: transport.now) {
      [self] in answer(caller, $0)
    }
  }

  /// `PUT` and `PATCH …/definition`
  func changeDefinition(_ call: RoutedRequest) {
    let caller = call.caller
    let byteCount = countBody(of: call.request)
    hub.redefine(
      call.session, change(of: call.request), token: call.credential, at: transport.now
    ) { [self] in
      transport.countBody(-byteCount)
      answer(caller, $0)
    }
  }

  func readNotes(_ call: RoutedRequest) {
    let caller = call.caller
    hub.readNotes(of: call.session, token: call.credential, at: transport.now) {
      [self] in answer(caller, "application/json", $0)
    }
  }

  func changeNotes(_ call: RoutedRequest) {
    let caller = call.caller
    let byteCount = countBody(of: call.request)
    hub.changeNotes(
      of: call.session, change(of: call.request), token: call.credential, at: transport.now
    ) { [self] in
      transport.countBody(-byteCount)
      answer(caller, $0)
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

  private func change(of request: HTTPRequest) -> DefinitionRequest {
    let body = request.body
    return DefinitionRequest(
      format: format(of: request), byteCount: body.count,
      versions: request.headers[.ifMatch].map(VersionMatch.init(header:)),
      valuesMax: hub.configuration.definitionLimits.bodyValuesMax, maker: definitions,
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

  private func answer(
    _ caller: Caller, _ result: Result<DefinitionAnswer, HubProblem>
  ) {
    switch result {
    case .success(let definition):
      transport.answer(
        caller,
        HTTPResponse(
          status: 200,
          headers: [
            ("Content-Type", "application/json"), ("Cache-Control", "no-store"),
            ("ETag", "\"\(definition.version)\""),
          ], body: definition.body))
    case .failure(let problem): answer(caller, ProblemDocument(problem))
    }
  }
}

extension VersionMatch {
  /// Parses `*` or a list of entity tags. Weak tags (`W/"1"`) match no version.
  init(header: String) {
    let tags = header.split(separator: ",").map { $0.filter { $0 != " " && $0 != "\t" } }
    self = tags == ["*"] ? .any : .oneOf(tags.map { String($0) })
  }
}
