import WebSocketTransport

extension HubRoutes {
  func methodNotAllowed(_ methods: [HTTPMethod]) -> ProblemDocument {
    let names = allowedNames(methods)
    return ProblemDocument(
      status: 405, code: "methodNotAllowed",
      detail: "allowed methods are \(names.joined(separator: ", "))", allow: names)
  }

  /// The names of methods for `Allow`; `HEAD` is allowed with `GET`.
  func allowedNames(_ methods: [HTTPMethod]) -> [String] {
    methods.map(\.rawValue) + (methods.contains(.get) ? [HTTPMethod.head.rawValue] : [])
  }
}
