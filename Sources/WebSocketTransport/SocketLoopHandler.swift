package import PickerSession

/// What a ``SocketLoop`` tells its owner, and asks it. Everything is called on the loop's thread.
///
/// Every function of the loop may be called from each of these but `full`, for any connection.
package protocol SocketLoopHandler: AnyObject {
  /// Which loop should serve a new connection, by what it has said so far, which may be nothing;
  /// `nil`: this one. Asked only of loops that share connections.
  func loop(forConnection said: UnsafeRawBufferPointer) -> SocketLoop?

  /// Which loop a WebSocket, or the stream that a GET opens, belongs to; `nil`: this one, or it is
  /// no stream. Asked only of loops that share connections; the connection goes there, with this
  /// request, and what has come behind it is lost.
  func loop(forOpening head: RequestHead, isWebSocket: Bool) -> SocketLoop?

  /// Somebody wants to open a WebSocket, with a handshake that is correct.
  func admit(_ request: UpgradeRequest) -> UpgradeAnswer

  /// The WebSocket is open. Follows its `admit` without anything in between.
  func opened(_ connection: ConnectionID, _ request: UpgradeRequest)

  /// One whole text message: valid UTF-8, at most `messageBytesMax` octets, gone after the call.
  func received(_ connection: ConnectionID, _ message: UnsafeRawBufferPointer)

  /// A part of what was posted has to wait: as `.full`, told later. Only to be noted: nothing may
  /// be sent, posted or closed in it.
  func full(_ connection: ConnectionID)

  /// Everything that was sent before `.full` is with the kernel now.
  func writable(_ connection: ConnectionID)

  /// The WebSocket is over, whoever ended it. Exactly once for each `opened`.
  func closed(_ connection: ConnectionID)

  /// A whole HTTP request, to be answered now or later, once, with ``SocketLoop/answer(_:_:)`` or
  /// ``SocketLoop/startStream(_:headers:)``. Who gets no answer for `answerMilliseconds` is hung
  /// up.
  func respond(to id: RequestID, _ request: HTTPRequest)

  /// As `writable`, for a streamed response.
  func streamWritable(_ id: RequestID)

  /// The peer of a streamed response is gone. Not after `streamEnd`.
  func streamClosed(_ id: RequestID)

  /// The timer that was set has fired; it is not set any more.
  func timer()

  /// Posted frames begin to go out: those of the first connection have been written. Nothing may
  /// be sent, posted or closed in it.
  func written()

  /// An event-loop iteration is over, and everything that was posted in it has been written.
  func iterated()
}

extension SocketLoopHandler {
  package func loop(forConnection said: UnsafeRawBufferPointer) -> SocketLoop? { nil }
  package func loop(forOpening head: RequestHead, isWebSocket: Bool) -> SocketLoop? { nil }
  package func streamWritable(_ id: RequestID) {}
  package func streamClosed(_ id: RequestID) {}
  package func written() {}
  package func iterated() {}
}

/// Whether a WebSocket may be opened.
package enum UpgradeAnswer: Sendable {
  /// Yes. The subprotocol is the first that the client offered of those configured; it can be
  /// nil only if the client offered none.
  case accept(subprotocol: String?)
  /// No, for this reason; the connection ends.
  case refuse(HTTPResponse)
}

/// A request that waits for its answer. Ids of answered or abandoned requests are ignored.
package struct RequestID: Hashable, Sendable {
  let raw: UInt64
  /// A HEAD request: its answer goes out without the body.
  let isHead: Bool
}
