/// What a connection needs of a WebSocket library.
///
/// The platform's own is `URLSessionTransport` on Apple's systems and `LibWebSocketsTransport` on
/// Linux; a test or an app may bring another.
public protocol SocketTransport: Sendable {
  /// Dials with the subprotocol `pickerd.v1`.
  ///
  /// Returns at once; the socket's events say what came of it.
  func dial(_ address: SessionAddress) -> any ClientSocket
}

/// One WebSocket, from its handshake to its end.
public protocol ClientSocket: Sendable {
  /// Iterated once. ``SocketEvent/closed(code:reason:)`` comes exactly once and last, whatever
  /// happens.
  var events: AsyncStream<SocketEvent> { get }
  /// Sends a text message; nothing happens on a socket that is closed.
  func send(_ text: String)
  /// Closes with 1000 after what was sent before.
  func close()
}

/// What a socket tells.
public enum SocketEvent: Hashable, Sendable {
  case opened
  /// A whole text message, UTF-8.
  case message([UInt8])
  /// 1006 when there was no close frame; the reason may be empty.
  case closed(code: Int, reason: String)
}
