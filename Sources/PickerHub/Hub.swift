import CivilTime
package import PickerSession
package import PickerWire

/// The server without sockets, clock and disk: connections, members and sessions.
///
/// One thread owns it. Each call passes the current time and runs to completion. The hub passes
/// frames to the port within the call; only a long message to many listeners, and what a
/// write-blocked connection gets, waits in an outbox.
///
/// The hub coordinates types that own their state: what exists (``SessionDirectory``), what each
/// session in memory waits for (``HostedSession``), what happens later (``HubSchedule``), who may
/// do what (``Admission``), what is pending for each connection (``Connections``), and what its
/// listeners receive (``FanOut``). Only the hub knows all of them.
/// - Source: ARCHITECTURE.md, invariants 1 and 4.
package final class Hub {
  package private(set) var configuration: HubConfiguration
  let port: any HubPort
  let log: any SessionLog
  let zones: any ZoneSource
  package let shard: HubShard
  var identities: IdentitySource
  let admission: Admission
  let schedule: HubSchedule
  let connections: Connections
  let fanOut: FanOut
  /// All sessions, in memory or not.
  var directory: SessionDirectory
  var lookups = SessionLookups()
  /// How many requests wait until it is known that no other node owns their session.
  var confirming: [SessionID: Int] = [:]
  var definitions = DefinitionTable()
  var following = SharedFollowing()
  /// What the sessions in memory know of their inventories, by the names of their definitions.
  var inventories: [String: HubInventory] = [:]
  package let maker: DefinitionMaker
  /// The storage of the effects of an entry, empty between calls, so that a tap does not allocate
  /// it.
  var effects: [Effect] = []
  /// The connection whose command is being given, so that it need not be looked up by its member.
  var author: HubConnection?
  package let buffered = HubBuffers()
  /// The time of the current call.
  var now = HubTime(session: Instant(milliseconds: 0), machine: 0)
  /// What the hub itself counts: messages, commands, refusals, joins and resumes.
  var ownCounters = HubCounters()
  /// The WebSockets that have been opened.
  var openedCount = 0
  /// Whether the server is shutting down: it then accepts no new sessions and no joins.
  package var isDraining: Bool { reconnectSpread != nil }
  /// The range of the clients' random reconnect delays, in milliseconds; `nil` until the server
  /// shuts down.
  package internal(set) var reconnectSpread: Int?

  package init(
    _ configuration: HubConfiguration, port: any HubPort, log: any SessionLog,
    zones: any ZoneSource, texts: any TextSource, identities: IdentitySource,
    shard: HubShard = .whole
  ) {
    self.configuration = configuration
    self.port = port
    self.log = log
    self.zones = zones
    self.shard = shard
    self.identities = identities
    maker = DefinitionMaker(
      limits: configuration.definitionLimits, zones: zones, memory: shard.memory,
      digest: identities.digest)
    admission = Admission(configuration.authentication, identities)
    schedule = HubSchedule(buffered)
    connections = Connections(port, schedule, buffered, limits: configuration.limits)
    fanOut = FanOut(
      MessageEncoder(limits: configuration.limits), Languages(texts), connections)
    directory = SessionDirectory(shard, buffered)
    shard.memory.byteCountMax = configuration.limits.sessionsBytes
  }
}

extension Hub {
  /// Whether other nodes own sessions of the same log.
  package var isClustered: Bool { log.isClustered }
  var limits: ServerLimits { configuration.limits }

  /// Replaces those limits that are only compared when something new begins: sessions in total and
  /// their memory, messages per second, the maximum `ttlSeconds`, the duration of event streams.
  package func change(_ limits: ServerLimits) {
    configuration.limits.sessions = limits.sessions
    configuration.limits.sessionsBytes = limits.sessionsBytes
    shard.memory.byteCountMax = limits.sessionsBytes
    configuration.limits.messagesPerSecond = limits.messagesPerSecond
    configuration.limits.ttlSeconds = limits.ttlSeconds
  }
  package var encoder: MessageEncoder { fanOut.encoder }
  var languages: Languages { fanOut.languages }

  /// The number of sessions that have not ended, in memory or not.
  package var sessionCount: Int { directory.count }
  /// The number of sessions in memory.
  package var residentCount: Int { directory.residentCount }
  package var connectionCount: Int { connections.count }

  package var counters: HubCounters {
    var sum = ownCounters
    sum += connections.counters
    sum += fanOut.counters
    return sum
  }
}

/// The contents of a hub, for tests and the simulator.
extension Hub {
  /// The numbers of objects in a hub.
  package struct Contents: Hashable, Sendable {
    package var connections = 0
    /// Sessions in memory.
    package var sessions = 0
    /// Sessions in the log only.
    package var dormant = 0
    package var timers = 0
    package var ticks = 0
    /// The estimated memory of the sessions of all hubs, in bytes.
    package var sessionsBytes = 0

    package init() {}
  }

  package var contents: Contents {
    var contents = Contents()
    contents.connections = connections.count
    contents.sessions = directory.residentCount
    contents.dormant = directory.dormantInOrder.count
    (contents.timers, contents.ticks) = schedule.counts
    contents.sessionsBytes = shard.memory.byteCount
    return contents
  }

  /// The numbers of objects that belong to a session.
  package struct SessionContents: Hashable, Sendable {
    /// Steps whose append is pending, and those behind them.
    package var steps = 0
    package var listeners = 0
    package var connections = 0
    /// Offline members.
    package var absent = 0
    /// Members after all pending joins and returns.
    package var pending = 0

    package init() {}
  }

  package func contents(of id: SessionID) -> SessionContents? {
    guard let hosted = directory.hosted(id) else { return nil }
    var contents = SessionContents()
    contents.steps = hosted.steps.count
    contents.listeners = hosted.session.listeners.count
    contents.connections = hosted.attendance.connectionCount
    contents.absent = hosted.attendance.absentCount
    contents.pending = hosted.memberCountPending
    return contents
  }

  /// The session object, if it is in memory. The caller must not change it.
  package func session(_ id: SessionID) -> Session? { directory.hosted(id)?.session }

  /// Whether the end of a session was appended, but not stored yet.
  package func isEnding(_ id: SessionID) -> Bool { directory.hosted(id)?.isEnding ?? false }

  /// The pending messages of a connection and their bytes; `nil` if it is closed.
  package func waiting(for id: ConnectionID) -> (count: Int, byteCount: Int)? {
    connections[id]?.sending.pending
  }

  /// Whether a connection has no pending messages and is not write-blocked.
  package func isIdle(_ id: ConnectionID) -> Bool { connections[id]?.sending.isIdle ?? true }
}
