import CWebSocketLoop
import PickerSession

/// Gives connections to the loops of their sessions, and relays them to the nodes that own these.
extension SocketLoop {
  /// Who serves a connection instead of this loop.
  enum Place {
    case loop(SocketLoop)
    /// The owner of a session, which is looked up on a loop.
    case owner(SessionID, SessionOwners, on: SocketLoop)
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

  /// Decides who serves a connection, a head of which was received: this loop, another one, or
  /// another node. A later request that is not for a session is served wherever its connection is.
  func isElsewhere(_ connection: wsl_connection) -> Bool {
    let owners = configuration.owners
    guard configuration.connections != nil || owners != nil, let handler else { return false }
    let first = handler.session(
      ofConnection: UnsafeRawBufferPointer(
        start: connection.head, count: Int(connection.head_count)))
    if connection.is_later, first == .other { return false }
    let other = handler.loop(for: first)
    // A relayed connection is not relayed again; one that has served a request stays at this node.
    if let owners, !connection.is_relayed, !connection.is_later, case .session(let id) = first,
      !owners.isHere(id)
    {
      place = .owner(id, owners, on: other ?? self)
    } else {
      place = other.map(Place.loop)
    }
    return place != nil
  }

  func move(_ connection: wsl_connection) {
    switch place.take() {
    case .loop(let other): give(connection, to: other)
    case .owner(let id, let owners, on: let other): other.find(id, owners, connection)
    case nil: break
    }
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

  /// Passes a connection to another loop, which refuses it if it is draining.
  private func give(_ connection: wsl_connection, to other: SocketLoop) {
    // Safe: the connection has one owner at a time.
    nonisolated(unsafe) let connection = connection
    let isTaken = other.post { wsl_adopt(other.loop, connection) }
    if !isTaken { wsl_discard(connection, configuration.connections?.count) }
  }
}
