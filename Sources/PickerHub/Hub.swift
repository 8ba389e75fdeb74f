import CivilTime
import PickerModel
package import PickerSession
package import PickerWire

/// Connections, members and sessions: the whole server without sockets, clock or disk.
///
/// One thread owns it. Every call brings the time and runs to its end; what it sends goes through
/// the port at once, so that there is nothing between a tap and its fan-out.
/// - Source: architecture.md, properties 1 and 4.
package final class Hub {
  package let configuration: HubConfiguration
  let port: any HubPort
  let log: any SessionLog
  let zones: any ZoneSource
  /// Which sessions are this hub's.
  package let shard: HubShard
  package let encoder: MessageEncoder
  var identities: IdentitySource
  let languages: Languages
  /// All sessions, in memory or not.
  var directory: SessionDirectory
  /// How many sessions there have been in memory.
  var hostedCount = 0
  var connections = ConnectionTable()
  var definitions = DefinitionTable()
  /// Room for what comes of an entry, for what is told of it, and for those who hear one copy of a
  /// delta; empty between calls.
  var outcomes: [Outcome] = []
  var effects: [SessionEffect] = []
  var recipients: [ConnectionID] = []
  /// How often the port has told late that a connection is full.
  var fullCount = 0
  /// Sessions and connections that have ended since the queues were compacted.
  var endedCount = 0
  var timers = TimerQueue()
  var ticks = TickQueue()
  /// The latest time by the sessions' clock, to see when that clock has been set back.
  var latestSessionTime: Instant?
  /// The time of the call that is running.
  var now = HubTime(session: Instant(milliseconds: 0), machine: 0)
  /// Ticks that wait for the log.
  var pendingTickCount = 0
  package internal(set) var counters = HubCounters()
  /// Whether new sessions and joins are taken; false while the server goes away.
  package internal(set) var isDraining = false

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
    directory = SessionDirectory(total: shard.total)
    self.identities = identities
    languages = Languages(texts)
    encoder = MessageEncoder(limits: configuration.limits)
  }

  var limits: ServerLimits { configuration.limits }

  /// Sessions that have not ended, in memory or not.
  package var sessionCount: Int { directory.count }
  /// Those of them that are in memory.
  package var residentCount: Int { directory.residentCount }
  package var connectionCount: Int { connections.count }

  /// A part of what was posted to a connection waits: as ``SendOutcome/full``, told later.
  ///
  /// May come from within any call of the port.
  package func full(_ id: ConnectionID) {
    fullCount += 1
    connections[id]?.outbox.isFull = true
  }

  /// The frame that made the port answer ``SendOutcome/full`` is out.
  package func writable(_ id: ConnectionID, at time: HubTime) {
    guard let connection = connections[id], !connection.isClosing else { return }
    now = time
    connection.outbox.isFull = false
    connection.outbox.stalledSince = nil
    flush(connection, at: time)
  }

  /// A WebSocket is gone, whoever closed it.
  package func closed(_ id: ConnectionID, at time: HubTime) {
    now = time
    guard let connection = connections.remove(id) else { return }
    detach(connection, at: time)
    noteEnd()
  }

  /// Takes a connection out of its session, once. Its member stays, offline.
  func detach(_ connection: HubConnection, at time: HubTime) {
    let phase = connection.phase
    connection.phase = .closing
    guard let hosted = hosted(of: connection) else { return }
    switch phase {
    case .silent, .waiting, .closing: break
    case .watching:
      perform(hosted.session.detach(connection.id), in: hosted, at: time)
      evictSoon(hosted)
    case .joined(let member): detach(connection.id, of: member, in: hosted, at: time)
    }
  }

  private func detach(
    _ connection: ConnectionID, of member: MemberID, in hosted: HostedSession, at time: HubTime
  ) {
    if hosted.connectionOfMember[member] == connection {
      hosted.connectionOfMember[member] = nil
    }
    if hosted.session.listener(of: member)?.connection == connection {
      perform(hosted.session.detach(connection), in: hosted, at: time)
      noteAbsence(of: member, in: hosted, at: time)
    }
    evictSoon(hosted)
  }

  /// From now on the member has 120 s to come back.
  func noteAbsence(of member: MemberID, in hosted: HostedSession, at time: HubTime) {
    guard hosted.session.fold.members[member] != nil else { return }
    hosted.absentSince[member] = time.machine
    timers.add(.absence(hosted.id, member), due: time.machine + limits.memberMilliseconds)
  }

  /// Says why, and closes. What still waits for the connection is not sent any more.
  ///
  /// - Parameter last: What is said instead of an error.
  func close(
    _ connection: HubConnection, _ code: CloseCode, _ detail: String, last: Frame? = nil
  ) {
    guard !connection.isClosing else { return }
    connection.outbox.clear()
    counters.closes[code, default: 0] += 1
    detach(connection, at: now)
    let last = last ?? code.errorCode.map { encoder.error(code: $0, detail: detail) }
    port.close(connection.id, code: code.rawValue, reason: closeReason(detail), last: last)
  }

  /// A close reason has room for 123 bytes.
  private func closeReason(_ detail: String) -> String {
    var reason = detail
    while reason.utf8.count > 120 { reason.removeLast() }
    return reason
  }

  /// Tells a connection to come back later, at a time of its own, and closes it.
  func sendAway(_ connection: HubConnection) {
    let delay = 500 + identities.number(below: 2000)
    close(
      connection, .goingAway, "the server is going away",
      last: encoder.draining(reconnectAfterMilliseconds: delay))
  }

  /// Tells every member to come back later, and closes.
  package func drain(at time: HubTime) {
    now = time
    isDraining = true
    for connection in connections.inOrder {
      sendAway(connection)
    }
    guard log.canLoad else { return }
    // The next process may have other rules or zones: it compares its fold with a snapshot, and
    // can compare nothing that comes after it.
    for hosted in directory.hostedInOrder where hosted.entryCount > hosted.snapshotEntryCount {
      keepSnapshot(of: hosted, isIdle: false)
    }
  }
}
