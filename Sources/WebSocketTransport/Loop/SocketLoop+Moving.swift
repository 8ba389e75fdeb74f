import CWebSocketLoop
import PickerSession

/// Moves connections between loops: new ones, and those that open a WebSocket or stream of another
/// loop's session. Relays new ones to the nodes that own their sessions.
extension SocketLoop {
  /// The bytes of a new connection that are examined; the path of a session fits.
  private static let peekBytes = 512

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

  /// Decides who serves a new connection: this loop, another one, or another node. With TLS its
  /// request is not known yet.
  func accepted(_ connection: wsl_connection) -> wsl_choice {
    let owners = connection.tls == nil ? configuration.owners : nil
    guard configuration.connections != nil || owners != nil, let handler else { return WSL_HERE }
    let (count, session) = withUnsafeTemporaryAllocation(
      byteCount: SocketLoop.peekBytes, alignment: 1
    ) { received in
      let isTLS = connection.tls != nil
      let count =
        isTLS ? 0 : wsl_peek(connection.descriptor, received.baseAddress, received.count)
      return (
        count, handler.session(ofConnection: UnsafeRawBufferPointer(rebasing: received[..<count]))
      )
    }
    if owners != nil, session == .incomplete, count < SocketLoop.peekBytes { return WSL_LATER }
    let other = handler.loop(for: session)
    // A relayed connection is not relayed again.
    if let owners, !connection.is_relayed, case .session(let id) = session, !owners.isHere(id) {
      (other ?? self).find(id, owners, connection)
      return WSL_TAKEN
    }
    guard let other else { return WSL_HERE }
    move(connection, [], to: other)
    return WSL_TAKEN
  }

  /// Asks for the owner of a session, then serves or relays its connection. Safe on any thread.
  private func find(_ session: SessionID, _ owners: SessionOwners, _ connection: wsl_connection) {
    // Safe: the connection has one owner at a time.
    nonisolated(unsafe) let connection = connection
    let isTaken = post {
      let id = wsl_hold(self.loop, connection)
      if id == 0 { return }
      owners.find(session) { owner in self.post { self.settle(id, owner) } }
    }
    if !isTaken { wsl_discard(connection, configuration.connections?.count) }
  }

  private func settle(_ id: wsl_id, _ owner: SessionOwner) {
    switch owner {
    case .here: wsl_serve_held(loop, id)
    case .node(let address?): wsl_relay_held(loop, id, address.host, address.port)
    case .node(nil), .unavailable: wsl_refuse_held(loop, id)
    }
  }

  /// The loop that must serve the WebSocket or stream that a request opens; `nil` for this one.
  func otherLoop(for head: RequestHead, isWebSocket: Bool) -> SocketLoop? {
    guard configuration.connections != nil, head.audience == .clients || head.audience == .backend
    else { return nil }
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
