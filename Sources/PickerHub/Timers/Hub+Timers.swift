import CivilTime
import PickerSession

/// The maximum of ticks in one call, and of pending ticks, so that taps between them are answered
/// promptly.
private let tickCountMax = 200
/// The maximum time between two checks of a session's time to live.
private let expiryMilliseconds: Int64 = 3_600_000
/// The maximum of timers that run in one call.
private let timerCountMax = 1000

extension Hub {
  /// The time at which ``timer(at:)`` must be called next, in machine milliseconds; `nil` while no
  /// timer or tick is queued.
  ///
  /// - Parameter clockRuns: Whether the sessions' clock runs; a frozen one makes no tick due.
  package func nextTimer(at time: HubTime, clockRuns: Bool) -> Int64? {
    var due = timers.nextDue
    if let next = ticks.next, pendingTickCount < tickCountMax {
      let wait = max(0, next.milliseconds - time.session.milliseconds)
      // At most a second, to notice a machine that was suspended or whose clock was set.
      if wait == 0 || clockRuns { due = min(due ?? .max, time.machine + min(wait, 1000)) }
    }
    return due
  }

  /// Runs the due timers and ticks, up to a maximum in one call; ``nextTimer(at:clockRuns:)`` is
  /// then due at once.
  package func timer(at time: HubTime) {
    now = time
    if let latest = latestSessionTime, time.session.milliseconds < latest.milliseconds - 1000 {
      tickAll(at: time)
    }
    latestSessionTime = time.session
    var timerCount = 0
    while timerCount < timerCountMax, let timer = timers.next(at: time.machine) {
      timerCount += 1
      perform(timer, at: time)
    }
    runDueTicks(at: time, countMax: tickCountMax - pendingTickCount)
  }

  private func perform(_ timer: TimerQueue.Timer, at time: HubTime) {
    switch timer {
    case .join(let id):
      guard let connection = connections[id], case .silent = connection.phase else { return }
      guard configuration.authentication.hidesSessions || directory.exists(connection.session)
      else {
        return close(connection, .sessionEnded, "the session has ended")
      }
      close(connection, .tooSlow, "no join message within \(limits.joinMilliseconds) ms")
    case .token(let id):
      if let connection = connections[id], !connection.isClosing { checkToken(of: connection) }
    case .stalled(let id):
      guard let connection = connections[id], let since = connection.outbox.stalledSince,
        connection.outbox.isFull, time.machine - since >= limits.stalledMilliseconds
      else { return }
      close(connection, .tooSlow, "the client has not read for \(limits.stalledMilliseconds) ms")
    case .absence(let session, let member):
      guard let hosted = directory.hosted(session), !hosted.isEnding,
        let since = hosted.absentSince[member],
        time.machine - since >= limits.memberMilliseconds
      else { return }
      if append(.left(member), to: hosted, at: time) {
        hosted.absentSince[member] = nil
      } else {
        timers.add(timer, due: time.machine + retryMilliseconds)
      }
    case .expiry(let session): expire(session, at: time)
    case .idle(let session):
      if let hosted = directory.hosted(session) { evict(hosted) }
    case .load(let session):
      guard directory.dormant(session) != nil else { return }
      directory.loadLater(BackgroundLoad(session))
      loadInBackground()
    case .presence(let session):
      guard let hosted = directory.hosted(session), !hosted.isEnding else { return }
      hosted.isPresenceQueued = false
      broadcastPresence(in: hosted, at: time)
    }
  }

  private func expire(_ session: SessionID, at time: HubTime) {
    let due: Int64
    if let hosted = directory.hosted(session) {
      if hosted.isEnding { return }
      due = hosted.lastActivity + Int64(hosted.session.fold.origin.ttlSeconds) * 1000
      if due <= time.machine { return endInTime(hosted) }
    } else {
      guard let known = directory.dormant(session) else { return }
      due = known.lastActivity + Int64(known.ttlSeconds) * 1000
      if due <= time.machine { return endDormant(session, at: time) }
    }
    addExpiry(of: session, due: due)
  }

  /// Queues a check of a session's time to live: at `due`, but at least once an hour, so that a
  /// session that ends earlier does not stay in the queue for its whole time to live.
  func addExpiry(of session: SessionID, due: Int64) {
    timers.add(.expiry(session), due: min(due, now.machine + expiryMilliseconds))
  }

  /// Ends a session whose time to live has expired; tries again if the log cannot store the end.
  ///
  /// Not while the host decides on a confirmation.
  private func endInTime(_ hosted: HostedSession) {
    if let until = hosted.session.fold.decision.confirmation?.until {
      let rest = until.milliseconds - now.session.milliseconds
      return addExpiry(of: hosted.id, due: now.machine + max(rest, retryMilliseconds))
    }
    end(hosted, .expired) { [unowned self] result in
      if case .failure = result { expireLater(hosted.id) }
    }
  }

  /// Loads a session that is in the log only and whose time to live has expired, to end it with the
  /// event of its last state.
  private func endDormant(_ session: SessionID, at time: HubTime) {
    // The request that loads it may be a join. If not, the session expires later.
    if directory[session]?.isLoading == true { return expireLater(session) }
    directory.loadLater(
      BackgroundLoad(session) { [unowned self] hosted in
        if hosted != nil { expire(session, at: now) } else { endUnreadable(session) }
      })
    loadInBackground()
  }

  /// Ends a session whose log cannot be read.
  private func endUnreadable(_ session: SessionID) {
    guard directory.dormant(session) != nil else { return }
    switch log.append(.ended(nil), of: session) {
    case .failed, .full, .exhausted: expireLater(session)
    case .stored:
      directory.ended(session)
      noteEnd()
    case .pending: directory.endDormant(session)
    }
  }

  func expireLater(_ session: SessionID) {
    timers.add(.expiry(session), due: now.machine + retryMilliseconds)
  }

  /// Ticks the sessions whose instant has come.
  private func runDueTicks(at time: HubTime, countMax: Int) {
    var count = 0
    while count < countMax, let (session, instant) = ticks.next(at: time.session) {
      count += 1
      if directory.dormant(session)?.queuedTick == instant {
        directory.loadLater(BackgroundLoad(session))
        loadInBackground()
        continue
      }
      guard let hosted = directory.hosted(session), !hosted.isEnding,
        hosted.queuedTick == instant
      else { continue }
      hosted.queuedTick = nil
      let retry = time.session.adding(milliseconds: retryMilliseconds)
      let isStored = tickIfDue(hosted, at: time)
      queueTick(of: hosted, notBefore: isStored ? nil : retry)
    }
  }

  /// Appends a tick if time may have changed the session's picker since the last one.
  ///
  /// - Returns: `false` if a tick was due and could not be appended.
  @discardableResult
  func tickIfDue(_ hosted: HostedSession, at time: HubTime) -> Bool {
    let fold = hosted.session.fold
    guard !hosted.isEnding, !hosted.isTickPending else { return true }
    let isDue = fold.nextTick.map { $0 <= time.session } ?? false
    // The clock was set back while the session was evicted. A correction of up to a second makes no
    // tick.
    let isAhead =
      fold.status == .open
      && fold.picker.asOf.milliseconds > time.session.milliseconds + 1000
    return isDue || isAhead ? appendTick(to: hosted, at: time) : true
  }

  @discardableResult
  private func appendTick(to hosted: HostedSession, at time: HubTime) -> Bool {
    guard append(.tick, to: hosted, at: time) else { return false }
    hosted.isTickPending = !hosted.steps.isEmpty
    return true
  }

  /// Ticks every session in memory, after the clock was set.
  private func tickAll(at time: HubTime) {
    for hosted in directory.hostedInOrder
    where !hosted.isEnding && hosted.session.fold.status.passesTime {
      appendTick(to: hosted, at: time)
    }
  }

  /// The sessions' clock was set: ticks every session, dormant ones included.
  ///
  /// - Parameter completion: Called once, when every session has ticked at the new time.
  package func clockSet(at time: HubTime, completion: @escaping () -> Void) {
    now = time
    latestSessionTime = time.session
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
          if hosted.session.fold.status.passesTime { appendTick(to: hosted, at: now) }
          enqueue(.request { _ in isDone() }, in: hosted, at: now)
        })
    }
    loadInBackground()
    isDone()
  }
}
