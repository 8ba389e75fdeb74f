import PickerHub
import PickerSession
import WebSocketTransport

/// `GET`, `PUT` and `PATCH …/definition`, `GET` and `PATCH …/notes`.
/// - Source: protocol.md, "The host changes the picker".
extension HubRoutes {
  func definition(
    _ caller: Caller, _ request: HTTPRequest, _ session: SessionID
  ) {
    if request.method == .get || request.method == .head {
      return hub.readDefinition(of: session, token: token(of: request), at: transport.now) {
        [self] in answer(caller, $0)
      }
    }
    let byteCount = request.body.count
    transport.countBody(byteCount)
    hub.redefine(session, change(of: request), token: token(of: request), at: transport.now) {
      [self] in
      transport.countBody(-byteCount)
      answer(caller, $0)
    }
  }

  /// `GET` and `PATCH …/notes`
  func notes(_ caller: Caller, _ request: HTTPRequest, _ session: SessionID) {
    if request.method == .get || request.method == .head {
      return hub.readNotes(of: session, token: token(of: request), at: transport.now) {
        [self] in answer(caller, "application/json", $0)
      }
    }
    hub.changeNotes(of: session, change(of: request), token: token(of: request), at: transport.now)
    { [self] in answer(caller, $0) }
  }

  private func change(of request: HTTPRequest) -> DefinitionRequest {
    DefinitionRequest(
      format: format(of: request), body: request.body.bytes,
      versions: request.headers[.ifMatch].map(VersionMatch.init(header:)),
      valuesMax: hub.configuration.definitionLimits.bodyValuesMax, maker: definitions)
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
  /// Reads `*` or a list of tags, of which weak ones match nothing.
  init(header: String) {
    let tags = header.split(separator: ",").map { $0.filter { $0 != " " && $0 != "\t" } }
    self = tags == ["*"] ? .any : .oneOf(tags.map { String($0) })
  }
}
