import CWebSocketLoop

/// The limits and subprotocols of a ``SocketLoop``. The defaults are suitable for the public
/// internet.
package struct SocketLoopConfiguration: Sendable {
  /// The supported WebSocket subprotocols, each at most 62 bytes long. Default: none.
  package var subprotocols: [String] = []
  /// TCP connections of all kinds; further ones are answered 503. Reduced if RLIMIT_NOFILE does not
  /// permit as many.
  package var connectionsMax = 16_384
  /// TCP connections per IPv4 address or IPv6 /64; further ones are answered 429.
  package var addressConnectionsMax = 4_096
  /// Whether a numeric address belongs to a proxy, whose connections are not limited per address.
  package var isProxy: @Sendable (_ address: String) -> Bool = { _ in false }
  /// The counter of loops that move connections between each other. Default: a loop that does not.
  package var connections: ConnectionCount?
  /// The length of one message; a longer one is closed with 1009.
  package var messageBytesMax = 65_536
  /// Frames of one message; more are closed with 1009.
  package var fragmentsMax = 64
  /// From a message's first byte to its last; a slower one is closed with 1009.
  package var assemblyMilliseconds = 10_000
  /// The length of a request's body; a longer one is answered 413.
  package var bodyBytesMax = 4_194_304
  /// The total of all bodies being received or used; a request that exceeds it is answered 503.
  package var bodiesBytesMax = 67_108_864
  /// The total that `bodiesBytesMax` limits, shared by all loops with this object. Default: each
  /// loop has its own total.
  package var bodies: BodyBytes?
  /// Time to receive all headers of a request, rounded up to seconds; then the connection is
  /// dropped.
  package var headerMilliseconds = 10_000
  /// Time to receive a request's body, plus one second per 64 KiB of it; then the connection is
  /// dropped.
  package var bodyMilliseconds = 10_000
  /// Time for the handler to answer, and for the peer to read each 64 KiB of the response; then the
  /// connection is dropped.
  package var answerMilliseconds = 60_000
  /// Time until the next request on a keep-alive connection.
  package var idleSeconds = 30
  /// The interval of pings.
  package var pingMilliseconds = 20_000
  /// Time since the last pong, and for the peer's TCP to acknowledge data; then the connection is
  /// dropped. Must be greater than `pingMilliseconds`.
  package var pongMilliseconds = 30_000
  /// The maximum time from `close` to the end of the connection.
  package var closeMilliseconds = 5_000
  /// Receives log lines of the transport: printable ASCII of at most 300 bytes, at most 20 lines
  /// per second. Called on the loop's thread. Default: discards them.
  package var log: @Sendable (_ isError: Bool, _ line: String) -> Void = { _, _ in }

  package init() {}
}

/// Counts the connections of all loops that share it, in total and per address.
///
/// `@unchecked Sendable`: the C implementation has a lock.
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

/// An IPv4 address, or the /64 prefix of an IPv6 address: the unit of per-address limits.
package struct PeerNetwork: Hashable, Sendable {
  package let raw: UInt64

  /// - Parameters:
  ///   - high: The first 64 bits of an IPv6 address, or of the one that maps an IPv4 address.
  ///   - low: The other 64 bits.
  package init(high: UInt64, low: UInt64) { raw = wsl_network_of_words(high, low) }
}

/// The total length of all request bodies being received or used, in all loops that share it.
package final class BodyBytes: @unchecked Sendable {
  /// Only accessed with atomic operations, by wsl_count_body() and C.
  let count: UnsafeMutablePointer<UInt64>

  package init() {
    count = .allocate(capacity: 1)
    count.initialize(to: 0)
  }

  deinit { count.deallocate() }
}

/// The reason why a loop cannot start or listen, as a sentence for the operator.
package struct SocketLoopProblem: Error, CustomStringConvertible {
  package let description: String
}

/// Gauges, and counters since the loop was created.
package struct SocketLoopCounters: Sendable {
  /// TCP connections of all kinds, now.
  package var connections: Int
  /// Open WebSockets, now.
  package var webSockets: Int
  package var accepted: Int
  /// Connections refused because of `connectionsMax` or for lack of descriptors.
  package var refusedFull: Int
  /// Connections refused because of `addressConnectionsMax`.
  package var refusedOfAddress: Int
  /// WebSockets closed for violating RFC 6455 or a limit.
  package var failed: Int
  /// Connections dropped because a time limit expired.
  package var timedOut: Int
  package var logLinesDropped: Int

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
