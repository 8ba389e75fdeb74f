/// A limit that can be configured, by its name in the protocol and in `--limit`.
///
/// - Source: web/guide/definitions.md.
package enum ServerLimit: String, CaseIterable, Sendable {
  // Sent to clients in `welcome`.
  case messageBytes, months, rows, windowRows, joinMilliseconds, memberMilliseconds
  case refs, undo, history, members, messagesPerSecond, runs
  // Not sent to clients.
  case connections, connectionsPerAddress, drainMilliseconds, lockMilliseconds
  case pingMilliseconds, pongMilliseconds, headerMilliseconds, messageMilliseconds
  case sessions, sessionsBytes, idempotencyKeys
  case outboxBytes, outboxesBytes, outboxMessages, stalledMilliseconds, unsentBytes
  case bodyBytes, bodiesBytes
  case queueBytes, inboxBytes, pendingBytes
  case ttlSeconds, logBytes, storeBytes
  case ticketStreamSeconds
  case feedEvents, feedDays, feedBytes, feedMemoryBytes, feedReaders
  case createsPerSecond, createsBurst, joinsPerSecond, joinsBurst
  case commandsPerSecond, commandsBurst, checksPerSecond, checksBurst
  case drawingsPerSecond, drawingsBurst, logsPerSecond, logsBurst
  case wrongKeysPerSecond, unknownSessionsPerSecond
  case fullRateAddresses, rateBuckets
  case definitionNodes, definitionColumns, definitionMonths, definitionBlocked

  /// The default, the permitted values, and a description for the operator.
  package var facts: (standard: Int, range: ClosedRange<Int>, meaning: String) {
    switch self {
    case .messageBytes: (65_536, 1_024...1_048_576, "bytes per client message")
    case .months: (24, 1...240, "months that a member can watch")
    case .rows: (500, 1...10_000, "rows in the response to one rows request")
    case .windowRows: (200, 2...10_000, "rows of a column that are sent without a request")
    case .joinMilliseconds: (10_000, 100...600_000, "time until a connection must join")
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
    case .pingMilliseconds: (20_000, 250...3_600_000, "time between two pings")
    case .pongMilliseconds:
      (30_000, 500...3_600_000, "time without a pong or a TCP acknowledgement of sent data")
    case .headerMilliseconds: (10_000, 1_000...600_000, "time to receive the headers of a request")
    case .messageMilliseconds:
      (10_000, 100...600_000, "time from a message's first byte to its last")
    case .sessions: (100_000, 1...10_000_000, "sessions in total")
    case .sessionsBytes:
      (
        4_294_967_296, 16_777_216...1_099_511_627_776,
        "bytes of all sessions in memory, an estimate; with memory: also of their logs"
      )
    case .idempotencyKeys:
      (100_000, 1...10_000_000, "idempotency keys stored, about 300 bytes each")
    case .outboxBytes: (1_048_576, 65_536...268_435_456, "bytes buffered for a slow connection")
    case .outboxesBytes:
      (268_435_456, 1_048_576...1_099_511_627_776, "bytes buffered for all slow connections")
    case .outboxMessages: (1_000, 10...1_000_000, "messages buffered for a slow connection")
    case .stalledMilliseconds:
      (10_000, 100...600_000, "time until a slow connection without progress is closed")
    case .unsentBytes:
      (
        268_435_456, 1_048_576...1_099_511_627_776,
        "bytes of responses and messages that clients have not read"
      )
    case .bodyBytes: (4_194_304, 1_024...67_108_864, "bytes per request body")
    case .bodiesBytes:
      (67_108_864, 1_048_576...68_719_476_736, "bytes of all request bodies over 16 KiB in memory")
    case .ttlSeconds: (31_536_000, 1...31_536_000, "maximum ttlSeconds of a session")
    case .ticketStreamSeconds:
      (86_400, 1...86_400, "duration of an event stream that was opened with a ticket")
    case .feedEvents: (1_000_000, 1...1_000_000_000, "events that the feed retains")
    case .feedDays: (30, 1...3_650, "days for which the feed retains an event")
    case .feedBytes:
      (1_073_741_824, 65_536...1_099_511_627_776, "bytes of the feed's events in a store")
    case .feedMemoryBytes:
      (67_108_864, 65_536...68_719_476_736, "bytes of the feed's events without a store")
    case .feedReaders: (64, 1...10_000, "requests that read the feed at the same time")
    case .createsPerSecond: rate(100, "sessions created per second and address")
    case .createsBurst: burst(1_000, "sessions created per address in a burst")
    case .joinsPerSecond: rate(100, "new members, WebSockets and event streams, likewise")
    case .joinsBurst: burst(1_000, "new members, WebSockets and event streams in a burst")
    case .commandsPerSecond: rate(500, "commands posted over HTTP per second and address")
    case .commandsBurst: burst(5_000, "commands posted over HTTP per address in a burst")
    case .checksPerSecond: rate(50, "definitions checked per second and address")
    case .checksBurst: burst(500, "definitions checked per address in a burst")
    case .drawingsPerSecond: rate(200, "months drawn per second and address")
    case .drawingsBurst: burst(2_000, "months drawn per address in a burst")
    case .logsPerSecond: rate(50, "logs read per second and address")
    case .logsBurst: burst(500, "logs read per address in a burst")
    case .wrongKeysPerSecond: rate(10, "requests with a wrong API key per second and address")
    case .unknownSessionsPerSecond:
      rate(50, "ids per second and address that a PostgreSQL store does not have")
    case .fullRateAddresses:
      (10, 1...100_000, "limit of all addresses together, as a multiple of these rates")
    case .rateBuckets:
      (65_536, 1...10_000_000, "addresses whose rates are stored, about 100 bytes each")
    case .queueBytes:
      (1_048_576, 65_536...268_435_456, "bytes of a session's commands queued for its log")
    case .inboxBytes:
      (65_536, 1_024...268_435_456, "bytes queued per connection while its session is loaded")
    case .pendingBytes:
      (67_108_864, 1_048_576...68_719_476_736, "bytes of all records pending for the store")
    case .logBytes:
      (268_435_456, 65_536...1_099_511_627_776, "bytes of a session's log, including snapshots")
    case .storeBytes:
      (
        68_719_476_736, 16_777_216...1_125_899_906_842_624,
        "bytes in use in the store of all sessions"
      )
    case .definitionNodes: (20_000, 1...1_000_000, "nodes of a cascade, rows of columns")
    case .definitionColumns: (32, 1...32, "columns per picker")
    case .definitionMonths: (12_000, 1...119_986, "months per calendar")
    case .definitionBlocked: (1_000, 0...100_000, "blocked entries per calendar")
    }
  }
}

private func rate(
  _ standard: Int, _ meaning: String
) -> (standard: Int, range: ClosedRange<Int>, meaning: String) {
  (standard, 1...1_000_000, meaning)
}

private func burst(
  _ standard: Int, _ meaning: String
) -> (standard: Int, range: ClosedRange<Int>, meaning: String) {
  (standard, 1...1_000_000, meaning)
}

extension ServerLimit {
  /// Whether SIGHUP applies a change. Limits of sessions and of connections that exist need a
  /// restart.
  package var isReloadable: Bool {
    switch self {
    case .messagesPerSecond, .sessions, .sessionsBytes, .ttlSeconds, .ticketStreamSeconds,
      .drainMilliseconds:
      true
    case .createsPerSecond, .createsBurst, .joinsPerSecond, .joinsBurst, .commandsPerSecond,
      .commandsBurst, .checksPerSecond, .checksBurst, .drawingsPerSecond, .drawingsBurst,
      .logsPerSecond, .logsBurst, .wrongKeysPerSecond, .unknownSessionsPerSecond,
      .fullRateAddresses, .rateBuckets:
      true
    case .messageBytes, .months, .rows, .windowRows, .joinMilliseconds, .memberMilliseconds, .refs,
      .undo, .history, .members, .runs, .connections, .connectionsPerAddress, .lockMilliseconds,
      .pingMilliseconds, .pongMilliseconds, .headerMilliseconds, .messageMilliseconds,
      .idempotencyKeys, .outboxBytes, .outboxesBytes, .outboxMessages, .stalledMilliseconds,
      .unsentBytes, .bodyBytes, .bodiesBytes, .queueBytes, .inboxBytes, .pendingBytes, .logBytes,
      .storeBytes, .feedEvents, .feedDays, .feedBytes, .feedMemoryBytes, .feedReaders,
      .definitionNodes, .definitionColumns, .definitionMonths, .definitionBlocked:
      false
    }
  }
}
