import CWebSocketLoop

/// Moves connections between loops: new ones, and those that open a WebSocket or stream of another
/// loop's session.
extension SocketLoop {
  /// The bytes of a new connection that are examined; the request line of a session fits.
  private static let peekBytes = 256
  /// The buffer size for a request that moves to another loop: a request head has at most 8,192
  /// bytes, each of which may be percent-encoded as three.
  private static let headBytes = 32_768

  static var noDescriptors: HTTPResponse {
    HTTPResponse(
      status: 503, contentType: "application/problem+json",
      body: Array(
        (#"{"type":"about:blank","title":"Service Unavailable","status":503,"#
          + #""code":"unavailable","detail":"the server is out of file descriptors"}"#).utf8))
  }

  /// Passes a new connection to another loop if the handler says so.
  ///
  /// - Returns: True if the connection stays on this loop.
  func accepted(_ connection: wsl_connection) -> Bool {
    guard configuration.connections != nil, let handler else { return true }
    let other = withUnsafeTemporaryAllocation(
      byteCount: SocketLoop.peekBytes, alignment: 1
    ) { received in
      let count = wsl_peek(connection.descriptor, received.baseAddress, received.count)
      return handler.loop(forConnection: UnsafeRawBufferPointer(rebasing: received[..<count]))
    }
    guard let other else { return true }
    move(connection, [], to: other)
    return false
  }

  /// The loop that must serve the WebSocket or stream that a request opens; `nil` for this one.
  func otherLoop(for head: RequestHead, isWebSocket: Bool) -> SocketLoop? {
    guard configuration.connections != nil, !head.isAdmin else { return nil }
    return handler?.loop(forOpening: head, isWebSocket: isWebSocket)
  }

  /// Moves the connection of a request to another loop.
  ///
  /// - Returns: False if no file descriptor is available; the connection then stays on this loop.
  func detach(_ request: OpaquePointer, to other: SocketLoop) -> Bool {
    var connection = wsl_connection(descriptor: -1, network: 0)
    let head = [UInt8](unsafeUninitializedCapacity: SocketLoop.headBytes) { bytes, count in
      connection = wsl_detach(request, bytes.baseAddress, bytes.count, &count)
      if connection.descriptor < 0 { count = 0 }
    }
    guard connection.descriptor >= 0 else { return false }
    move(connection, head, to: other)
    return true
  }

  private func move(_ connection: wsl_connection, _ head: [UInt8], to other: SocketLoop) {
    let isTaken = other.post {
      other.adopt(connection.descriptor, network: connection.network, head: head)
    }
    if !isTaken { wsl_discard(connection, configuration.connections?.count) }
  }

  /// Serves a connection of another loop, or refuses it if this loop is draining.
  func adopt(_ descriptor: CInt, network: UInt64 = 0, head: [UInt8]) {
    let connection = wsl_connection(descriptor: descriptor, network: network)
    wsl_adopt(loop, connection, head, head.count)
  }
}
