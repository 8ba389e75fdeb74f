import CWebSocketLoop

/// Connections that go from one loop to another: new ones, and those on which somebody opens what
/// is another loop's.
extension SocketLoop {
  /// Octets of a new connection that are looked at; the request line of a session fits.
  private static let peekBytes = 256
  /// Octets of a request that goes to another loop; libwebsockets keeps 8,192 at most, of which
  /// each may become three.
  private static let headBytes = 32_768

  static var noDescriptors: HTTPResponse {
    HTTPResponse(
      status: 503, contentType: "application/problem+json",
      body: Array(
        (#"{"type":"about:blank","title":"Service Unavailable","status":503,"#
          + #""code":"unavailable","detail":"no file descriptor is left"}"#).utf8))
  }

  /// Has another loop serve a new connection, if it should.
  ///
  /// - Returns: Whether it stays here.
  func accepted(_ connection: wsl_connection) -> Bool {
    guard configuration.connections != nil, let handler else { return true }
    let other = withUnsafeTemporaryAllocation(
      byteCount: SocketLoop.peekBytes, alignment: 1
    ) { said in
      let count = wsl_peek(connection.descriptor, said.baseAddress, said.count)
      return handler.loop(forConnection: UnsafeRawBufferPointer(rebasing: said[..<count]))
    }
    guard let other else { return true }
    hand(connection, [], to: other)
    return false
  }

  /// The other loop that what a request opens belongs to, if there is one.
  func elsewhere(_ head: RequestHead, isWebSocket: Bool) -> SocketLoop? {
    guard configuration.connections != nil, !head.isAdmin else { return nil }
    return handler?.loop(forOpening: head, isWebSocket: isWebSocket)
  }

  /// Takes the connection of a request to another loop.
  ///
  /// - Returns: False if there is no descriptor to do it with; the connection is here then.
  func detach(_ request: OpaquePointer, to other: SocketLoop) -> Bool {
    var connection = wsl_connection(descriptor: -1, network: 0)
    let head = [UInt8](unsafeUninitializedCapacity: SocketLoop.headBytes) { octets, count in
      connection = wsl_detach(request, octets.baseAddress, octets.count, &count)
      if connection.descriptor < 0 { count = 0 }
    }
    guard connection.descriptor >= 0 else { return false }
    hand(connection, head, to: other)
    return true
  }

  private func hand(_ connection: wsl_connection, _ head: [UInt8], to other: SocketLoop) {
    let isTaken = other.post {
      other.adopt(connection.descriptor, network: connection.network, head: head)
    }
    if !isTaken { wsl_discard(connection, configuration.connections?.count) }
  }

  /// Serves a connection of another loop, or refuses it if this loop drains.
  func adopt(_ descriptor: CInt, network: UInt64 = 0, head: [UInt8]) {
    let connection = wsl_connection(descriptor: descriptor, network: network)
    wsl_adopt(loop, connection, head, head.count)
  }

  /// The limit of connections as the machine allows it.
  package var connectionsMax: Int { Int(wsl_connections_max(loop)) }

  /// Microseconds that this thread has worked.
  package static func threadMicroseconds() -> Int64 { wsl_thread_us() }
}
