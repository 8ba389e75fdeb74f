/// The parts that every request has, including upgrades.
package struct RequestHead: Sendable {
  /// Percent-decoded, with `//`, `/./` and `/../` resolved; begins with `/`.
  package var path: String
  /// Percent-decoded, in the order of the query.
  package var query: [QueryField]
  package var headers: RequestHeaders
  /// The peer's numeric IPv4 or IPv6 address.
  package var remoteAddress: String
  /// Whether the connection came through the admin listener.
  package var isAdmin = false
  /// Whether the response may use chunked transfer coding: false for HTTP/1.0.
  package var takesChunks = true

  package init(
    path: String, query: [QueryField], headers: RequestHeaders, remoteAddress: String,
    isAdmin: Bool = false
  ) {
    self.path = path
    self.query = query
    self.headers = headers
    self.remoteAddress = remoteAddress
    self.isAdmin = isAdmin
  }

  /// The value of the first query field of that name.
  package func queryValue(_ name: String) -> String? {
    query.first { $0.name == name }?.value
  }
}

/// One `name=value` of a query; without `=` the value is empty.
package struct QueryField: Hashable, Sendable {
  package var name, value: String
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

/// A valid opening handshake. - Source: RFC 6455, section 4.2.1
@dynamicMemberLookup
package struct UpgradeRequest: Sendable {
  package var head: RequestHead

  package subscript<Value>(dynamicMember field: KeyPath<RequestHead, Value>) -> Value {
    head[keyPath: field]
  }
  package var host: String? { head.headers[.host] }
  package var origin: String? { head.headers[.origin] }
  package var authorization: String? { head.headers[.authorization] }

  /// The subprotocols that the client offers, in its order of preference.
  package var subprotocols: [String] {
    (head.headers[.subprotocols] ?? "").split { $0 == "," || $0 == " " || $0 == "\t" }
      .map(String.init)
  }
}

package enum HTTPMethod: String, Sendable {
  case get = "GET"
  case post = "POST"
  case options = "OPTIONS"
  case put = "PUT"
  case patch = "PATCH"
  case delete = "DELETE"
  case head = "HEAD"
}

/// A complete HTTP request. - Source: RFC 9112
@dynamicMemberLookup
package struct HTTPRequest: Sendable {
  package var method: HTTPMethod
  package var head: RequestHead
  /// At most `bodyBytesMax` bytes long.
  package var body: HTTPBody

  package subscript<Value>(dynamicMember field: KeyPath<RequestHead, Value>) -> Value {
    head[keyPath: field]
  }
  /// The value of the first query field of that name.
  package func queryValue(_ name: String) -> String? { head.queryValue(name) }
}
