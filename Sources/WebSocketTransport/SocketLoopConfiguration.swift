import CWebSocketLoop

/// The limits and names of a ``SocketLoop``. Each has a default that suits the public network.
package struct SocketLoopConfiguration: Sendable {
  /// The WebSocket subprotocols that can be selected, each at most 62 octets. Default: none.
  package var subprotocols: [String] = []
  /// TCP connections of all kinds; one more is answered with 503. Cut to what the machine's limit
  /// of open files allows.
  package var connectionsMax = 16_384
  /// TCP connections of one IPv4 address or IPv6 /64; one more is answered with 429.
  package var addressConnectionsMax = 4_096
  /// Whether a numeric address is that of a proxy, whose connections are not limited per address.
  package var isProxy: @Sendable (_ address: String) -> Bool = { _ in false }
  /// For loops that share connections: counts those of all of them. Default: this loop is alone.
  package var connections: ConnectionCount?
  /// Octets of one message; one more is closed with 1009.
  package var messageBytesMax = 65_536
  /// Frames of one message; one more is closed with 1009.
  package var fragmentsMax = 64
  /// From a message's first octet to its last; longer is closed with 1009.
  package var assemblyMilliseconds = 10_000
  /// Octets of a request's body; one more is answered with 413.
  package var bodyBytesMax = 4_194_304
  /// Bytes of all bodies that are being received or used; a request over it is answered with 503.
  package var bodiesBytesMax = 67_108_864
  /// Counts those bytes, for all loops that have it. Default: each loop counts its own.
  package var bodies: BodyBytes?
  /// For all headers of a request, rounded up to seconds; then the connection is dropped.
  package var headerMilliseconds = 10_000
  /// For a request's body, and one second more for each 64 KiB of it; longer is hung up.
  package var bodyMilliseconds = 10_000
  /// For the handler's answer, and for the peer to read each 64 KiB of it; longer is hung up.
  package var answerMilliseconds = 60_000
  /// For the next request on a connection that is kept alive.
  package var idleSeconds = 30
  /// Between two pings.
  package var pingMilliseconds = 20_000
  /// Since the last pong, or for the acknowledgement of sent bytes by the peer's TCP; then the
  /// connection is dropped. Greater than `pingMilliseconds`.
  package var pongMilliseconds = 30_000
  /// From `close` to the end of the connection, at most.
  package var closeMilliseconds = 5_000
  /// Where lines of the transport go: one line of printable ASCII, at most 300 octets, at most 20
  /// a second. On the loop's thread. Default: nowhere.
  package var log: @Sendable (_ isError: Bool, _ line: String) -> Void = { _, _ in }

  package init() {}
}

/// Counts connections over all loops that share it, in all and per address.
///
/// `@unchecked Sendable`: C locks it.
package final class ConnectionCount: @unchecked Sendable {
  let count: OpaquePointer

  package init(connectionsMax: Int, addressConnectionsMax: Int) {
    guard
      let count = wsl_peers_create(UInt32(connectionsMax), UInt32(addressConnectionsMax))
    else { fatalError("out of memory") }
    self.count = count
  }

  deinit { wsl_peers_destroy(count) }
}

/// An IPv4 address, or the /64 prefix of an IPv6 address, as connections are counted.
package struct PeerNetwork: Hashable, Sendable {
  package let raw: UInt64

  /// - Parameter address: A numeric address; an IPv4-mapped IPv6 one is the IPv4 address. `nil` for
  ///   anything else.
  package init?(_ address: String) {
    var network: wsl_network_id = 0
    guard wsl_network(address, &network) else { return nil }
    raw = network
  }
}

/// The bytes of all bodies that are being received or used, in all loops that share this.
package final class BodyBytes: @unchecked Sendable {
  /// Changed by atomic operations only.
  let count: UnsafeMutablePointer<UInt64>

  package init() {
    count = .allocate(capacity: 1)
    count.initialize(to: 0)
  }

  deinit { count.deallocate() }
}

/// Why a loop cannot start or listen: a sentence that says what to do.
package struct SocketLoopProblem: Error, CustomStringConvertible {
  package let description: String
}

/// What a loop has counted since it was made.
package struct SocketLoopCounters: Sendable {
  /// TCP connections of all kinds, now.
  package var connections: Int
  /// Open WebSockets, now.
  package var webSockets: Int
  package var accepted: Int
  /// Connections refused because there were `connectionsMax`, or no descriptors.
  package var refusedFull: Int
  /// Connections refused because there were `addressConnectionsMax` of their address.
  package var refusedOfAddress: Int
  /// WebSockets closed for breaking RFC 6455 or a limit.
  package var failed: Int
  /// Connections hung up for being slow or silent.
  package var timedOut: Int
  package var logLinesDropped: Int

  /// Adds what another loop has counted.
  package static func += (sum: inout SocketLoopCounters, other: SocketLoopCounters) {
    sum.connections += other.connections
    sum.webSockets += other.webSockets
    sum.accepted += other.accepted
    sum.refusedFull += other.refusedFull
    sum.refusedOfAddress += other.refusedOfAddress
    sum.failed += other.failed
    sum.timedOut += other.timedOut
    sum.logLinesDropped += other.logLinesDropped
  }
}
