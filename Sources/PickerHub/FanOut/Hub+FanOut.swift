import CivilTime
import PickerModel
import PickerSession
import PickerWire

/// Fan-out: encodes the effects of a session and delivers them to its listeners.
extension Hub {
  func perform(_ effects: [SessionEffect], in hosted: HostedSession, at time: HubTime) {
    if hosted.isEnding { return }
    for effect in effects {
      switch effect {
      case .broadcast(let delta): broadcast(delta, in: hosted)
      case .monthsAgain(let change): sendMonthsAgain(in: hosted, change)
      case .answer(let id, let answer):
        if let connection = connections[id] { self.answer(connection, answer, in: hosted) }
      case .answerOffline, .settled: break
      case .revoked: closeRevoked(in: hosted)
      case .presence: broadcastPresence(in: hosted, at: time)
      }
    }
  }

  /// Delivers a delta to all listeners. Those with the same language and view share the bytes of
  /// one copy.
  ///
  /// The listeners of the first copy whose outbox is idle are posted to together, after all others.
  /// If any connection was write-blocked meanwhile, each one is delivered to separately instead.
  private func broadcast(_ delta: Delta, in hosted: HostedSession) {
    counters.deltas += 1
    if delta.isTick { counters.ticks += 1 }
    // By index: copying a listener would retain and release its member's name.
    let listeners = hosted.session.listeners
    if listeners.count == 1 { return deliver(delta, toOnly: listeners[0], in: hosted) }
    var copies = DeltaCopies(delta, of: hosted.session, encoder, languages)
    let author = delta.by.flatMap { hosted.attendance.connection(of: $0) }
    // Most listeners receive the first copy and have an idle outbox: they are posted to together.
    var shared: Frame?
    var hasSlowReader = false
    let fullCountBefore = fullCount
    var recipients: [ConnectionID] = []
    swap(&recipients, &self.recipients)
    let connections = connections
    for index in listeners.indices {
      guard let connection = connections[listeners[index].connection] else { continue }
      let (language, view) = (listeners[index].language, listeners[index].view)
      if author == connection.id {
        let frame = copies.frame(in: language, showing: view, ref: delta.ref)
        if !connection.outbox.isIdle { hasSlowReader = true }
        deliver(.ownDelta(frame, ref: delta.ref, revision: delta.revision), connection)
        continue
      }
      let frame = copies.frame(in: language, showing: view)
      if shared == nil { shared = frame }
      if frame === shared, connection.outbox.isIdle, !connection.isClosing {
        recipients.append(connection.id)
      } else {
        if !connection.outbox.isIdle { hasSlowReader = true }
        deliver(.updates(frame), connection)
      }
    }
    if let shared, hasSlowReader || fullCount != fullCountBefore {
      // The outbox of a recipient may not be idle any more: closing a slow connection broadcasts
      // presence, and a post may have reported a write-blocked connection.
      for recipient in recipients {
        if let connection = connections[recipient] { deliver(.updates(shared), connection) }
      }
    } else if let shared {
      post(shared, toAll: recipients)
    }
    recipients.removeAll(keepingCapacity: true)
    self.recipients = recipients
  }

  /// Delivers a delta to the only listener: without the table of copies.
  private func deliver(_ delta: Delta, toOnly listener: Listener, in hosted: HostedSession) {
    guard let connection = connections[listener.connection] else { return }
    let isOwn = delta.by != nil && delta.by == listener.member
    let frame = encoder.frame(
      of: delta, ref: isOwn ? delta.ref : nil,
      bands: encoder.viewPart(
        of: delta, in: hosted.session, listener.view, texts: languages[listener.language]),
      texts: languages[listener.language])
    if isOwn {
      deliver(.ownDelta(frame, ref: delta.ref, revision: delta.revision), connection)
    } else {
      deliver(.updates(frame), connection)
    }
  }

  private func post(_ frame: Frame, toAll recipients: [ConnectionID]) {
    counters.deliveries += recipients.count
    for index in port.post(frame, toAll: recipients) {
      connections[recipients[index]]?.outbox.isFull = true
    }
  }

  /// Sends the months in view again to each listener whose view has a month with changed cells.
  private func sendMonthsAgain(in hosted: HostedSession, _ change: CellChange) {
    for listener in hosted.session.listeners {
      guard let view = listener.view, let connection = connections[listener.connection],
        view.months.contains(where: {
          change.after.cells(of: $0) != change.before.cells(of: $0)
        })
      else { continue }
      let frame = encoder.months(
        view, of: change.after, change.notes, locale: hosted.session.fold.definition.locale,
        revision: change.revision, texts: connection.texts)
      deliver(.updates(frame), connection)
    }
  }

  func answer(_ connection: HubConnection, _ answer: Answer, in hosted: HostedSession) {
    if case .refused(let refusal, _) = answer.body {
      counters.refusals[refusal.code, default: 0] += 1
    }
    let frame = encode(answer, connection.texts, in: hosted.session)
    deliver(.answer(frame, answer), connection)
  }

  func encode(_ answer: Answer, _ texts: any RowTexts, in session: Session) -> Frame {
    switch answer.body {
    case .reply(let revision): encoder.reply(ref: answer.ref ?? 0, revision: revision)
    case .refused(let refusal, let correction):
      encoder.refused(ref: answer.ref, refusal, correction, in: session.fold, texts: texts)
    }
  }

  /// Broadcasts the presence updates, at most once in `presenceMilliseconds`: if the last broadcast
  /// was more recent, a timer does it later.
  func broadcastPresence(in hosted: HostedSession, at time: HubTime) {
    let interval = limits.session.presenceMilliseconds
    switch hosted.presence.decide(at: time.machine, interval: interval) {
    case .now: break
    case .later(let due): return schedule.add(.presence(hosted.id), due: due)
    case .queued: return
    }
    let updates = hosted.session.takeUpdates()
    if updates.isEmpty { return }
    hosted.presence.broadcast(at: time.machine)
    let encoded = EncodedPresence(updates, in: hosted.session)
    let frame = encoded.frame()
    for listener in hosted.session.listeners {
      guard let connection = connections[listener.connection] else { continue }
      guard let member = listener.member, encoded.mentions(member) else {
        if let frame { deliver(.updates(frame), connection) }
        continue
      }
      if let own = encoded.frame(for: member) { deliver(.updates(own), connection) }
    }
  }

  /// Posts a message at once if the outbox is idle, else appends it to the outbox.
  ///
  /// Closes the connection if more than `outboxMessages` messages are pending that a snapshot
  /// cannot replace.
  func deliver(_ message: Outbox.Waiting, _ connection: HubConnection) {
    guard !connection.isClosing else { return }
    guard connection.outbox.isIdle, let frame = message.frame else {
      let hadSnapshot = connection.outbox.needsSnapshot
      connection.outbox.append(
        message, byteCountMax: limits.outboxBytes, countMax: limits.outboxMessages)
      if connection.outbox.needsSnapshot && !hadSnapshot {
        counters.snapshotsForSlowReaders += 1
        watch(connection)
      }
      if connection.outbox.waiting.count > limits.outboxMessages {
        close(connection, .tooSlow, "more than \(limits.outboxMessages) messages are pending")
      }
      return
    }
    counters.deliveries += 1
    if port.post(frame, to: connection.id) == .full { connection.outbox.isFull = true }
  }

  private func send(_ frame: Frame, _ connection: HubConnection) {
    counters.deliveries += 1
    if port.send(frame, to: connection.id) == .full { connection.outbox.isFull = true }
  }

  /// Sends pending messages until the connection is write-blocked.
  func flush(_ connection: HubConnection, at time: HubTime) {
    guard let hosted = hosted(of: connection), !hosted.isEnding else { return }
    while !connection.outbox.isFull {
      if connection.outbox.needsSnapshot {
        sendSnapshot(connection, hosted, at: time)
        continue
      }
      guard let message = connection.outbox.next() else { break }
      if let frame = message.frame { send(frame, connection) }
    }
  }

  /// Sends a snapshot in place of the dropped updates, followed by the months in view and touches.
  /// A welcome that is still pending is sent instead, because it must precede the snapshot.
  private func sendSnapshot(
    _ connection: HubConnection, _ hosted: HostedSession, at time: HubTime
  ) {
    if let welcome = connection.outbox.nextRetained() { return send(welcome, connection) }
    connection.outbox.snapshotTaken {
      encode($0.late(at: hosted.session), connection.texts, in: hosted.session)
    }
    let listener = hosted.session.listeners.first { $0.connection == connection.id }
    if let listener, let touches = encoder.touches(in: hosted.session, for: listener.member) {
      connection.outbox.prepend(.updates(touches))
    }
    if let view = listener?.view {
      connection.outbox.prepend(
        .updates(encoder.months(view, in: hosted.session.fold, texts: connection.texts)))
    }
    send(
      encoder.snapshot(of: hosted.session, texts: connection.texts, now: time.session), connection)
    watch(connection)
  }

  /// Starts the time within which a connection with dropped updates must read (default 10 s).
  private func watch(_ connection: HubConnection) {
    guard connection.outbox.isFull else { return }
    connection.outbox.stalledSince = now.machine
    schedule.add(.stalled(connection.id), due: now.machine + limits.stalledMilliseconds)
  }
}

extension Answer {
  /// The answer, to be sent after a snapshot: a reply has the snapshot's revision.
  fileprivate func late(at session: Session) -> Answer {
    switch body {
    case .reply: Answer(ref: ref, body: .reply(revision: session.fold.revision))
    case .refused: self
    }
  }
}

extension Outbox.Waiting {
  /// The encoded frame; `nil` for an answer that is encoded together with the snapshot.
  fileprivate var frame: Frame? {
    switch self {
    case .updates(let frame), .ownDelta(let frame, _, _), .answer(let frame, _),
      .retained(let frame):
      frame
    case .lateAnswer: nil
    }
  }
}
