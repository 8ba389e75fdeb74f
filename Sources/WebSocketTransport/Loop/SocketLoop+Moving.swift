import CWebSocketLoop
import PickerSession

/// Gives connections to the loops of their sessions, and relays them to the nodes that own these.
extension SocketLoop {
  private static let heldMax = 1_024
  private static let holdMilliseconds: Int64 = 10_000

  /// Who serves a connection instead of this loop.
  enum Place {
    case loop(SocketLoop)
    /// The owner of a session, which is looked up on a loop.
    case owner(SessionID, SessionOwners, on: SocketLoop)
  }

  /// The response to a client that has too many connections through proxies.
  package static var tooManyOfAddress: HTTPResponse {
    var response = HTTPResponse.problem(
      429, "tooMany", "too many connections from this address")
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

  /// Asks for the owner of a session, then serves or relays its connection, or refuses it after
  /// 10 s. What its client sends stays in the kernel. Safe on any thread.
  private func find(_ session: SessionID, _ owners: SessionOwners, _ connection: wsl_connection) {
    // Safe: the connection has one owner at a time.
    nonisolated(unsafe) let connection = connection
    let isTaken = post {
      // A draining loop refuses it.
      if self.isDraining { return wsl_adopt(self.loop, connection) }
      guard self.held.count < SocketLoop.heldMax else {
        self.counted.refusedFull += 1
        return wsl_refuse(self.loop, connection, "full", "too many connections")
      }
      self.lookupCount += 1
      let number = self.lookupCount
      let deadline = SocketLoop.monotonicMilliseconds() + SocketLoop.holdMilliseconds
      self.held[number] = HeldConnection(connection: connection, deadline: deadline)
      owners.find(session) { owner in self.post { self.settle(number, owner) } }
    }
    if !isTaken { discard(connection) }
  }

  private func settle(_ number: Int, _ owner: SessionOwner) {
    guard let connection = held.removeValue(forKey: number)?.connection else { return }
    switch owner {
    case .here: wsl_adopt(loop, connection)
    case .node(let address?):
      if let descriptor = ListeningSocket.connecting(to: address.host, port: address.port) {
        let header = ProxyHeader.bytes(for: connection)
        wsl_relay(loop, connection, descriptor, header, header.count)
      } else {
        refuse(connection)
      }
    case .node(nil), .unavailable: refuse(connection)
    }
  }

  private func refuse(_ connection: wsl_connection) {
    wsl_refuse(
      loop, connection, "unavailable",
      "the server that has this session is not known, or cannot be reached; retry later")
  }

  /// Refuses the connections whose time for the lookup is over.
  func refuseHeld(until now: Int64) {
    for (number, connection) in held where connection.deadline <= now {
      held[number] = nil
      refuse(connection.connection)
    }
  }

  /// Passes a connection to another loop, which refuses it if it is draining.
  private func give(_ connection: wsl_connection, to other: SocketLoop) {
    // Safe: the connection has one owner at a time.
    nonisolated(unsafe) let connection = connection
    let isTaken = other.post { wsl_adopt(other.loop, connection) }
    if !isTaken { discard(connection) }
  }

  func discard(_ connection: wsl_connection) {
    counts.end(connection.network)
    wsl_discard(connection)
  }
}

/// A connection whose owner is looked up.
struct HeldConnection {
  let connection: wsl_connection
  let deadline: Int64
}
