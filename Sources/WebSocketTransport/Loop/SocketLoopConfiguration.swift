import CWebSocketLoop

/// The limits and subprotocols of a ``SocketLoop``. The defaults are suitable for the public
/// internet.
package struct SocketLoopConfiguration: Sendable {
  /// The supported WebSocket subprotocols, each at most 62 bytes long. Default: none.
  package var subprotocols: [String] = []
  /// A path that is removed from the beginning of targets, without a trailing slash; see
  /// ``RequestTarget``.
  package var pathPrefix = ""
  /// TCP connections of all kinds; further ones are answered 503. Reduced if RLIMIT_NOFILE does not
  /// permit as many.
  package var connectionsMax = 16_384
  /// TCP connections per IPv4 address or IPv6 /64; further ones are answered 429.
  package var addressConnectionsMax = 4_096
  /// Whether there is a listener for the backend, for which some connections are kept free.
  package var hasBackendListener = false
  /// Whether an address (numeric, or `unix` for the peer of a Unix socket) belongs to a trusted
  /// proxy. Its connections are not limited per address, unless their clients are known.
  package var isProxy: @Sendable (_ address: String) -> Bool = { _ in false }
  /// The counter of loops that move connections between each other. Default: a loop that does not.
  package var connections: ConnectionCount?
  /// Finds the nodes that own sessions. A new connection then waits until the path of its first
  /// request was received; if its session has another owner, it is relayed. Default: this
  /// process owns all of them.
  package var owners: SessionOwners?
  /// Connections that wait until the owner of their session is known: all those of a node that was
  /// lost. Further ones are answered 503.
  package var lookupsMax = 8_192
  /// Whether connections can have TLS, for which they need more descriptors.
  package var hasTLS = false
  /// The length of one message; a longer one is closed with 1009.
  package var messageBytesMax = 65_536
  /// Frames of one message; more are closed with 1009.
  package var fragmentsMax = 64
  /// From a message's first byte to its last; a slower one is closed with 1009.
  package var assemblyMilliseconds = 10_000
  /// The length of a request's body; a longer one is answered 413.
  package var bodyBytesMax = 4_194_304
  /// The total of all large bodies being received or used; a request over it is answered 503.
  package var bodiesBytesMax = 67_108_864
  /// The total that `bodiesBytesMax` limits, shared by all loops with this object. Default: each
  /// loop has its own total.
  package var bodies: BodyBytes?
  /// The total of the responses and messages that clients have not read, without the first 64 KiB
  /// of each connection. A response that exceeds it is answered 503; a connection with a message
  /// that does is dropped. Default: unlimited.
  package var unsent: UnsentBytes?
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

extension wsl_limits {
  init(_ configuration: SocketLoopConfiguration, connectionsMax: Int) {
    self.init(
      connections_max: UInt32(connectionsMax),
      message_bytes_max: UInt32(configuration.messageBytesMax),
      fragments_max: UInt32(configuration.fragmentsMax),
      assembly_ms: UInt32(configuration.assemblyMilliseconds),
      body_bytes_max: UInt32(configuration.bodyBytesMax),
      header_ms: UInt32(configuration.headerMilliseconds),
      body_ms: UInt32(configuration.bodyMilliseconds),
      answer_ms: UInt32(configuration.answerMilliseconds),
      idle_seconds: UInt32(configuration.idleSeconds),
      ping_ms: UInt32(configuration.pingMilliseconds),
      pong_ms: UInt32(configuration.pongMilliseconds),
      close_ms: UInt32(configuration.closeMilliseconds))
  }
}
