import CWebSocketLoop

// Copies the parts of a C request.

extension RequestHead {
  /// - Parameter prefix: See ``SocketLoopConfiguration/pathPrefix``.
  init(_ request: OpaquePointer, below prefix: String) {
    var headers = RequestHeaders()
    for name in RequestHeader.allCases {
      let header = wsl_header(UInt32(name.rawValue))
      if let value = String(wsl_request_header(request, header)) {
        headers.fields.append((name, value))
      }
    }
    self.init(
      target: RequestTarget(String(wsl_request_target(request)) ?? "", below: prefix),
      headers: headers,
      remoteAddress: String(wsl_request_peer(request)) ?? "")
    audience = Listening.Audience(wsl_request_audience(request))
    isTLS = wsl_request_is_tls(request)
    acceptsChunks = wsl_request_accepts_chunks(request)
  }
}

extension HTTPRequest {
  /// - Parameters:
  ///   - bodies: Where a large body counts; without it large bodies are copied.
  ///   - prefix: See ``SocketLoopConfiguration/pathPrefix``.
  init(_ request: OpaquePointer, _ bodies: BodyBytes?, below prefix: String) {
    let received = wsl_request_body(request)
    let unread = wsl_request_unread(request)
    let body: HTTPBody
    if unread > 0 {
      body = .unread(byteCount: Int(unread))
    } else if let large = bodies.flatMap({ LargeBody(of: request, in: $0) }) {
      body = .large(large)
    } else {
      body = .small(Array(UnsafeRawBufferPointer(start: received.bytes, count: received.count)))
    }
    self.init(
      method: HTTPMethod(wsl_request_method(request)),
      head: RequestHead(request, below: prefix), body: body)
  }
}

extension HTTPMethod {
  fileprivate init(_ method: wsl_method) {
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
