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
  /// At most `bodyBytesMax` bytes long, or unread.
  package var body: HTTPBody

  package subscript<Value>(dynamicMember field: KeyPath<RequestHead, Value>) -> Value {
    head[keyPath: field]
  }
  /// The value of the first query field of that name.
  package func queryValue(_ name: String) -> String? { head.queryValue(name) }
}
