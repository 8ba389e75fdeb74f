/// A WebSocket library, as ``PickerConnection`` uses it.
///
/// The default is `URLSessionTransport` on Apple platforms and `LibWebSocketsTransport` on Linux.
/// Apps and tests can implement another one:
///
/// ```swift
/// struct MyTransport: SocketTransport {
///   func dial(_ address: SessionAddress) -> any ClientSocket { MySocket(address.socketURL) }
/// }
///
/// let picker = PickerConnection(to: address, over: MyTransport())
/// ```
public protocol SocketTransport: Sendable {
  /// Opens a WebSocket to ``SessionAddress/socketURL`` with the subprotocol `pickerd.v1`.
  ///
  /// Must return immediately. Success and failure are reported by ``ClientSocket/events``.
  func dial(_ address: SessionAddress) -> any ClientSocket
}

/// One WebSocket, from its handshake until it is closed.
public protocol ClientSocket: Sendable {
  /// The events of the socket, for a single reader.
  ///
  /// The implementation guarantees that ``SocketEvent/closed(code:reason:)`` is delivered exactly
  /// once and last, also if the handshake fails. Then the stream finishes.
  var events: AsyncStream<SocketEvent> { get }
  /// Sends a text message; does nothing on a closed socket. Messages are sent in the order of the
  /// calls.
  func send(_ text: String)
  /// Closes the socket with 1000 after all messages that were sent before. Does nothing on a closed
  /// socket.
  func close()
}

/// An event of a ``ClientSocket``.
public enum SocketEvent: Hashable, Sendable {
  case opened
  /// A complete text message in UTF-8.
  case message([UInt8])
  /// The socket is closed. The code is 1006 if no close frame was received; the reason may be
  /// empty.
  case closed(code: Int, reason: String)
}
