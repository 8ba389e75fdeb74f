package import PickerModel
package import PickerSession

/// What happens to a connection, for the operator's log. It contains no tokens, names or bytes of
/// messages.
package enum ConnectionEvent: Sendable {
  /// A WebSocket or an event stream was opened. `head` is that of its request.
  case opened(SessionID, head: RequestHead, isStream: Bool)
  /// A member has joined by this WebSocket.
  case joined(MemberID)
  /// The server closes the connection; ``closed`` follows.
  case closing(code: UInt16)
  /// The connection has been closed: by the server, by the client, or because it was lost.
  case closed
}
