/// The parts that every request has, including upgrades.
package struct RequestHead: Sendable {
  package let target: RequestTarget
  package var headers: RequestHeaders
  /// The peer's numeric IPv4 or IPv6 address, or `unix` for the peer of a Unix socket.
  package var remoteAddress: String
  /// The audience of the listener that accepted the connection.
  package var audience = Listening.Audience.clients
  /// Whether the connection uses TLS, as opposed to one between a proxy and its client.
  package var isTLS = false
  /// Whether the response may use chunked transfer coding: false for HTTP/1.0.
  package var acceptsChunks = true

  package init(target: RequestTarget, headers: RequestHeaders, remoteAddress: String) {
    self.target = target
    self.headers = headers
    if let authority = target.authority { self.headers[.host] = authority }
    self.remoteAddress = remoteAddress
  }

  /// See ``RequestTarget/path``.
  package var path: String { target.path }
  package var query: [QueryField] { target.query }

  package var isAdmin: Bool { audience == .operators }

  /// The value of the first query field of that name.
  package func queryValue(_ name: String) -> String? {
    query.first { $0.name == name }?.value
  }
}

/// The headers that a request provides; all others are ignored. The raw values are those of
/// `wsl_header`.
package enum RequestHeader: Int, CaseIterable, Sendable {
  case host, origin, authorization, accept, acceptLanguage, acceptEncoding, contentType
  case ifNoneMatch, userAgent, xForwardedFor, xForwardedProto, lastEventID, subprotocols
  case accessControlRequestHeaders, accessControlRequestMethod, ifMatch
  case idempotencyKey
}

/// The headers of a request. Repeated ones are joined with a comma and a space.
package struct RequestHeaders: Sendable {
  var fields: [(name: RequestHeader, value: String)] = []

  package init() {}

  package subscript(name: RequestHeader) -> String? {
    get { fields.first { $0.name == name }?.value }
    set {
      fields.removeAll { $0.name == name }
      if let newValue { fields.append((name, newValue)) }
    }
  }
}
