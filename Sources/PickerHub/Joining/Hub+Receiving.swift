import PickerModel
package import PickerSession
import PickerWire

/// Receiving: opens connections, and passes their messages to the session.
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
    guard !isDraining else { return closeDraining(connection) }
    // If sessions are hidden, the token comes first: see `admitFirst`.
    if !admission.hidesSessions {
      guard mayExist(session) else {
        return close(connection, .noSuchSession, "session not found")
      }
      if needsLoad(session) { whenLoaded(session) { _ in } }
    }
    schedule.add(.join(id), due: time.machine + limits.joinMilliseconds)
  }

  /// Handles a message that is not one of ``received(_:_:at:)``'s straight line.
  func receive(_ text: Span<UInt8>, from connection: HubConnection, at time: HubTime) {
    if case .waiting(let inbox) = connection.phase {
      return buffer(text, of: connection, in: inbox)
    }
    guard admitFirst(text, of: connection) else { return }
    guard let hosted = hosted(of: connection) else { return receiveLater(connection, text) }
    if case .silent = connection.phase, !isCurrent(hosted.id) {
      return receiveLater(connection, text)
    }
    if hosted.isEnding {
      // Only members' connections are closed when the end is stored.
      guard case .silent = connection.phase else { return }
      let wait = waiting(connection, text)
      return enqueue(.request { wait($0 != nil) }, in: hosted, at: time)
    }
    if hosted.steps.byteCount >= 2 * limits.queueBytes {
      return close(connection, .unavailable, "too many changes of this session are pending")
    }
    let message: ClientMessage
    do throws(BadMessage) {
      message = try ClientMessage.decode(text)
    } catch {
      return close(connection, .badMessage, error.detail)
    }
    if connection.member == nil, case .join(let join) = message,
      needsHistory(join.resume, connection.token.token, in: hosted)
    {
      let wait = waiting(connection, text)
      return readHistory(of: hosted) { wait($0) }
    }
    take(message, from: connection, in: hosted, at: time)
    end(messageOf: connection, in: hosted, at: time)
  }

  /// Reports a message that waits for the log, and pauses its connection if too much is pending.
  func end(messageOf connection: HubConnection, in hosted: HostedSession, at time: HubTime) {
    if hosted.steps.isEmpty { return }
    let listenerCount = hosted.session.listeners.count
    if let done = port.waits(connection.id, listenerCount: listenerCount) {
      enqueue(.request { _ in done() }, in: hosted, at: time)
    }
    if hosted.steps.pausesConnections(byteCountMax: limits.queueBytes) {
      connections.pause(connection)
    }
  }

  /// Verifies the token of a connection's first message, if sessions are hidden.
  ///
  /// - Returns: `false` if the connection has been closed.
  private func admitFirst(_ text: Span<UInt8>, of connection: HubConnection) -> Bool {
    guard case .silent = connection.phase, connection.token.token == nil else { return true }
    let session = connection.session
    do throws(Admission.Denial) {
      let token = try admission.admitFirst(
        text, bearer: connection.bearer, to: mayExist(session) ? session : nil)
      if let token { noteToken(token, of: connection) }
      return true
    } catch {
      close(connection, error.code, error.detail)
      return false
    }
  }

  func take(
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

  /// The session of a connection, if it is in memory. The connection caches it, so that a message
  /// does not look it up by its id.
  func hosted(of connection: HubConnection) -> HostedSession? {
    if let hosted = connection.hosted, hosted.isInMemory { return hosted }
    connection.hosted = directory.hosted(connection.session)
    return connection.hosted
  }
}

/// Messages for a session that is not in memory.
extension Hub {
  private func receiveLater(_ connection: HubConnection, _ text: Span<UInt8>) {
    guard mayExist(connection.session) else {
      return isShared
        ? close(connection, .noSuchSession, "session not found")
        : close(connection, .sessionEnded, "the session has ended")
    }
    switch connection.phase {
    case .silent:
      let wait = waiting(connection, text)
      whenLoaded(connection.session) { wait($0 != nil) }
    // Not reached for a joined connection: a session with members stays in memory, and `lose`
    // closes their connections.
    case .waiting, .joined, .watching, .closing: return cannotStore(connection)
    }
  }

  /// Buffers a connection's messages from this one on, until the session is loaded.
  ///
  /// - Returns: A function that handles the buffered messages; the caller calls it with the outcome
  ///   of loading.
  private func waiting(
    _ connection: HubConnection, _ text: Span<UInt8>
  ) -> (_ isLoaded: Bool) -> Void {
    let inbox = Inbox(total: buffered)
    connection.phase = .waiting(inbox)
    buffer(text, of: connection, in: inbox)
    let id = connection.id
    return { [unowned self] isLoaded in
      if let connection = connections[id] { receiveWaiting(connection, isLoaded: isLoaded) }
    }
  }

  private func buffer(_ text: Span<UInt8>, of connection: HubConnection, in inbox: Inbox) {
    inbox.append(text)
    if inbox.byteCount >= 4 * limits.inboxBytes + limits.messageBytes {
      close(connection, .unavailable, "too many messages before the session was loaded")
    }
    if inbox.byteCount >= limits.inboxBytes { connections.pause(connection) }
  }

  /// Handles the buffered messages of a connection, or closes it if loading has failed.
  private func receiveWaiting(_ connection: HubConnection, isLoaded: Bool) {
    guard case .waiting(let inbox) = connection.phase else { return }
    guard isLoaded else { return cannotLoad(connection) }
    connection.phase = .silent
    connections.resume(connection)
    for message in inbox.messages { received(connection.id, message.span, at: now) }
  }

  /// Closes a connection whose session could not be loaded, because the log cannot be read or the
  /// memory is full, or was unloaded at once because an entry could not be stored.
  private func cannotLoad(_ connection: HubConnection) {
    guard mayExist(connection.session) else {
      return close(connection, .noSuchSession, "session not found")
    }
    guard directory.dormant(connection.session)?.isUnreadable == true else {
      return directory.isFull
        ? close(connection, .unavailable, "the memory for sessions is full; reconnect later")
        : cannotStore(connection)
    }
    close(connection, .internalError, "the stored session cannot be read; reconnect later")
  }
}

/// Back-pressure: stops reading from connections that send faster than the log stores.
extension Hub {
  /// Reads from the session's connections again if its queue is at most half full.
  func resumeConnections(of hosted: HostedSession) {
    guard !isDraining, hosted.steps.resumesConnections(byteCountMax: limits.queueBytes) else {
      return
    }
    for id in hosted.connectionsInOrder {
      if let connection = connections[id] { connections.resume(connection) }
    }
  }
}
