import WebSocketTransport

/// Pages of the origins that `--origin` lists may read what they are answered over HTTP too.
///
/// - Source: Fetch standard, section 3.2, "HTTP CORS protocol".
extension HubRoutes {
  /// What a browser asks before it lets a page of another origin ask.
  func isPreflight(_ request: HTTPRequest) -> Bool {
    request.method == .options && isShared(request)
      && request.headers[.accessControlRequestMethod] != nil
  }

  func answerPreflight(_ caller: Caller) {
    let methods = [HTTPMethod.get, .post, .put, .patch, .delete].filter { method in
      mainRoutes.routes.contains { $0.method == method }
    }
    transport.answer(
      caller,
      HTTPResponse(
        status: 204,
        headers: [
          ("Access-Control-Allow-Methods", allowedNames(methods).joined(separator: ", ")),
          ("Access-Control-Allow-Headers", "Authorization, Content-Type, If-Match, Last-Event-ID"),
          ("Access-Control-Max-Age", "600"),
        ]))
  }

  /// Tells the browser that the request's origin may read the answer, if it is one of the list.
  func crossOriginHeaders(for request: HTTPRequest) -> [HTTPResponse.Header] {
    guard !gate.origins.allowed.isEmpty, isShared(request) else { return [] }
    guard let origin = request.headers[.origin],
      gate.origins.allows(origin: origin, host: request.headers[.host])
    else { return [("Vary", "Origin")] }
    return [
      ("Vary", "Origin"), ("Access-Control-Allow-Origin", origin),
      ("Access-Control-Expose-Headers", "Location, ETag, Retry-After"),
    ]
  }

  /// Only what the protocol has; the client's files and the documents are everybody's.
  private func isShared(_ request: HTTPRequest) -> Bool {
    request.path.hasPrefix("/v1/sessions") || request.path.hasPrefix("/v1/definitions/")
  }
}
