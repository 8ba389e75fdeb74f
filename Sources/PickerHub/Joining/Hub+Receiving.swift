import PickerModel
package import PickerSession
import PickerWire

/// From a connection's messages to its session.
extension Hub {
  /// A WebSocket has been opened for a session.
  ///
  /// - Parameter bearer: The token of its `Authorization` header, if any.
  package func opened(
    _ id: ConnectionID, session: SessionID, bearer: String?, at time: HubTime
  ) {
    now = time
    let connection = HubConnection(id: id, session: session, bearer: bearer)
    connections.insert(connection)
    guard !isDraining else { return sendAway(connection) }
    guard directory.exists(session) else {
      return close(connection, .noSuchSession, "session not found")
    }
    if case .dormant = directory[session] { whenLoaded(session) { _ in } }
    timers.add(.join(id), due: time.machine + limits.joinMilliseconds)
  }

  /// A whole text message has come.
  package func received(_ id: ConnectionID, _ text: Span<UInt8>, at time: HubTime) {
    guard let connection = connections[id], !connection.isClosing else { return }
    now = time
    counters.messagesIn += 1
    if case .waiting(let inbox) = connection.phase { return hold(text, of: connection, in: inbox) }
    guard let hosted = hosted(of: connection) else { return receiveLater(connection, text) }
    if hosted.isEnding { return }
    if hosted.stepByteCount >= 2 * limits.queueBytes {
      return close(connection, .unavailable, "too much of this session waits for the store")
    }
    let message: ClientMessage
    do throws(BadMessage) {
      message = try ClientMessage.decode(text)
    } catch {
      return close(connection, .badMessage, error.detail)
    }
    if connection.member == nil, case .join(let join) = message,
      needsHistory(join.resume, in: hosted)
    {
      let wait = waiting(connection, text)
      return readHistory(of: hosted) { wait($0) }
    }
    take(message, from: connection, in: hosted, at: time)
    if hosted.stepByteCount >= limits.queueBytes { pause(connection, for: hosted) }
  }

  private func take(
    _ message: consuming ClientMessage, from connection: HubConnection, in hosted: HostedSession,
    at time: HubTime
  ) {
    guard let member = connection.member else {
      guard case .join(let join) = message else {
        return close(connection, .badMessage, "the first message must be join")
      }
      return self.join(connection, join, hosted, at: time)
    }
    if case .join = message {
      return close(connection, .badMessage, "join was already sent on this connection")
    }
    handle(message, from: connection, member, in: hosted, at: time)
  }

  /// The session of a connection, if it is in memory. Looked up by its id only once.
  func hosted(of connection: HubConnection) -> HostedSession? {
    if let hosted = connection.hosted, hosted.isInMemory { return hosted }
    connection.hosted = directory.hosted(connection.session)
    return connection.hosted
  }
}

/// Messages for a session that is not in memory.
extension Hub {
  private func receiveLater(_ connection: HubConnection, _ text: Span<UInt8>) {
    guard directory.exists(connection.session) else {
      return close(connection, .sessionEnded, "the session has ended")
    }
    switch connection.phase {
    case .silent:
      let wait = waiting(connection, text)
      whenLoaded(connection.session) { wait($0 != nil) }
    // A session with members is in memory, and closes their connections when it is lost.
    case .waiting, .joined, .watching, .closing: return cannotStore(connection)
    }
  }

  /// Has a connection's messages wait, of which this is the first.
  ///
  /// - Returns: To be called when the session has been loaded, or cannot be.
  private func waiting(
    _ connection: HubConnection, _ text: Span<UInt8>
  ) -> (_ isLoaded: Bool) -> Void {
    let inbox = Inbox()
    connection.phase = .waiting(inbox)
    hold(text, of: connection, in: inbox)
    let id = connection.id
    return { [unowned self] isLoaded in
      if let connection = connections[id] { receiveWaiting(connection, isLoaded: isLoaded) }
    }
  }

  private func hold(_ text: Span<UInt8>, of connection: HubConnection, in inbox: Inbox) {
    inbox.append(text)
    if inbox.byteCount >= 4 * limits.inboxBytes + limits.messageBytes {
      return close(connection, .unavailable, "too many messages before the session was loaded")
    }
    if inbox.byteCount >= limits.inboxBytes { pause(connection) }
  }

  /// The session of a connection has been loaded, or cannot be.
  private func receiveWaiting(_ connection: HubConnection, isLoaded: Bool) {
    guard case .waiting(let inbox) = connection.phase else { return }
    guard isLoaded else {
      return close(
        connection, .unavailable, "the store is unavailable; reconnect later")
    }
    connection.phase = .silent
    resume(connection)
    for message in inbox.messages { received(connection.id, message.span, at: now) }
  }
}

/// Back-pressure on connections that send more than their session can take.
extension Hub {
  private func pause(_ connection: HubConnection) {
    guard !connection.isPaused, !connection.isClosing else { return }
    connection.isPaused = true
    port.pause(connection.id)
  }

  private func resume(_ connection: HubConnection) {
    guard connection.isPaused else { return }
    connection.isPaused = false
    port.resume(connection.id)
  }

  /// Stops reading from a connection until less of its session waits for the log.
  private func pause(_ connection: HubConnection, for hosted: HostedSession) {
    hosted.hasPausedConnections = true
    pause(connection)
  }

  /// Reads again from the session's connections, if half of its queue is free.
  func resumeConnections(of hosted: HostedSession) {
    guard hosted.stepByteCount <= limits.queueBytes / 2 else { return }
    hosted.hasPausedConnections = false
    for id in hosted.connectionsInOrder {
      if let connection = connections[id] { resume(connection) }
    }
  }
}
