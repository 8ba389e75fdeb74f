/// A limit that can be configured, by its name in the protocol and in `--limit`.
///
/// - Source: deploy/README.md, "Limits".
package enum ServerLimit: String, CaseIterable, Sendable {
  // Sent to clients in `welcome`.
  case messageBytes, months, rows, windowRows, joinMilliseconds, memberMilliseconds
  case refs, undo, history, members, messagesPerSecond, runs
  // Not sent to clients.
  case connections, connectionsPerAddress, pingMilliseconds, stalledMilliseconds
  case drainMilliseconds, lockMilliseconds
  case sessions, sessionsBytes, ttlSeconds, bodyBytes, logBytes, storeBytes, bufferBytes
  case feedEvents, feedDays
  case createsPerSecond, joinsPerSecond, commandsPerSecond, readsPerSecond

  /// The default, the permitted values, and a description for the operator.
  package var facts: (standard: Int, range: ClosedRange<Int>, meaning: String) {
    switch self {
    case .messageBytes: (65_536, 1_024...1_048_576, "bytes per client message")
    case .months: (24, 1...240, "months that a member can watch")
    case .rows: (500, 1...10_000, "rows in the response to one rows request")
    case .windowRows: (200, 2...10_000, "rows of a column that are sent without a request")
    case .joinMilliseconds:
      (10_000, 100...600_000, "time for a request's headers, for a message, and until the join")
    case .memberMilliseconds: (120_000, 0...86_400_000, "time until an absent member leaves")
    case .refs: (256, 1...10_000, "refs stored per member to detect repeated commands")
    case .undo: (100, 0...10_000, "steps that can be undone")
    case .history: (1_000, 0...1_000_000, "deltas stored per session for members that resume")
    case .members: (1_000, 1...100_000, "members per session")
    case .messagesPerSecond: (50, 1...1_000_000, "messages per second and connection")
    case .runs: (400, 1...4_032, "runs of equal marks per member of an availability")
    case .connections: (16_384, 1...1_000_000, "connections in total")
    case .connectionsPerAddress:
      (4_096, 1...1_000_000, "connections per IPv4 address or IPv6 /64")
    case .drainMilliseconds:
      (5_000, 100...600_000, "time to finish commands and close connections on SIGTERM")
    case .lockMilliseconds:
      (0, 0...600_000, "time to wait at the start until another server releases the store's file")
    case .pingMilliseconds:
      (
        20_000, 250...3_600_000,
        "time between two pings; the pong must come 10 s later at the latest"
      )
    case .sessions: (100_000, 1...10_000_000, "sessions in total, and idempotency keys of 24 hours")
    case .sessionsBytes:
      (
        4_294_967_296, 16_777_216...1_099_511_627_776,
        "bytes of all sessions in memory, an estimate; with memory: also of their logs"
      )
    case .stalledMilliseconds:
      (10_000, 100...600_000, "time until a slow connection without progress is closed")
    case .bodyBytes: (4_194_304, 1_024...67_108_864, "bytes per request body")
    case .bufferBytes:
      (
        268_435_456, 1_048_576...1_099_511_627_776,
        "bytes that slow connections have not read; a quarter for bodies and the store's queue"
      )
    case .ttlSeconds:
      (
        31_536_000, 1...31_536_000,
        "maximum ttlSeconds of a session, and of the 30 days of an unused shared definition"
      )
    case .feedEvents: (1_000_000, 1...1_000_000_000, "events that the feed retains")
    case .feedDays: (30, 1...3_650, "days for which the feed retains an event")
    case .createsPerSecond:
      rate(100, "sessions and shared definitions created per second and address")
    case .joinsPerSecond: rate(100, "new members, WebSockets and event streams, likewise")
    case .commandsPerSecond:
      rate(500, "commands, and changes of shared definitions and cursors, over HTTP, likewise")
    case .readsPerSecond: rate(50, "logs read and definitions checked, likewise; months drawn: × 4")
    case .logBytes:
      (268_435_456, 65_536...1_099_511_627_776, "bytes of a session's log, including snapshots")
    case .storeBytes:
      (
        68_719_476_736, 16_777_216...1_125_899_906_842_624,
        "bytes in use in the store of all sessions"
      )
    }
  }
}

private func rate(
  _ standard: Int, _ meaning: String
) -> (standard: Int, range: ClosedRange<Int>, meaning: String) {
  (standard, 1...1_000_000, meaning)
}

extension ServerLimit {
  /// Whether SIGHUP applies a change: those of rates.
  package var isReloadable: Bool { rawValue.hasSuffix("PerSecond") }
}
