import PickerSession

/// A network fault at a byte offset of a conversation.
package struct WireFault: Hashable, Sendable, CustomStringConvertible {
  package enum Direction: Sendable, CaseIterable {
    case up, down
  }

  package enum Kind: Sendable, CaseIterable {
    /// The bytes before the offset arrive first, the others later: a short read of the receiver,
    /// and a short write of the hub.
    case split
    /// The connection is lost, and both ends notice it.
    case cut
    /// The connection is lost, and the write that crosses the offset fails.
    case failedWrite
    /// The connection is lost, and the hub notices it after the client has resumed.
    case cutUnnoticed
  }

  let direction: Direction
  /// The bytes of this direction before the fault, counted over all connections of the first
  /// client.
  let offset: Int
  let kind: Kind

  package var description: String { "\(kind) behind byte \(offset) \(direction)" }
}

/// A WebSocket after its handshake, as two byte streams.
final class Wire {
  /// The bytes of one direction.
  struct Stream {
    /// The bytes that were written but not read.
    var pending: [UInt8] = []
    var decoder = WireFrameDecoder()
  }

  let id: ConnectionID
  let client: WireClient
  var up = Stream()
  var down = Stream()
  var isOpened = false
  /// Whether the connection is write-blocked, so that the hub waits for ``Hub/writable(_:at:)``.
  var isFull = false
  /// Whether bytes are lost without an error.
  var isDead = false
  /// Whether the hub has closed the connection.
  var isClosedByHub = false
  /// Whether the hub knows that the connection is lost.
  var isGoneAtHub = false

  init(_ id: ConnectionID, of client: WireClient) {
    self.id = id
    self.client = client
  }
}
