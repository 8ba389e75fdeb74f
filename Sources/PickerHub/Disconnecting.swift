import PickerModel
package import PickerSession
import PickerWire

/// Back-pressure, closing connections and removing them from their sessions.
extension Hub {
  /// A connection is write-blocked: the port could not write a posted frame completely. Equivalent
  /// to ``SendOutcome/writeBlocked`` returned by the post.
  ///
  /// The port may call this from within any of its functions.
  package func writeBlocked(_ id: ConnectionID) {
    connections.writeBlocked(id)
  }

  /// A write-blocked connection is writable again: sends its pending messages.
  package func writable(_ id: ConnectionID, at time: HubTime) {
    guard let connection = connections[id], !connection.isClosing else { return }
    now = time
    connections.writable(connection)
    guard let hosted = hosted(of: connection), !hosted.isEnding else { return }
    flush(connection, in: hosted, at: time)
  }

  /// A connection has been closed, by the peer or by the server.
  package func closed(_ id: ConnectionID, at time: HubTime) {
    now = time
    guard let connection = connections.remove(id) else { return }
    detach(connection, at: time)
    noteEnd()
  }

  /// Removes a connection from its session. Idempotent. Its member remains, offline.
  func detach(_ connection: HubConnection, at time: HubTime) {
    let phase = connection.phase
    connection.phase = .closing
    // The session may leave memory before the peer has answered the close frame.
    defer { connection.hosted = nil }
    guard let hosted = hosted(of: connection) else { return }
    switch phase {
    case .silent, .waiting, .closing: break
    case .watching:
      perform(hosted.session.detach(connection.id), in: hosted, at: time)
      evictSoon(hosted)
    case .joined(let member): detach(connection, of: member, in: hosted, at: time)
    }
  }

  private func detach(
    _ connection: HubConnection, of member: MemberID, in hosted: HostedSession, at time: HubTime
  ) {
    hosted.attendance.disconnect(member, connection.id)
    if connection.isListening {
      let isReplaced = hosted.attendance.connection(of: member) != nil
      let effects = hosted.session.detach(connection.id, isReplaced: isReplaced)
      perform(effects, in: hosted, at: time)
      if !hosted.session.isOnline(member) { noteAbsence(of: member, in: hosted, at: time) }
    }
    evictSoon(hosted)
  }

  /// Starts the timer (default 120 s) after which an offline member leaves unless it reconnects.
  func noteAbsence(of member: MemberID, in hosted: HostedSession, at time: HubTime) {
    guard hosted.session.fold.members[member] != nil else { return }
    hosted.attendance.beginAbsence(of: member, at: time.machine)
    schedule.add(.absence(hosted.id, member), due: time.machine + limits.memberMilliseconds)
  }

  /// Drops pending messages, sends the code's error, if any, and closes.
  ///
  /// - Parameter last: Sent instead of the error.
  func close(
    _ connection: HubConnection, _ code: CloseCode, _ detail: String, last: Frame? = nil
  ) {
    guard !connection.isClosing else { return }
    detach(connection, at: now)
    let last = last ?? code.errorCode.map { encoder.error(code: $0, detail: detail) }
    connections.close(connection, code, detail, last: last)
  }

  /// Closes the connections whose outboxes overflowed during the last deliveries.
  func closeOverflowing() {
    while let connection = connections.nextOverflowing() {
      close(connection, .tooSlow, "more than \(limits.outboxMessages) messages are pending")
    }
  }

  /// Closes a connection because the server is shutting down. Each client's reconnect delay is
  /// random, so that they do not all reconnect at once.
  func closeDraining(_ connection: HubConnection) {
    let delay = 500 + identities.number(below: reconnectSpread ?? 500)
    close(
      connection, .goingAway, "the server is shutting down",
      last: encoder.draining(reconnectAfterMilliseconds: delay))
  }

  /// Spreads the reconnections of many clients over a longer time: at most 5 per millisecond, which
  /// a single loop of the next server can resume. Few clients are back within a second.
  private func beginDraining() {
    guard !isDraining else { return }
    reconnectSpread = min(2_000, max(500, connections.count / 5))
  }

  /// Stops reading from all connections, so that received commands can be stored and answered
  /// before ``drain(isPatient:at:)``.
  package func finishCommands() {
    beginDraining()
    for connection in connections.inOrder { connections.pause(connection) }
  }

  /// Closes connections with a reconnect delay, and stores snapshots of the sessions.
  ///
  /// - Parameter isPatient: Whether those stay open to which answers or updates are still to be
  ///   sent: closing drops what is pending.
  /// - Returns: Whether none stays open.
  @discardableResult
  package func drain(isPatient: Bool = false, at time: HubTime) -> Bool {
    now = time
    beginDraining()
    var isDone = true
    for connection in connections.inOrder where !connection.isClosing {
      if isPatient, !connection.sending.isIdle {
        isDone = false
      } else {
        closeDraining(connection)
      }
    }
    storeLastSnapshots()
    return isDone
  }

  private func storeLastSnapshots() {
    guard log.canLoad else { return }
    // The next process may have other zone rules or a newer model. It checks the log against the
    // stored snapshots; entries after the last snapshot would be unchecked.
    for hosted in directory.hostedInOrder where hosted.log.isAhead {
      log.storeSnapshot(of: hosted, isIdle: false, at: now)
    }
  }
}
