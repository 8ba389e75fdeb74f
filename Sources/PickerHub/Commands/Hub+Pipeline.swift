import CivilTime
package import PickerSession
import PickerWire

/// After how long something that the log refused is tried again.
let retryMilliseconds: Int64 = 1000

/// Entries between two snapshots of a session, at least.
private let snapshotInterval = 500
/// Entries between two snapshots for each member: a snapshot contains the refs of all members, and
/// must not cost more than the entries that it covers.
private let snapshotIntervalPerMember = 16

/// The way of everything that changes a session: appended to the log, applied when the log has it,
/// told when it is applied. What only looks keeps its place behind what waits for the log.
extension Hub {
  /// Appends an entry, and applies it as soon as the log has it.
  ///
  /// A log at its maximum of bytes is compacted. A command for which it still has no bytes is
  /// refused.
  /// - Parameter completion: Gets the effects, or `nil` if the log has lost the entry after all.
  /// - Returns: Whether the log has it, or will have it. If not, the session's connections have
  ///   been closed, unless only its log is full (``HostedSession/isLogFull``).
  @discardableResult
  func append(
    _ body: consuming LogEntry.Body, to hosted: HostedSession, at time: HubTime,
    completion: (([SessionEffect]?) -> Void)? = nil
  ) -> Bool {
    let entry = LogEntry(at: time.session, body: body)
    var outcome = log.append(.entry(entry), of: hosted.id)
    if outcome == .full && !hosted.spent.isEmpty {
      keepSnapshot(of: hosted, isIdle: false)
      outcome = log.append(.entry(entry), of: hosted.id)
    }
    hosted.isLogFull = outcome == .full
    switch outcome {
    case .stored where hosted.steps.isEmpty:
      apply(entry, arrival: time.machineNanoseconds, completion, in: hosted, at: time)
    case .stored, .pending:
      hosted.append(.apply(entry, arrival: time.machineNanoseconds, completion))
      if entry.body == .tick { pendingTickCount += 1 }
    case .full:
      guard case .command(let member, let ref, let command) = entry.body else { return false }
      let refused = HostedSession.UnstoredCommand(
        member: member, ref: ref, command: command, limit: .logBytes)
      enqueue(.refuse(refused, completion), in: hosted, at: time)
    case .failed:
      fail(hosted)
      return false
    case .exhausted:
      endFull(hosted)
      return false
    }
    return true
  }

  /// Ends a session whose log takes nothing more: it could do nothing but fail from now on.
  private func endFull(_ hosted: HostedSession) {
    guard hosted.phase == .open else { return }
    hosted.endReason = "the session has ended: its log has the maximum of bytes"
    end(hosted) { [unowned self] result in
      if case .failure = result { fail(hosted) }
    }
  }

  /// Does something in its turn: now, unless something before it waits for the log.
  func enqueue(_ step: HostedSession.Step, in hosted: HostedSession, at time: HubTime) {
    if hosted.phase == .unloaded {
      refuse(step)
    } else if hosted.steps.isEmpty {
      run(step, in: hosted, at: time)
    } else {
      hosted.append(step)
    }
  }

  /// The log has the next `count` records of a session.
  package func stored(_ count: Int, of session: SessionID, at time: HubTime) {
    now = time
    guard let hosted = directory.hosted(session) else {
      guard case .endingDormant = directory[session] else { return }
      directory.ended(session)
      return noteEnd()
    }
    var storedCount = count
    while let step = hosted.steps.first {
      if step.waitsForLog {
        guard storedCount > 0 else { break }
        storedCount -= 1
      }
      hosted.removeFirstStep()
      if step.isTick { pendingTickCount -= 1 }
      run(step, in: hosted, at: time)
    }
    if hosted.hasPausedConnections { resumeConnections(of: hosted) }
  }

  private func run(_ step: HostedSession.Step, in hosted: HostedSession, at time: HubTime) {
    switch step {
    case .apply(let entry, let arrival, let completion):
      apply(entry, arrival: arrival, completion, in: hosted, at: time)
    case .refuse(let unstored, let completion):
      refuse(unstored, completion, in: hosted, at: time)
    case .attach(let connection, let attachment):
      if !hosted.isEnding { attach(connection, attachment, in: hosted, at: time) }
    case .look(let body): if !hosted.isEnding { body(hosted) }
    case .request(let body): body(hosted.isEnding ? nil : hosted)
    case .created(let completion): completion(true)
    case .end(let completion):
      remove(hosted)
      completion(true)
    }
  }

  /// Answers a step that cannot be run because its session has been unloaded.
  func refuse(_ step: HostedSession.Step) {
    switch step {
    case .attach(let connection, _): cannotStore(connection)
    case .created(let completion), .end(let completion): completion(false)
    case .request(let body): body(nil)
    case .apply(_, _, let completion), .refuse(_, let completion): completion?(nil)
    case .look: break
    }
  }

  private func apply(
    _ entry: LogEntry, arrival: Int64, _ completion: (([SessionEffect]?) -> Void)?,
    in hosted: HostedSession, at time: HubTime
  ) {
    let memberCount = hosted.session.memberCount
    var effects: [SessionEffect] = []
    swap(&effects, &self.effects)
    if hosted.session.apply(entry, &outcomes, &effects) { hosted.lastActivity = time.machine }
    hosted.entryCount += 1
    hosted.spent.note(hosted.session.remnant, sequence: hosted.entryCount)
    if case .left(let member) = entry.body {
      hosted.absentSince[member] = nil
      hosted.postRates[member] = nil
      // A member may have been made to leave twice before the log had the first.
      hosted.memberCountPending -= memberCount - hosted.session.memberCount
    }
    if case .returned = entry.body, memberCount == hosted.session.memberCount {
      // It had come back already when the log had this.
      hosted.memberCountPending -= 1
    }
    if case .tick = entry.body { hosted.isTickPending = false }
    if hosted.isEnding {
      completion?(nil)
      return
    }
    if let completion {
      completion(effects)
      // A command that came over HTTP is answered there, also if its member has a connection.
      effects.removeAll { if case .answer = $0 { true } else { false } }
    }
    let deliveryCount = counters.deliveries
    perform(effects, in: hosted, at: time)
    if case .command = entry.body, counters.deliveries > deliveryCount, effects.haveDelta {
      port.delivered(commandOf: arrival)
    }
    effects.removeLast(effects.count)
    swap(&effects, &self.effects)
    queueTick(of: hosted)
    if isSnapshotDue(hosted) { keepSnapshot(of: hosted, isIdle: false) }
    if case .left = entry.body { evict(hosted) }
  }

  private func isSnapshotDue(_ hosted: HostedSession) -> Bool {
    let count = hosted.entryCount - hosted.snapshotEntryCount
    guard count >= snapshotInterval else { return false }
    return count >= hosted.session.memberCount * snapshotIntervalPerMember
  }

  /// The log cannot keep what was asked: nothing of it is done, and whoever listens comes back
  /// later.
  func fail(_ hosted: HostedSession) {
    if log.canLoad { return lose(hosted) }
    for listener in hosted.session.listeners {
      guard let connection = connections[listener.connection] else { continue }
      cannotStore(connection)
    }
    // Who has joined and waits for the log would miss an answer, too.
    for case .attach(let connection, _) in hosted.steps { cannotStore(connection) }
  }

  /// A session that comes into memory.
  func host(_ fold: SessionFold, at time: HubTime) -> HostedSession {
    hostedCount += 1
    return HostedSession(Session(fold), number: hostedCount, at: time)
  }

  /// Puts the session's next instant into the queue, if it is not there already.
  ///
  /// One that stands there already stays, also if nothing will be due then: so a session has few
  /// entries, however often it is confirmed and reopened.
  /// - Parameter first: Not before this instant, if any.
  func queueTick(of hosted: HostedSession, notBefore first: Instant? = nil) {
    guard hosted.phase == .open, !hosted.isTickPending,
      var next = hosted.session.nextTick
    else { return }
    if let first { next = max(first, next) }
    if let queued = hosted.queuedTick, queued <= next { return }
    hosted.queuedTick = next
    ticks.add(hosted.id, at: next)
  }
}

extension [SessionEffect] {
  fileprivate var haveDelta: Bool { contains { if case .broadcast = $0 { true } else { false } } }
}
