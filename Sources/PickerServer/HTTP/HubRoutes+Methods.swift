import WebSocketTransport

extension HubRoutes {
  /// - Throws: 405 for any other method; HEAD goes with GET.
  func allow(_ request: HTTPRequest, _ methods: HTTPMethod...) throws(ProblemDocument) {
    if methods.contains(request.method) { return }
    if request.method == .head && methods.contains(.get) { return }
    throw methodNotAllowed(methods)
  }

  func methodNotAllowed(_ methods: [HTTPMethod]) -> ProblemDocument {
    var names = methods.map(\.rawValue)
    if methods.contains(.get) { names.append("HEAD") }
    return ProblemDocument(
      status: 405, code: "methodNotAllowed",
      detail: "this can be asked with \(names.joined(separator: ", "))", allow: names)
  }
}
