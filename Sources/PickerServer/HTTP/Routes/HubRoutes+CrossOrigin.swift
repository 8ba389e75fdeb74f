import WebSocketTransport

/// CORS: lets pages of the origins in `--origin` read HTTP responses.
///
/// - Source: Fetch standard, section 3.2, "HTTP CORS protocol".
extension HubRoutes {
  /// Whether a request is a CORS preflight: a browser sends it before a page's request.
  func isPreflight(_ request: HTTPRequest) -> Bool {
    request.method == .options && isShared(request)
      && request.headers[.accessControlRequestMethod] != nil
  }

  func answerPreflight(_ caller: Caller) {
    let methods = mainRoutes.methods
    transport.answer(
      caller,
      HTTPResponse(
        status: 204,
        headers: [
          ("Access-Control-Allow-Methods", allowedNames(methods).joined(separator: ", ")),
          (
            "Access-Control-Allow-Headers",
            "Authorization, Content-Type, Idempotency-Key, If-Match, Last-Event-ID"
          ),
          ("Access-Control-Max-Age", "600"),
        ]))
  }

  /// The headers that let a page of an allowed origin read the response.
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

  /// Whether `--origin` applies to a path: to sessions and definitions. The client's files and the
  /// API documents are public.
  private func isShared(_ request: HTTPRequest) -> Bool {
    request.target.begins(with: ["v1", "sessions"])
      || request.target.begins(with: ["v1", "definitions"])
  }
}
