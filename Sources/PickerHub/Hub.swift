import CivilTime
import PickerModel
package import PickerSession
package import PickerWire

/// The server without sockets, clock and disk: connections, members and sessions.
///
/// One thread owns it. Each call passes the current time and runs to completion. The hub hands
/// frames to the port within the call, so that no queue delays the fan-out of a tap.
/// - Source: architecture.md, properties 1 and 4.
package final class Hub {
  package let configuration: HubConfiguration
  let port: any HubPort
  let log: any SessionLog
  let zones: any ZoneSource
  package let shard: HubShard
  package let encoder: MessageEncoder
  var identities: IdentitySource
  let languages: Languages
  /// All sessions, in memory or not.
  var directory: SessionDirectory
  var connections = ConnectionTable()
  var definitions = DefinitionTable()
  /// Buffers that calls reuse, so that a tap allocates nothing: the outcomes and effects of an
  /// entry, and the recipients of one copy of a delta. Empty between calls.
  var outcomes: [Outcome] = []
  var effects: [SessionEffect] = []
  var recipients: [ConnectionID] = []
  /// The number of calls of ``full(_:)``. The fan-out compares it to see whether a connection
  /// became write-blocked while frames were encoded.
  var fullCount = 0
  /// The timers and ticks to come.
  let schedule = HubSchedule()
  /// The time of the current call.
  var now = HubTime(session: Instant(milliseconds: 0), machine: 0)
  package internal(set) var counters = HubCounters()
  /// Whether the server is shutting down: it then accepts no new sessions and no joins.
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
    directory = SessionDirectory(total: shard.total, names: shard.names)
    self.identities = identities
    languages = Languages(texts)
    encoder = MessageEncoder(limits: configuration.limits)
  }

  var limits: ServerLimits { configuration.limits }

  /// The number of sessions that have not ended, in memory or not.
  package var sessionCount: Int { directory.count }
  /// The number of sessions in memory.
  package var residentCount: Int { directory.residentCount }
  package var connectionCount: Int { connections.count }

  /// A connection is write-blocked: the port could not write a posted frame completely. It has the
  /// same meaning as a ``SendOutcome/full`` that was returned by the post.
  ///
  /// The port may call this from within any of its functions.
  package func full(_ id: ConnectionID) {
    fullCount += 1
    connections[id]?.outbox.isFull = true
  }

  /// A write-blocked connection is writable again: sends its pending messages.
  package func writable(_ id: ConnectionID, at time: HubTime) {
    guard let connection = connections[id], !connection.isClosing else { return }
    now = time
    connection.outbox.isFull = false
    connection.outbox.stalledSince = nil
    flush(connection, at: time)
  }

  /// A connection has been closed, by the peer or by the server.
  package func closed(_ id: ConnectionID, at time: HubTime) {
    now = time
    guard let connection = connections.remove(id) else { return }
    detach(connection, at: time)
    noteEnd()
  }

  /// Removes a connection from its session. Its member remains, offline. Does nothing the second
  /// time.
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
    hosted.attendance.disconnect(member, connection)
    if hosted.session.listener(of: member)?.connection == connection {
      perform(hosted.session.detach(connection), in: hosted, at: time)
      noteAbsence(of: member, in: hosted, at: time)
    }
    evictSoon(hosted)
  }

  /// Starts the time within which an offline member must reconnect (default 120 s); then it leaves.
  func noteAbsence(of member: MemberID, in hosted: HostedSession, at time: HubTime) {
    guard hosted.session.fold.members[member] != nil else { return }
    hosted.attendance.beginAbsence(of: member, at: time.machine)
    schedule.add(.absence(hosted.id, member), due: time.machine + limits.memberMilliseconds)
  }

  /// Sends an error and closes the connection. Drops its pending messages.
  ///
  /// - Parameter last: Sent instead of the error.
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

  /// The detail, cut: RFC 6455 section 5.5.1 leaves 123 bytes for a close reason.
  private func closeReason(_ detail: String) -> String {
    var reason = detail
    while reason.utf8.count > 120 { reason.removeLast() }
    return reason
  }

  /// Closes a connection because the server is shutting down. Each client gets another reconnect
  /// delay, so that they do not all reconnect at once.
  func closeDraining(_ connection: HubConnection) {
    let delay = 500 + identities.number(below: 2000)
    close(
      connection, .goingAway, "the server is shutting down",
      last: encoder.draining(reconnectAfterMilliseconds: delay))
  }

  /// Closes all connections with a reconnect delay, and stores snapshots of the sessions.
  package func drain(at time: HubTime) {
    now = time
    isDraining = true
    for connection in connections.inOrder {
      closeDraining(connection)
    }
    guard log.canLoad else { return }
    // The next process may have other zone rules or a newer model. It checks the log against the
    // stored snapshots; entries after the last snapshot would be unchecked.
    for hosted in directory.hostedInOrder where hosted.log.isAhead {
      log.storeSnapshot(of: hosted, isIdle: false, at: time)
    }
  }
}
