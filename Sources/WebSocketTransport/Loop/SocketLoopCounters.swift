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
