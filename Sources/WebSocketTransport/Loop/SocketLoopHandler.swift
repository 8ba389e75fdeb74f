package import PickerSession

/// The events of a ``SocketLoop``. All functions are called on the loop's thread.
///
/// They may call any function of the loop, for any connection, except that `writeBlocked` and
/// `written` must not send, post or close.
package protocol SocketLoopHandler: AnyObject {
  /// The session of a connection, by its next request. Only called if the loops share a
  /// ``ConnectionCount`` or have ``SocketLoopConfiguration/owners``.
  ///
  /// - Parameter received: The head of the request, of which only the syntax was checked.
  func session(ofConnection received: UnsafeRawBufferPointer) -> FirstRequest

  /// The loop that serves a connection; `nil` for this one.
  func loop(for first: FirstRequest) -> SocketLoop?

  /// A connection has received something before its WebSocket opens: of the TLS handshake, or of a
  /// request. `loop` is the one that calls this. Default: reads it.
  ///
  /// - Returns: `true` after ``SocketLoop/read(_:)``. After `false` nothing of it is read, and no
  ///   time limit runs, until that is called in a later iteration.
  func readable(_ connection: ConnectionID, on loop: SocketLoop) -> Bool

  /// A client requests a WebSocket with a valid handshake.
  func admit(_ request: UpgradeRequest) -> UpgradeAnswer

  /// The WebSocket is open. Follows its `admit` directly, with no other call in between.
  func opened(_ connection: ConnectionID, _ request: UpgradeRequest)

  /// A complete text message: valid UTF-8 of at most `messageBytesMax` bytes. The memory is only
  /// valid during the call.
  func received(_ connection: ConnectionID, _ message: UnsafeRawBufferPointer)

  /// The connection has become write-blocked while posted frames were written; like an outcome
  /// ``SendOutcome/writeBlocked``, but reported later.
  func writeBlocked(_ connection: ConnectionID)

  /// The kernel has taken everything that was sent before ``SendOutcome/writeBlocked`` or
  /// `writeBlocked`.
  func writable(_ connection: ConnectionID)

  /// The WebSocket has ended, whichever side ended it. Called exactly once for each `opened`.
  func closed(_ connection: ConnectionID)

  /// The headers of a request announce a body of more than `HTTPBody.smallByteCountMax` bytes,
  /// which has not been read: the body of `request` is empty.
  ///
  /// - Returns: The response that refuses the request; the connection is closed when the body has
  ///   been dropped. `nil` to receive the body; `respond` follows.
  func refusal(of request: HTTPRequest, bodyByteCount: Int) -> HTTPResponse?

  /// A complete HTTP request, or one with an unread body, which must be refused. It must be
  /// answered once, now or later, with ``SocketLoop/answer(_:_:)`` or
  /// ``SocketLoop/startStream(_:headers:)``. The connection is dropped if no answer follows within
  /// `answerMilliseconds`.
  func respond(to id: RequestID, _ request: HTTPRequest)

  /// `writable` for a streamed response.
  func streamWritable(_ id: RequestID)

  /// The connection of a streamed response has ended. Not called after `streamEnd`.
  func streamClosed(_ id: RequestID)

  /// The timer has fired; it is now cleared.
  func timer()

  /// Writing posted frames has begun: those of the first connection have been written.
  func written()

  /// An event-loop iteration has ended, and everything posted has been written or buffered. Not
  /// called after an iteration that leaves frames for large sessions to the next one.
  ///
  /// - Parameter nanoseconds: When, by `machine_monotonic_ns()`.
  func wroteBatch(at nanoseconds: Int64)

  /// An event-loop iteration has ended; called after ``wroteBatch(at:)``, with the same time. The
  /// loop starts the timer that was set last.
  func iterationEnded(at nanoseconds: Int64)
}

extension SocketLoopHandler {
  package func readable(_ connection: ConnectionID, on loop: SocketLoop) -> Bool {
    loop.read(connection)
    return true
  }
  package func session(ofConnection received: UnsafeRawBufferPointer) -> FirstRequest { .other }
  package func loop(for first: FirstRequest) -> SocketLoop? { nil }
  package func refusal(of request: HTTPRequest, bodyByteCount: Int) -> HTTPResponse? { nil }
  package func streamWritable(_ id: RequestID) {}
  package func streamClosed(_ id: RequestID) {}
  package func written() {}
  package func wroteBatch(at nanoseconds: Int64) {}
  package func iterationEnded(at nanoseconds: Int64) {}
}

/// What is known of the first request of a new connection.
package enum FirstRequest: Hashable, Sendable {
  case session(SessionID)
  /// It is not for one session.
  case other
}

package enum UpgradeAnswer: Sendable {
  /// Accepts the upgrade. `subprotocol` must be the first one offered that is configured, and `nil`
  /// only if the client offered none; otherwise the loop answers 500. `client` is the network of
  /// the client if a proxy has opened the connection.
  case accept(subprotocol: String?, client: PeerNetwork? = nil)
  /// Asks again after ``SocketLoop/read(_:)``.
  case hold
  /// Refuses the upgrade with a response; the connection is closed.
  case refuse(HTTPResponse)
}

/// A request that is to be answered. The loop ignores ids of requests that were answered or ended.
package struct RequestID: Hashable, Sendable {
  let raw: UInt64
  /// Whether this is a HEAD request, whose response is sent without the body.
  let isHead: Bool
}
