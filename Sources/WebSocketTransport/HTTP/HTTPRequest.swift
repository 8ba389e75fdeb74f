import CWebSocketLoop

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

// Copies the parts of a C request.

extension RequestHead {
  /// - Parameter prefix: See ``SocketLoopConfiguration/pathPrefix``.
  init(_ request: inout wsl_request, below prefix: String) {
    var headers = RequestHeaders()
    for name in RequestHeader.allCases {
      if let value = String(request.value(of: name.rawValue)) {
        headers.fields.append((name, value))
      }
    }
    self.init(
      target: RequestTarget(String(request.target) ?? "", below: prefix), headers: headers,
      remoteAddress: request.peer.text)
    audience = Listening.Audience(request.audience)
    isTLS = request.is_tls
    acceptsChunks = request.is_1_1
  }
}

extension HTTPRequest {
  /// - Parameters:
  ///   - loop: Where a large body counts; without it the body is not taken.
  ///   - prefix: See ``SocketLoopConfiguration/pathPrefix``.
  init(_ request: inout wsl_request, on loop: SocketLoop?, below prefix: String) {
    let received = request.body
    let body: HTTPBody
    if request.unread > 0 {
      body = .unread(byteCount: Int(request.unread))
    } else if let loop, let large = LargeBody(of: &request, on: loop) {
      body = .large(large)
    } else {
      body = .small(Array(UnsafeRawBufferPointer(start: received.bytes, count: received.count)))
    }
    self.init(
      method: HTTPMethod(request.method), head: RequestHead(&request, below: prefix), body: body)
  }
}

extension wsl_request {
  /// The value of the header with a number of `wsl_header`.
  mutating func value(of header: Int) -> wsl_text {
    withUnsafeBytes(of: &headers) { $0.bindMemory(to: wsl_text.self)[header] }
  }
}

extension HTTPMethod {
  init(_ method: wsl_method) {
    switch method {
    case WSL_POST: self = .post
    case WSL_OPTIONS: self = .options
    case WSL_PUT: self = .put
    case WSL_PATCH: self = .patch
    case WSL_DELETE: self = .delete
    case WSL_HEAD: self = .head
    default: self = .get
    }
  }
}

extension String {
  /// Replaces invalid UTF-8 with U+FFFD. `nil` if the text is absent.
  fileprivate init?(_ text: wsl_text) {
    guard let bytes = text.bytes else { return nil }
    self.init(decoding: UnsafeRawBufferPointer(start: bytes, count: text.count), as: UTF8.self)
  }
}
