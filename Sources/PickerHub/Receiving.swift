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
    openedCount += 1
    connection.number = openedCount
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
      return isClustered
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
    if lacksMemory(for: connection.session) {
      return close(connection, .unavailable, HubProblem.noMemoryDetail)
    }
    guard directory.dormant(connection.session)?.isUnreadable == true else {
      return cannotStore(connection)
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

extension Hub {
  /// Handles a message of a member. Everything that gets an answer is queued as a step, so that
  /// answers come in the order of the messages.
  func handle(
    _ message: ClientMessage, from connection: HubConnection, _ member: MemberID,
    in hosted: HostedSession, at time: HubTime
  ) {
    if case .leave = message { return leave(connection, member, in: hosted, at: time) }
    let verdict = connection.rate.count(at: time.machine, countMax: limits.messagesPerSecond)
    if verdict == .farOver {
      return closeTooFast(connection)
    }
    switch message {
    case .selectWithBadKey(let ref, let command):
      guard takeRole(of: connection, member, in: hosted, at: time) else {
        return cannotStore(connection)
      }
      if isStale(command, in: hosted) {
        close(connection, .badMessage, "key must be a string")
      } else {
        let reason: UnstoredReason? = verdict == .over ? .rate : nil
        submit(command, ref: ref, by: member, unless: reason, to: hosted, at: time)
      }
    case .command(let ref, let command, let precondition):
      give(
        command, if: precondition, ref: ref, isOverRate: verdict == .over, from: connection, member,
        in: hosted, at: time)
    case .months(let view):
      if verdict == .over { return enqueueRefusal(tooMany, connection, hosted, at: time) }
      look(connection, at: view, in: hosted, at: time)
    case .rows(let column, let from, let count):
      if verdict == .over { return enqueueRefusal(tooMany, connection, hosted, at: time) }
      sendRows(connection, column: column, from: from, count: count, in: hosted, at: time)
    case .find(let request):
      find(request, connection, isOverRate: verdict == .over, in: hosted, at: time)
    case .token(let renewal):
      guard let verifier = admission.verifier else {
        guard let ref = renewal.ref else { return }
        submit(
          .unknown(type: "token"), ref: ref, by: member,
          unless: verdict == .over ? .rate : nil, to: hosted, at: time)
        return
      }
      if verdict == .over { return enqueueRefusal(tooMany, connection, hosted, at: time) }
      guard let token = renewal.token else {
        return close(connection, .badMessage, "token must be a string")
      }
      renew(token, verifier, of: connection, member, in: hosted, at: time)
    case .touch(let touch): self.touch(touch, connection, member, in: hosted, at: time)
    case .ignored, .join, .leave: break
    }
  }

  func closeTooFast(_ connection: HubConnection) {
    close(
      connection, .tooManyMessages,
      "more than ten times the limit of \(limits.messagesPerSecond) messages a second")
  }

  /// Closes a connection when the messages before `leave` are answered. The member leaves when the
  /// entry is applied, also if its client has closed the connection meanwhile, but not if it has
  /// come back.
  private func leave(
    _ connection: HubConnection, _ member: MemberID, in hosted: HostedSession, at time: HubTime
  ) {
    connection.isLeaving = true
    enqueue(
      .look { [unowned self] hosted in
        let isGone =
          connection.isClosing && hosted.attendance.connection(of: member) == nil
          && !hosted.session.isOnline(member)
        guard connection.member == member || isGone, hosted.session.fold.members[member] != nil
        else { return }
        append(.left(member), to: hosted, at: now)
        close(connection, .normal, "left")
      }, in: hosted, at: time)
  }

  /// Whether a select is for an older generation of its column: only then its key is read.
  private func isStale(_ command: Command, in hosted: HostedSession) -> Bool {
    if case .act(let action) = command { hosted.session.fold.picker.isStale(action) } else { false }
  }

  private var tooMany: Refusal {
    Refusal(.tooMany, "more than \(limits.messagesPerSecond) messages a second; try again later")
  }

  private func look(
    _ connection: HubConnection, at view: MonthView, in hosted: HostedSession, at time: HubTime
  ) {
    guard hosted.session.fold.definition.kind.showsMonths else {
      let refusal = Refusal(.wrongKind, "months is supported for calendars only")
      return enqueueRefusal(refusal, connection, hosted, at: time)
    }
    let view = cut(view)
    enqueue(
      .look { [unowned self] hosted in
        hosted.session.look(connection.id, at: view)
        let frame = encoder.months(view, in: hosted.session.fold, texts: connection.texts)
        deliver(.updates(frame), connection)
      }, in: hosted, at: time)
  }

  private func sendRows(
    _ connection: HubConnection, column: Int, from: Int, count: Int, in hosted: HostedSession,
    at time: HubTime
  ) {
    enqueue(
      .look { [unowned self] hosted in
        let columns = hosted.session.fold.picker.columns
        guard hosted.session.fold.definition.kind.hasColumns else {
          let refusal = Refusal(.wrongKind, "rows is supported for pickers with columns only")
          return refuse(refusal, connection, hosted)
        }
        guard columns.indices.contains(column) else {
          return refuse(.noSuchColumn(column, of: columns.count), connection, hosted)
        }
        let last = columns[column].rows.count
        let start = max(0, min(from, last))
        let wanted = max(0, min(count, limits.session.rows))
        let (end, overflow) = from.addingReportingOverflow(wanted)
        let stop = overflow ? last : max(start, min(end, last))
        let frame = encoder.rows(
          column: column, start..<stop, in: hosted.session.fold, texts: connection.texts)
        deliver(.updates(frame), connection)
      }, in: hosted, at: time)
  }

  private func touch(
    _ touch: Touch, _ connection: HubConnection, _ member: MemberID, in hosted: HostedSession,
    at time: HubTime
  ) {
    let kind = hosted.session.fold.definition.kind
    switch touch {
    case .row where !kind.hasColumns, .date where !kind.showsMonths:
      let refusal = Refusal(
        .wrongKind, "touch needs a date in a calendar, a column and a row in a picker with columns")
      return enqueueRefusal(refusal, connection, hosted, at: time)
    case .row, .date, .lifted: break
    }
    enqueue(
      .look { [unowned self] hosted in
        guard connection.member == member else { return }
        // Of the columns after the member's commands before this message.
        let columns = hosted.session.fold.picker.columns
        if case .row(let column, let row, isHover: _) = touch {
          guard columns.indices.contains(column), row >= 0, row < columns[column].rows.count else {
            return
          }
        }
        perform(hosted.session.touch(member, touch), in: hosted, at: time)
      }, in: hosted, at: time)
  }

  /// Queues the refusal of a message without a ref.
  private func enqueueRefusal(
    _ refusal: Refusal, _ connection: HubConnection, _ hosted: HostedSession, at time: HubTime
  ) {
    enqueue(
      .look { [unowned self] hosted in refuse(refusal, connection, hosted) }, in: hosted, at: time)
  }

  private func refuse(_ refusal: Refusal, _ connection: HubConnection, _ hosted: HostedSession) {
    countRefusal(refusal.code, in: hosted)
    answer(connection, Answer(ref: nil, body: .refused(refusal, .nothing)), in: hosted)
  }
}
