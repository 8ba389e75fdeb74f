import PickerSession

/// A fault of one connection's byte stream, behind any byte of a conversation.
package struct WireFault: Hashable, Sendable, CustomStringConvertible {
  package enum Direction: Sendable, CaseIterable {
    case up, down
  }

  package enum Kind: Sendable, CaseIterable {
    /// The bytes in front of the fault arrive first, the others later: a short read of the
    /// receiver, and a short write of the hub.
    case split
    /// The connection is lost, and both ends notice.
    case cut
    /// The connection is lost, and the write that crosses the fault fails.
    case failedWrite
    /// The connection is lost, and the hub notices after the client has resumed.
    case cutUnnoticed
  }

  let direction: Direction
  /// Bytes of this direction in front of the fault, over all connections of the conversation.
  let offset: Int
  let kind: Kind

  package var description: String { "\(kind) behind byte \(offset) \(direction)" }
}

/// A WebSocket as two streams of bytes, after its handshake.
final class Wire {
  /// Bytes from one end to the other.
  struct Stream {
    /// Written, and not read yet.
    var pending: [UInt8] = []
    var decoder = WireFrameDecoder()
  }

  let id: ConnectionID
  let client: WireClient
  var up = Stream()
  var down = Stream()
  var isOpened = false
  /// Whether the hub waits for ``Hub/writable(_:at:)``.
  var isFull = false
  /// Whether bytes are lost without an error.
  var isDead = false
  /// Whether the hub has closed it.
  var isClosedByHub = false
  /// Whether the hub knows that it is gone.
  var isGoneAtHub = false

  init(_ id: ConnectionID, of client: WireClient) {
    self.id = id
    self.client = client
  }
}
