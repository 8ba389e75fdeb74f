package import PickerSession

/// The node that serves a session.
package enum SessionOwner: Hashable, Sendable {
  /// This one, or the session does not exist.
  case here
  /// Another one, by its number, which accepts connections of other nodes at a numeric address and
  /// port, if any.
  case node(Int64, address: NodeAddress?)
  /// The database does not answer.
  case unavailable
}

/// Where a node accepts connections that others relay.
package struct NodeAddress: Hashable, Sendable, CustomStringConvertible {
  /// A numeric IPv4 or IPv6 address, without brackets.
  package let host: String
  package let port: UInt16

  package init(host: String, port: UInt16) {
    self.host = host
    self.port = port
  }

  package var description: String {
    host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
  }

  /// Parses `10.0.0.1:7683` or `[::1]:7683`.
  package init?(_ text: String) {
    guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...])
    else { return nil }
    let host = text[..<colon]
    let isBracketed = host.hasPrefix("[") && host.hasSuffix("]")
    self.init(host: String(isBracketed ? host.dropFirst().dropLast() : host), port: port)
  }
}

/// Finds the owners of sessions.
package struct SessionOwners: Sendable {
  /// Whether this node owns a session, as far as it knows without asking anybody.
  let isHere: @Sendable (SessionID) -> Bool
  /// Asks for the owner; the answer can come on any thread.
  package let find:
    @Sendable (SessionID, _ completion: @escaping @Sendable (SessionOwner) -> Void) -> Void

  package init(
    isHere: @escaping @Sendable (SessionID) -> Bool,
    find:
      @escaping @Sendable (SessionID, _ completion: @escaping @Sendable (SessionOwner) -> Void)
      -> Void
  ) {
    self.isHere = isHere
    self.find = find
  }
}
