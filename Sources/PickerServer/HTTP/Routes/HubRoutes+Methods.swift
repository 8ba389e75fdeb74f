import WebSocketTransport

extension HubRoutes {
  func methodNotAllowed(_ methods: [HTTPMethod]) -> ProblemDocument {
    let names = allowedNames(methods)
    return ProblemDocument(
      status: 405, code: "methodNotAllowed",
      detail: "allowed methods are \(names.joined(separator: ", "))", allow: names)
  }

  /// Answers `OPTIONS *`. - Source: RFC 9110, section 9.3.7
  func answerServerOptions(_ caller: Caller, _ request: HTTPRequest) {
    let names = allowedNames(table(for: request).methods) + [HTTPMethod.options.rawValue]
    transport.answer(
      caller, HTTPResponse(status: 204, headers: [("Allow", names.joined(separator: ", "))]))
  }

  /// The names of methods for `Allow`; `HEAD` is allowed with `GET`.
  func allowedNames(_ methods: [HTTPMethod]) -> [String] {
    methods.map(\.rawValue) + (methods.contains(.get) ? [HTTPMethod.head.rawValue] : [])
  }
}
