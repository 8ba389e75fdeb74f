/// The limits and names of a ``SocketLoop``. Each has a default that suits the public network.
package struct SocketLoopConfiguration: Sendable {
  /// The WebSocket subprotocols that can be selected, each at most 62 octets. Default: none.
  package var subprotocols: [String] = []
  /// TCP connections of all kinds; one more is answered with 503. Cut to what the machine's limit
  /// of open files allows.
  package var connectionsMax = 16_384
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
  /// For all headers of a request; longer is hung up.
  package var requestSeconds = 10
  /// For a request's body, and one second more for each 64 KiB of it; longer is hung up.
  package var bodyMilliseconds = 10_000
  /// For the handler's answer, and for the peer to read each 64 KiB of it; longer is hung up.
  package var answerMilliseconds = 60_000
  /// For the next request on a connection that is kept alive.
  package var idleSeconds = 30
  /// Between two pings.
  package var pingMilliseconds = 20_000
  /// Since the last pong; longer is hung up. Above `pingMilliseconds`.
  package var pongMilliseconds = 30_000
  /// From `close` to the end of the connection, at most.
  package var closeMilliseconds = 5_000
  /// Where lines of the transport go: one line of printable ASCII, at most 300 octets, at most 20
  /// a second. On the loop's thread. Default: nowhere.
  package var log: @Sendable (_ isError: Bool, _ line: String) -> Void = { _, _ in }

  package init() {}
}

/// How many connections there are, in all loops that share this.
package final class ConnectionCount: @unchecked Sendable {
  /// Changed by atomic operations only.
  let open: UnsafeMutablePointer<UInt32>

  package init() {
    open = .allocate(capacity: 1)
    open.initialize(to: 0)
  }

  deinit { open.deallocate() }
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
    sum.failed += other.failed
    sum.timedOut += other.timedOut
    sum.logLinesDropped += other.logLinesDropped
  }
}
