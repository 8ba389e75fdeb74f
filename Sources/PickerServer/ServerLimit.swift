/// A maximum that the server can be told, by the name it has on the wire and in `--limit`.
///
/// - Source: protocol.md, `limits`, `ttlSeconds`, bodies; rules.md, "Limits of a definition".
package enum ServerLimit: String, CaseIterable, Sendable {
  // What `welcome` tells a client.
  case messageBytes, months, rows, windowRows, joinMilliseconds, memberMilliseconds
  case refs, undo, history, members, messagesPerSecond
  // What it meets otherwise.
  case connections, connectionsPerAddress
  case pingMilliseconds, pongMilliseconds, headerMilliseconds, messageMilliseconds
  case sessions, outboxBytes, outboxMessages, stalledMilliseconds
  case bodyBytes, bodiesBytes
  case queueBytes, inboxBytes, pendingBytes
  case ttlSeconds, logBytes
  case ticketStreamSeconds
  case createsPerSecond, createsBurst, joinsPerSecond, joinsBurst
  case commandsPerSecond, commandsBurst, checksPerSecond, checksBurst
  case drawingsPerSecond, drawingsBurst, logsPerSecond, logsBurst
  case fullRateAddresses, rateBuckets
  case definitionNodes, definitionColumns, definitionMonths, definitionBlocked

  /// What holds when nothing else is said, the values that can be said, and what it limits.
  package var facts: (standard: Int, range: ClosedRange<Int>, meaning: String) {
    switch self {
    case .messageBytes: (65_536, 1_024...1_048_576, "bytes of a client's message")
    case .months: (24, 1...240, "months that a member may look at")
    case .rows: (500, 1...10_000, "rows that one request for rows is given")
    case .windowRows: (200, 2...10_000, "rows of a column that are sent unasked")
    case .joinMilliseconds: (10_000, 100...600_000, "time until a connection must join")
    case .memberMilliseconds: (120_000, 0...86_400_000, "time a member may be absent")
    case .refs: (256, 1...10_000, "refs remembered for a member")
    case .undo: (100, 0...10_000, "steps that can be undone")
    case .history: (1_000, 0...1_000_000, "deltas kept for members who resume")
    case .members: (1_000, 1...100_000, "members of a session")
    case .messagesPerSecond: (50, 1...1_000_000, "messages a second from a connection")
    case .connections: (16_384, 1...1_000_000, "connections in all")
    case .connectionsPerAddress:
      (4_096, 1...1_000_000, "connections of one IPv4 address or IPv6 /64")
    case .pingMilliseconds: (20_000, 250...3_600_000, "time between two pings")
    case .pongMilliseconds:
      (30_000, 500...3_600_000, "time without a pong or TCP acknowledgement")
    case .headerMilliseconds: (10_000, 1_000...600_000, "time for the headers of a request")
    case .messageMilliseconds:
      (10_000, 100...600_000, "time from a message's first byte to its last")
    case .sessions: (100_000, 1...10_000_000, "sessions in all")
    case .outboxBytes: (1_048_576, 65_536...268_435_456, "bytes that wait for one slow reader")
    case .outboxMessages: (1_000, 10...1_000_000, "messages that wait for one slow reader")
    case .stalledMilliseconds:
      (10_000, 100...600_000, "time that a slow reader may read nothing")
    case .bodyBytes: (4_194_304, 1_024...67_108_864, "bytes of a request's body")
    case .bodiesBytes:
      (67_108_864, 1_048_576...68_719_476_736, "bytes of the bodies of all requests")
    case .ttlSeconds: (31_536_000, 1...31_536_000, "the longest ttlSeconds of a session")
    case .ticketStreamSeconds:
      (86_400, 1...86_400, "seconds that a stream opened by a ticket goes on")
    case .createsPerSecond: rate(100, "sessions an address may create in a second")
    case .createsBurst: burst(1_000, "sessions an address may create at once")
    case .joinsPerSecond: rate(100, "members, WebSockets and event streams, likewise")
    case .joinsBurst: burst(1_000, "members, WebSockets and event streams at once")
    case .commandsPerSecond: rate(500, "posted commands of an address in a second")
    case .commandsBurst: burst(5_000, "posted commands of an address at once")
    case .checksPerSecond: rate(50, "definitions an address may have checked in a second")
    case .checksBurst: burst(500, "definitions an address may have checked at once")
    case .drawingsPerSecond: rate(200, "drawn months for an address in a second")
    case .drawingsBurst: burst(2_000, "drawn months for an address at once")
    case .logsPerSecond: rate(50, "logs read by an address in a second")
    case .logsBurst: burst(500, "logs read by an address at once")
    case .fullRateAddresses:
      (10, 1...100_000, "all addresses together may do this many times those rates")
    case .rateBuckets:
      (65_536, 1...10_000_000, "rates of addresses remembered, about 100 bytes each")
    case .queueBytes:
      (1_048_576, 65_536...268_435_456, "bytes of a session's commands that wait for its log")
    case .inboxBytes:
      (65_536, 1_024...268_435_456, "bytes of a connection's messages while its session is loaded")
    case .pendingBytes:
      (67_108_864, 1_048_576...68_719_476_736, "bytes of all records that wait for the store")
    case .logBytes:
      (268_435_456, 65_536...1_099_511_627_776, "bytes of a session's log, snapshots included")
    case .definitionNodes: (20_000, 1...1_000_000, "nodes of a cascade, rows of columns")
    case .definitionColumns: (32, 1...32, "columns of a picker")
    case .definitionMonths: (12_000, 1...119_986, "months of a calendar")
    case .definitionBlocked: (1_000, 0...100_000, "blocked entries of a calendar")
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

/// A value for every ``ServerLimit``.
package struct LimitSettings: Hashable, Sendable {
  private var changed: [ServerLimit: Int] = [:]

  package init() {}

  /// Reads settings such as `members=50`; of the same name the last one counts.
  ///
  /// - Throws: ``ConfigurationProblem`` for an unknown name, or a value that is no integer in its
  ///   range.
  package init(settings: some Sequence<String>) throws(ConfigurationProblem) {
    for setting in settings {
      let parts = setting.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2, let limit = ServerLimit(rawValue: String(parts[0])) else {
        throw ConfigurationProblem(
          option: "--limit",
          detail: "\(ConfigurationProblem.shown(setting)) names no limit. Write NAME=NUMBER with "
            + "one of " + ServerLimit.allCases.map(\.rawValue).joined(separator: ", ") + ".")
      }
      let range = limit.facts.range
      guard let value = Int(parts[1]), range.contains(value) else {
        throw ConfigurationProblem(
          option: "--limit",
          detail: "\(limit.rawValue) cannot be \(ConfigurationProblem.shown(String(parts[1]))). "
            + "It is a number from \(range.lowerBound) to \(range.upperBound): "
            + limit.facts.meaning + ".")
      }
      changed[limit] = value == limit.facts.standard ? nil : value
    }
  }

  /// Checks limits against each other.
  func check() throws(ConfigurationProblem) {
    guard self[.pongMilliseconds] > self[.pingMilliseconds] else {
      throw ConfigurationProblem(
        option: "--limit",
        detail: "pongMilliseconds must be greater than pingMilliseconds: no pong can come before "
          + "the first ping.")
    }
  }

  package subscript(limit: ServerLimit) -> Int { changed[limit] ?? limit.facts.standard }
}
