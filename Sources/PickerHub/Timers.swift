import CivilTime
import PickerSession

/// Runs what is due in the hub's ``HubSchedule``.
extension Hub {
  /// The time at which ``timer(at:)`` must be called next, in machine milliseconds; `nil` while no
  /// timer or tick is queued.
  ///
  /// - Parameter clockRuns: Whether the sessions' clock runs; a frozen one makes no tick due.
  package func nextTimer(at time: HubTime, clockRuns: Bool) -> Int64? {
    schedule.nextDue(at: time, clockRuns: clockRuns)
  }

  /// Runs the due timers and ticks, up to a maximum in one call; ``nextTimer(at:clockRuns:)`` is
  /// then due at once.
  package func timer(at time: HubTime) {
    now = time
    if schedule.clockReads(time.session), !isClustered { tickAll(at: time) }
    schedule.takeTimers(at: time) { timer in perform(timer, at: time) }
    schedule.takeTicks(at: time) { session, instant in tick(session, instant, at: time) }
    schedule.takeAbsences(at: time) { timer in perform(timer, at: time) }
    schedule.takeFollowers(at: time) { session in follow(session) }
    schedule.takeFinds(at: time) { connection, byteCount in
      takeFind(of: connection, &byteCount, at: time)
    }
    if schedule.hasTurns {
      fanOut.retainsSnapshot = true
      schedule.takeTurns(at: time) { connection in
        takeTurn(connection, at: time)
      } isBlocked: { connection in
        connections[connection]?.sending.isBlocked ?? false
      }
      fanOut.retainsSnapshot = schedule.hasTurns
    }
  }

  /// Sends what is pending for a connection.
  ///
  /// - Returns: The number of bytes.
  private func takeTurn(_ id: ConnectionID, at time: HubTime) -> Int {
    guard let connection = connections[id], !connection.isClosing,
      let hosted = hosted(of: connection), !hosted.isEnding
    else { return 0 }
    return flush(connection, in: hosted, at: time)
  }

  private func perform(_ timer: HubTimer, at time: HubTime) {
    switch timer {
    case .join(let id):
      guard let connection = connections[id], case .silent = connection.phase else { return }
      // It has sent its join in time.
      if port.holds(id) {
        return schedule.add(timer, due: time.machine + retryMilliseconds)
      }
      guard admission.hidesSessions || mayExist(connection.session)
      else {
        return close(connection, .sessionEnded, "the session has ended")
      }
      close(connection, .tooSlow, "no join message within \(limits.joinMilliseconds) ms")
    case .token(let id):
      if let connection = connections[id], !connection.isClosing { checkToken(of: connection) }
    case .stalled(let id):
      guard let connection = connections[id],
        let stall = connection.sending.stall(at: time.machine), stall >= limits.stalledMilliseconds
      else { return }
      close(connection, .tooSlow, "the client has not read for \(limits.stalledMilliseconds) ms")
    case .find(let id):
      if let connection = connections[id] { requeueFind(of: connection) }
    case .absence(let session, let member):
      guard let hosted = directory.hosted(session), !hosted.isEnding,
        let absence = hosted.attendance.absence(of: member, at: time.machine),
        absence >= limits.memberMilliseconds
      else { return }
      if append(.left(member), to: hosted, at: time) {
        hosted.attendance.endAbsence(of: member)
      } else {
        schedule.add(timer, due: time.machine + retryMilliseconds)
      }
    case .expiry(let session): expire(session, at: time)
    case .idle(let session):
      if let hosted = directory.hosted(session) { evict(hosted) }
    case .load(let session):
      guard directory.beginRetry(session) else { return }
      directory.loadLater(BackgroundLoad(session))
      loadInBackground()
    case .tick(let session):
      guard let hosted = directory.hosted(session) else { return }
      hosted.ticks.timerFired()
      queueTick(of: hosted, at: time.session)
    case .follow(let session): follow(session)
    case .inventory(let name): readInventory(name)
    case .presence(let session):
      guard let hosted = directory.hosted(session), !hosted.isEnding else { return }
      hosted.presence.timerFired()
      broadcastPresence(in: hosted, at: time)
    }
  }

  private func expire(_ session: SessionID, at time: HubTime) {
    let due: Int64
    if let hosted = directory.hosted(session) {
      if hosted.isEnding { return }
      due = hosted.expiresAt
      if due <= time.machine { return endInTime(hosted) }
    } else {
      guard let known = directory.dormant(session) else { return }
      let ttl = Int64(known.ttlSeconds) * 1000
      // While the host decides, a decision loads it, or the tick at the end of the time.
      let isAwaited =
        known.status == .confirming && known.queuedTick.map { $0 > time.session } ?? false
      due = isAwaited ? time.machine + ttl : known.lastActivity + ttl
      if due <= time.machine { return loadToEnd(session, at: time) }
    }
    schedule.addExpiry(of: session, due: due, at: time)
  }

  /// Ends a session whose time to live has expired; tries again if the log cannot store the end.
  ///
  /// Not while the host decides on a confirmation: its time to live begins again afterwards.
  private func endInTime(_ hosted: HostedSession) {
    if hosted.session.fold.decision.confirmation != nil {
      let ttl = Int64(hosted.session.fold.origin.ttlSeconds) * 1000
      return schedule.addExpiry(of: hosted.id, due: now.machine + ttl, at: now)
    }
    end(hosted, .expired) { [unowned self] result in
      if case .failure = result { expireLater(hosted.id) }
    }
  }

  /// Ends a session that was loaded after its time to live, so that no request that waits for it
  /// restarts the time. If the log cannot store the end, its timer tries again.
  func endIfExpired(_ hosted: HostedSession) {
    guard hosted.phase == .loaded, hosted.expiresAt <= now.machine,
      hosted.session.fold.decision.confirmation == nil
    else { return }
    end(hosted, .expired) { _ in }
  }

  /// Loads a session that is in the log only and whose time to live has expired, to end it with the
  /// event of its last state.
  private func loadToEnd(_ session: SessionID, at time: HubTime) {
    // It ends as soon as it is loaded. If that fails, it is tried again.
    if directory[session]?.isLoading == true { return expireLater(session) }
    directory.loadLater(
      BackgroundLoad(session) { [unowned self] hosted in
        if hosted != nil { return expire(session, at: now) }
        if directory.dormant(session)?.isUnreadable == true { return endUnreadable(session) }
        // There was no memory to load it. If it ended now, its last events would be lost.
        schedule.add(.expiry(session), due: now.machine + 60 * retryMilliseconds)
      })
    loadInBackground()
  }

  /// Ends a session whose log cannot be read.
  private func endUnreadable(_ session: SessionID) {
    guard directory.dormant(session) != nil else { return }
    switch log.append(.ended(nil), of: session) {
    case .decided, .failed, .full, .storeFull, .exhausted: expireLater(session)
    case .stored:
      directory.ended(session)
      noteEnd()
    case .pending: directory.endDormant(session)
    }
  }

  func expireLater(_ session: SessionID) {
    schedule.add(.expiry(session), due: now.machine + retryMilliseconds)
  }

  /// Ticks a session whose instant has come.
  private func tick(_ session: SessionID, _ instant: Instant, at time: HubTime) {
    if directory.dormant(session)?.queuedTick == instant {
      directory.loadLater(BackgroundLoad(session))
      return loadInBackground()
    }
    guard let hosted = directory.hosted(session), !hosted.isEnding, hosted.ticks.take(instant)
    else { return }
    if tickIfDue(hosted, at: time) { queueTick(of: hosted) }
  }

  /// Queues a tick for the session's next instant, unless an earlier one is queued or pending.
  func queueTick(of hosted: HostedSession) {
    if let instant = hosted.session.nextTick { queueTick(of: hosted, at: instant) }
  }

  private func queueTick(of hosted: HostedSession, at instant: Instant) {
    guard hosted.phase == .loaded, hosted.ticks.queue(instant) else { return }
    schedule.addTick(of: hosted.id, at: instant)
  }

  /// Appends a tick if time may have changed the session's picker since the last one.
  ///
  /// - Returns: `false` if a tick was due and could not be appended.
  @discardableResult
  func tickIfDue(_ hosted: HostedSession, at time: HubTime) -> Bool {
    let fold = hosted.session.fold
    guard !hosted.isEnding, !hosted.ticks.isPending else { return true }
    let isDue = fold.nextTick.map { $0 <= time.session } ?? false
    let isAhead = isAhead(hosted, at: time)
    return isDue || isAhead
      ? append(isAhead ? .clockSet : .tick, ticking: hosted, at: time) : true
  }

  /// Whether the clock was set back and the session has not followed yet: it was evicted, or no
  /// tick was queued. A correction of up to a second makes no tick. A session of a cluster's log
  /// never follows: the clock of its former owner may have been another one.
  func isAhead(_ hosted: HostedSession, at time: HubTime) -> Bool {
    !isClustered && hosted.session.latestTime.milliseconds > time.session.milliseconds + 1000
  }

  /// Appends a tick. If the log refuses it, it is retried after a second of the monotonic clock,
  /// because the sessions' clock may be frozen.
  ///
  /// - Parameter body: ``LogEntry/Body/tick`` or ``LogEntry/Body/clockSet``.
  private func append(
    _ body: LogEntry.Body, ticking hosted: HostedSession, at time: HubTime
  ) -> Bool {
    guard append(body, to: hosted, at: time) else {
      if hosted.phase == .loaded, hosted.ticks.refused() {
        schedule.add(.tick(hosted.id), due: time.machine + retryMilliseconds)
      }
      return false
    }
    hosted.ticks.appended(isPending: !hosted.steps.isEmpty)
    return true
  }

  /// Ticks every session in memory, after the clock was set.
  private func tickAll(at time: HubTime) {
    for hosted in directory.hostedInOrder where !hosted.isEnding { tick(hosted, to: time) }
  }

  /// Moves a session to the time to which the clock was set, if that can change anything. Entries
  /// that are not applied yet can have a later time.
  private func tick(_ hosted: HostedSession, to time: HubTime) {
    let session = hosted.session
    guard session.status.passesTime || session.latestTime > time.session || !hosted.steps.isEmpty
    else { return }
    _ = append(.clockSet, ticking: hosted, at: time)
  }

  /// The sessions' clock was set: ticks every session, dormant ones included.
  ///
  /// - Parameter completion: Called once, when every session has ticked at the new time.
  package func clockSet(at time: HubTime, completion: @escaping () -> Void) {
    now = time
    _ = schedule.clockReads(time.session)
    tickAll(at: time)
    var remainingCount = 1
    let isDone = {
      remainingCount -= 1
      if remainingCount == 0 { completion() }
    }
    for hosted in directory.hostedInOrder where !hosted.steps.isEmpty {
      remainingCount += 1
      enqueue(.request { _ in isDone() }, in: hosted, at: time)
    }
    for session in directory.dormantInOrder {
      remainingCount += 1
      directory.loadLater(
        BackgroundLoad(session) { [unowned self] hosted in
          guard let hosted else { return isDone() }
          tick(hosted, to: now)
          enqueue(.request { _ in isDone() }, in: hosted, at: now)
        })
    }
    loadInBackground()
    isDone()
  }
}

/// Compaction of the schedule.
extension Hub {
  /// Counts an ended session or connection, and removes the timers and ticks of ended ones when
  /// there are many.
  func noteEnd() {
    guard schedule.noteEnd() else { return }
    schedule.compact(
      timers: { timer, due in isLive(timer, due: due) },
      ticks: { session, instant in
        let queued =
          directory.hosted(session)?.ticks.queued ?? directory.dormant(session)?.queuedTick
        return queued == instant
      })
  }

  private func isLive(_ timer: HubTimer, due: Int64) -> Bool {
    switch timer {
    case .join(let id), .token(let id), .stalled(let id), .find(let id):
      return connections[id] != nil
    case .absence(let session, let member):
      let absence = directory.hosted(session)?.attendance.absence(of: member, at: due)
      return absence.map { $0 >= limits.memberMilliseconds } ?? false
    case .expiry(let session): return directory[session] != nil
    case .load(let session): return directory.exists(session)
    case .tick(let session): return directory.hosted(session)?.ticks.isRetrying == true
    case .idle(let session), .presence(let session), .follow(let session):
      return directory.hosted(session) != nil
    case .inventory(let name): return inventories[name] != nil
    }
  }
}
