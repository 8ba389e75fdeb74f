import CWebSocketLoop

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
  /// WebSockets closed for violating RFC 6455 or a limit, by close code.
  package var failures: CloseCodeCounts
  /// WebSockets that the peer has closed, or that were lost, by close code.
  package var left: CloseCodeCounts
  /// Connections dropped because a time limit expired.
  package var timedOut: Int
  package var logLinesDropped: Int
  /// Connections that are relayed to other nodes, now; they are counted in `connections`.
  package var relays: Int
  /// Connections that were relayed.
  package var relayed: Int
  /// Connections whose node could not be reached.
  package var relaysFailed: Int
  /// Bytes of clients that were passed to other nodes.
  package var bytesRelayedToNodes: Int
  /// Bytes of other nodes that were passed to clients.
  package var bytesRelayedToClients: Int

  package var failed: Int { failures.total }

  /// What is counted before a connection is passed to C.
  struct Own {
    var accepted = 0
    var refusedFull = 0
    var refusedOfAddress = 0
    var relaysFailed = 0
    var logLinesDropped = 0
  }

  /// - Parameter own: The rest, with those of connections that are being accepted.
  init(_ counted: wsl_counters, adding own: SocketLoopCounters.Own) {
    relays = Int(counted.relays)
    connections = Int(counted.connections)
    webSockets = Int(counted.websockets)
    accepted = own.accepted
    refusedFull = own.refusedFull
    refusedOfAddress = own.refusedOfAddress
    failures = withUnsafeBytes(of: counted.failed) { CloseCodeCounts($0) }
    left = withUnsafeBytes(of: counted.left) { CloseCodeCounts($0) }
    timedOut = Int(counted.timed_out)
    logLinesDropped = own.logLinesDropped
    relayed = Int(counted.relayed)
    relaysFailed = Int(counted.relays_failed) + own.relaysFailed
    bytesRelayedToNodes = Int(counted.relayed_to_nodes)
    bytesRelayedToClients = Int(counted.relayed_to_clients)
  }

  package static func += (sum: inout SocketLoopCounters, other: SocketLoopCounters) {
    sum.connections += other.connections
    sum.webSockets += other.webSockets
    sum.accepted += other.accepted
    sum.refusedFull += other.refusedFull
    sum.refusedOfAddress += other.refusedOfAddress
    sum.failures += other.failures
    sum.left += other.left
    sum.timedOut += other.timedOut
    sum.logLinesDropped += other.logLinesDropped
    sum.relays += other.relays
    sum.relayed += other.relayed
    sum.relaysFailed += other.relaysFailed
    sum.bytesRelayedToNodes += other.bytesRelayedToNodes
    sum.bytesRelayedToClients += other.bytesRelayedToClients
  }
}

/// Closed WebSockets by close code. Codes other than 1000 to 1015 are counted together.
package struct CloseCodeCounts: Sendable {
  private var counts: [Int]

  init(_ counted: UnsafeRawBufferPointer) {
    counts = counted.bindMemory(to: UInt64.self).map { Int($0) }
  }

  package var total: Int { counts.reduce(0, +) }

  /// The codes with a count above 0, as texts: `1002`, `other`.
  package var byCode: [(code: String, count: Int)] {
    counts.enumerated().filter { $0.element > 0 }.map { offset, count in
      (offset < Int(WSL_CLOSE_CODES) - 1 ? "\(1000 + offset)" : "other", count)
    }
  }

  package static func += (sum: inout CloseCodeCounts, other: CloseCodeCounts) {
    for index in sum.counts.indices { sum.counts[index] += other.counts[index] }
  }
}
