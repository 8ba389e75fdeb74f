import CivilTime
import PickerSession

/// Ticks of one call, and ticks that wait for the log, at most, so that taps between them are
/// answered promptly.
private let tickCountMax = 200
/// Between two looks at a session's time to live.
private let expiryMilliseconds: Int64 = 3_600_000
/// Other timers of one call at most.
private let timerCountMax = 1000

extension Hub {
  /// When ``timer(at:)`` wants to be called next, in machine milliseconds; `nil` while nothing
  /// waits.
  ///
  /// - Parameter clockRuns: Whether the sessions' clock goes on by itself.
  package func nextTimer(at time: HubTime, clockRuns: Bool) -> Int64? {
    var due = timers.nextDue
    if let next = ticks.next, pendingTickCount < tickCountMax {
      let wait = max(0, next.milliseconds - time.session.milliseconds)
      // A machine that slept, or whose clock was set, is noticed after a second.
      if wait == 0 || clockRuns { due = min(due ?? .max, time.machine + min(wait, 1000)) }
    }
    return due
  }

  /// Does what is due, a bounded part of it at a time.
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
      guard directory.exists(connection.session) else {
        return close(connection, .sessionEnded, "the session has ended")
      }
      close(connection, .tooSlow, "no join within \(limits.joinMilliseconds) ms")
    case .stalled(let id):
      guard let connection = connections[id], let since = connection.outbox.stalledSince,
        connection.outbox.isFull, time.machine - since >= limits.stalledMilliseconds
      else { return }
      close(connection, .tooSlow, "nothing read for \(limits.stalledMilliseconds) ms")
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
      tellPresence(in: hosted, at: time)
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
      if due <= time.machine { return endDormant(session) }
    }
    addExpiry(of: session, due: due)
  }

  /// Has a session looked at when its time may be up; once in an hour at least, so that one that
  /// ends before does not stay in the queue for its time to live.
  func addExpiry(of session: SessionID, due: Int64) {
    timers.add(.expiry(session), due: min(due, now.machine + expiryMilliseconds))
  }

  /// Ends a session whose time is up; if the log cannot have that now, then soon.
  private func endInTime(_ hosted: HostedSession) {
    end(hosted) { [unowned self] result in
      if case .failure = result { expireLater(hosted.id) }
    }
  }

  /// Ends a session that is in the log only, and was not touched in time.
  private func endDormant(_ session: SessionID) {
    // Whoever has it loaded touches it, or lets it expire again.
    if directory[session]?.isLoading == true { return expireLater(session) }
    switch log.append(.ended, of: session) {
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

  /// Brings a session to now, if it may look different by now.
  ///
  /// - Returns: Whether the log has it, if it was due.
  @discardableResult
  func tickIfDue(_ hosted: HostedSession, at time: HubTime) -> Bool {
    let fold = hosted.session.fold
    guard !hosted.isEnding, !hosted.isTickPending, fold.status == .open else { return true }
    let isDue = fold.nextTick.map { $0 <= time.session } ?? false
    // Asleep while the clock was set back. One that is corrected by a little makes no tick.
    let isAhead = fold.picker.asOf.milliseconds > time.session.milliseconds + 1000
    return isDue || isAhead ? appendTick(to: hosted, at: time) : true
  }

  @discardableResult
  private func appendTick(to hosted: HostedSession, at time: HubTime) -> Bool {
    guard append(.tick, to: hosted, at: time) else { return false }
    hosted.isTickPending = !hosted.steps.isEmpty
    return true
  }

  /// Ticks every session: the clock has gone back, or to where somebody put it.
  private func tickAll(at time: HubTime) {
    for hosted in directory.hostedInOrder
    where !hosted.isEnding && hosted.session.fold.status == .open {
      appendTick(to: hosted, at: time)
    }
  }

  /// The sessions' clock has been put to another time.
  ///
  /// - Parameter completion: Called when every session has ticked, once, at the new time.
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
          if hosted.session.fold.status == .open { appendTick(to: hosted, at: now) }
          enqueue(.request { _ in isDone() }, in: hosted, at: now)
        })
    }
    loadInBackground()
    isDone()
  }
}
