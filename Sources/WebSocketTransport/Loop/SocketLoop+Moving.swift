import CWebSocketLoop

/// Moves connections between loops: new ones, and those that open a WebSocket or stream of another
/// loop's session.
extension SocketLoop {
  /// The bytes of a new connection that are examined; the request line of a session fits.
  private static let peekBytes = 256

  static var noDescriptors: HTTPResponse {
    HTTPResponse(
      status: 503, contentType: "application/problem+json",
      body: Array(
        (#"{"type":"about:blank","title":"Service Unavailable","status":503,"#
          + #""code":"unavailable","detail":"the server is out of file descriptors"}"#).utf8))
  }

  /// The response to a client that has too many connections through proxies.
  package static var tooManyOfAddress: HTTPResponse {
    var response = HTTPResponse(
      status: 429, contentType: "application/problem+json",
      body: Array(
        (#"{"type":"about:blank","title":"Too Many Requests","status":429,"#
          + #""code":"tooMany","detail":"too many connections from this address"}"#).utf8))
    response.headers.append(("Retry-After", "5"))
    return response
  }

  /// Passes a new connection to another loop if the handler says so. With TLS its request is not
  /// known yet.
  ///
  /// - Returns: True if the connection stays on this loop.
  func accepted(_ connection: wsl_connection) -> Bool {
    guard configuration.connections != nil, let handler else { return true }
    let other = withUnsafeTemporaryAllocation(
      byteCount: SocketLoop.peekBytes, alignment: 1
    ) { received in
      let isTLS = connection.tls != nil
      let count =
        isTLS ? 0 : wsl_peek(connection.descriptor, received.baseAddress, received.count)
      return handler.loop(forConnection: UnsafeRawBufferPointer(rebasing: received[..<count]))
    }
    guard let other else { return true }
    move(connection, [], to: other)
    return false
  }

  /// The loop that must serve the WebSocket or stream that a request opens; `nil` for this one.
  func otherLoop(for head: RequestHead, isWebSocket: Bool) -> SocketLoop? {
    guard configuration.connections != nil, head.audience == .clients else { return nil }
    return handler?.loop(forOpening: head, isWebSocket: isWebSocket)
  }

  /// Moves the connection of a request to another loop, as soon as libwebsockets has released it.
  ///
  /// - Returns: False if no file descriptor is available; the connection then stays on this loop.
  func detach(_ request: OpaquePointer, to other: SocketLoop) -> Bool {
    wsl_move(request, Unmanaged.passUnretained(other).toOpaque())
  }

  /// Passes a connection to another loop, which refuses it if it is draining.
  func move(_ connection: wsl_connection, _ head: [UInt8], to other: SocketLoop) {
    // Safe: the connection has one owner at a time.
    nonisolated(unsafe) let connection = connection
    let isTaken = other.post { other.adopt(connection, head) }
    if !isTaken { wsl_discard(connection, configuration.connections?.count) }
  }

  func adopt(_ connection: wsl_connection, _ head: [UInt8] = []) {
    var head = head
    wsl_adopt(loop, connection, &head, head.count)
  }
}
