import CivilTime
import DequeModule
import HeapModule
import PickerModel
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
    if schedule.clockReads(time.session), !isShared { tickAll(at: time) }
    schedule.takeTimers(at: time) { timer in perform(timer, at: time) }
    schedule.takeTicks(at: time) { session, instant in tick(session, instant, at: time) }
    schedule.takeAbsences(at: time) { timer in perform(timer, at: time) }
    schedule.takeFollowers(at: time) { session in follow(session) }
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
    defer { closeOverflowing() }
    return fanOut.flush(connection, in: hosted.session, at: time)
  }

  private func perform(_ timer: TimerQueue.Timer, at time: HubTime) {
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
    case .failed, .full, .storeFull, .exhausted: expireLater(session)
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
  /// tick was queued. A correction of up to a second makes no tick. A session of a shared log never
  /// follows: the clock of its former owner may have been another one.
  func isAhead(_ hosted: HostedSession, at time: HubTime) -> Bool {
    !isShared && hosted.session.latestTime.milliseconds > time.session.milliseconds + 1000
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

  private func isLive(_ timer: TimerQueue.Timer, due: Int64) -> Bool {
    switch timer {
    case .join(let id), .token(let id), .stalled(let id): return connections[id] != nil
    case .absence(let session, let member):
      let absence = directory.hosted(session)?.attendance.absence(of: member, at: due)
      return absence.map { $0 >= limits.memberMilliseconds } ?? false
    case .expiry(let session): return directory[session] != nil
    case .load(let session): return directory.exists(session)
    case .tick(let session): return directory.hosted(session)?.ticks.isRetrying == true
    case .idle(let session), .presence(let session), .follow(let session):
      return directory.hosted(session) != nil
    }
  }
}

/// The maximum of ticks and leaves that are pending, so that taps between them are stored and
/// answered promptly, although time changes thousands of sessions at once.
private let timedStepCountMax = 50
/// The maximum of sessions that follow their shared definition in one call.
private let followerCountMax = 8
/// The number of bytes of long messages after which the other connections wait for the next call.
private let turnByteCountMax = 262_144
/// The number of connections after which the others wait, because each may need a snapshot of its
/// own, which takes long to encode whatever its bytes are.
private let turnCountMax = 8
/// The number of bytes that connections have not read after which the others wait for them.
private let unreadByteCountMax = 16_777_216
/// For how long the others wait for a connection that does not read.
private let unreadMilliseconds: Int64 = 250
/// The maximum of timers that run in one call.
private let timerCountMax = 1000
/// The maximum time between two checks of a session's time to live.
private let expiryMilliseconds: Int64 = 3_600_000
/// With fewer ended sessions and connections the queues are never compacted.
private let endedCountMin = 16

/// What a hub does later: timers by the monotonic clock, ticks by the sessions' clock.
///
/// It owns the queues, and the count of sessions and connections that have ended since the queues
/// were compacted. An entry stays queued when the reason for it ends: the code that takes an entry
/// checks that its reason still holds, and ``compact(timers:ticks:)`` removes obsolete entries in
/// bulk. One thread uses it.
final class HubSchedule {
  private var timers = TimerQueue()
  /// The timers of absent members.
  private var absences = TimerQueue()
  private var ticks = TickQueue()
  /// Sessions with a check of their time to live in the queue.
  private var expiring: Set<SessionID> = []
  /// Sessions that have to follow their shared definition, each once.
  private var followers: Deque<SessionID> = []
  /// When the next of them may follow, in machine milliseconds: not in the same iteration of the
  /// loop, which would otherwise run all of them before it reads from any connection.
  private var followersDue: Int64 = 0
  /// Connections that wait for a long message, because many do.
  private var turns: Deque<ConnectionID> = []
  /// Connections that have not read what they got in their turn.
  private var reading: [(connection: ConnectionID, byteCount: Int, since: Int64)] = []
  /// As ``followersDue``.
  private var turnsDue: Int64 = 0
  private let buffers: HubBuffers
  /// Sessions and connections that have ended since the queues were last compacted.
  private var endedCount = 0
  /// The last time by the sessions' clock; an earlier time shows that the clock was set back.
  private var latestSessionTime: Instant?

  /// - Parameter buffers: Those of the hub, which count the ticks and leaves that are pending.
  init(_ buffers: HubBuffers) { self.buffers = buffers }

  /// How many ticks and leaves may be appended now.
  private var timedStepsLeft: Int { timedStepCountMax - buffers.timedStepCount }

  /// When the hub's ``Hub/timer(at:)`` must be called next, in machine milliseconds; `nil` while no
  /// timer or tick is queued.
  ///
  /// - Parameter clockRuns: Whether the sessions' clock runs; a frozen one makes no tick due.
  func nextDue(at time: HubTime, clockRuns: Bool) -> Int64? {
    var due = timers.nextDue
    if !turns.isEmpty { due = min(due ?? .max, max(turnsDue, time.machine)) }
    guard timedStepsLeft > 0 else { return due }
    if !followers.isEmpty { due = min(due ?? .max, max(followersDue, time.machine)) }
    if let next = absences.nextDue { due = min(due ?? .max, next) }
    if let next = ticks.next {
      let wait = max(0, next.milliseconds - time.session.milliseconds)
      // At most a second, to notice a machine that was suspended or whose clock was set.
      if wait == 0 || clockRuns { due = min(due ?? .max, time.machine + min(wait, 1000)) }
    }
    return due
  }

  /// Notes the time by the sessions' clock.
  ///
  /// - Returns: Whether the clock was set back by more than a second since the last call.
  func clockReads(_ now: Instant) -> Bool {
    defer { latestSessionTime = now }
    return latestSessionTime.map { now.milliseconds < $0.milliseconds - 1000 } ?? false
  }
}

/// Timers.
extension HubSchedule {
  /// - Parameter due: In machine milliseconds.
  func add(_ timer: TimerQueue.Timer, due: Int64) {
    if case .absence = timer {
      absences.add(timer, due: due)
    } else {
      timers.add(timer, due: due)
    }
  }

  /// Queues a check of a session's time to live: at `due`, but at least once an hour, so that a
  /// session that ends earlier does not stay in the queue for its whole time to live. There is one
  /// check of a session in the queue.
  func addExpiry(of session: SessionID, due: Int64, at time: HubTime) {
    guard expiring.insert(session).inserted else { return }
    timers.add(.expiry(session), due: min(due, time.machine + expiryMilliseconds))
  }

  /// Removes the timers that are due one after the other, up to the maximum in one call, and passes
  /// them to `body`, which may add others. Those of absent members are not among them.
  func takeTimers(at time: HubTime, _ body: (TimerQueue.Timer) -> Void) {
    var count = 0
    while count < timerCountMax, let timer = timers.next(at: time.machine) {
      count += 1
      if case .expiry(let session) = timer { expiring.remove(session) }
      body(timer)
    }
  }

  /// Removes the due timers of absent members one after the other, unless the maximum of steps is
  /// pending, and passes them to `body`, which may add others.
  func takeAbsences(at time: HubTime, _ body: (TimerQueue.Timer) -> Void) {
    let countMax = timedStepsLeft
    var count = 0
    while count < countMax, let timer = absences.next(at: time.machine) {
      count += 1
      body(timer)
    }
  }
}

/// Ticks.
extension HubSchedule {
  func addTick(of session: SessionID, at instant: Instant) { ticks.add(session, at: instant) }

  /// Removes the ticks that are due one after the other, unless the maximum is pending, and passes
  /// them to `body`, which may add others.
  func takeTicks(
    at time: HubTime, _ body: (_ session: SessionID, _ instant: Instant) -> Void
  ) {
    let countMax = timedStepsLeft
    var count = 0
    while count < countMax, let (session, instant) = ticks.next(at: time.session) {
      count += 1
      body(session, instant)
    }
  }
}

/// Sessions that follow their shared definition.
extension HubSchedule {
  func addFollower(_ session: SessionID) { followers.append(session) }

  /// Removes the first queued sessions one after the other, unless the maximum of steps is pending,
  /// and passes them to `body`, which may add others.
  func takeFollowers(at time: HubTime, _ body: (SessionID) -> Void) {
    guard !followers.isEmpty, time.machine >= followersDue else { return }
    followersDue = time.machine + 1
    let countMax = min(followerCountMax, timedStepsLeft)
    var count = 0
    while count < countMax, let session = followers.popFirst() {
      count += 1
      body(session)
    }
  }
}

/// Long messages for many connections.
extension HubSchedule {
  func addTurn(_ connection: ConnectionID) { turns.append(connection) }

  var hasTurns: Bool { !turns.isEmpty }

  /// Removes the first queued connections one after the other, and passes them to `body`, which
  /// returns the number of bytes that it has sent.
  ///
  /// - Parameter isBlocked: Whether a connection has not read all of it.
  func takeTurns(
    at time: HubTime, _ body: (ConnectionID) -> Int, isBlocked: (ConnectionID) -> Bool
  ) {
    guard time.machine >= turnsDue else { return }
    turnsDue = time.machine + 1
    reading.removeAll {
      time.machine - $0.since >= unreadMilliseconds || !isBlocked($0.connection)
    }
    var unread = reading.reduce(0) { $0 + $1.byteCount }
    var (sent, count) = (0, 0)
    while sent < turnByteCountMax, count < turnCountMax, unread < unreadByteCountMax,
      let connection = turns.popFirst()
    {
      let byteCount = body(connection)
      count += 1
      sent += byteCount
      if isBlocked(connection) {
        reading.append((connection, byteCount, time.machine))
        unread += byteCount
      }
    }
    if turns.isEmpty { reading = [] }
  }
}

/// Compaction.
extension HubSchedule {
  /// The numbers of queued timers and ticks.
  var counts: (timers: Int, ticks: Int) {
    (timers.entryCount + absences.entryCount, ticks.entryCount)
  }

  /// Counts an ended session or connection.
  ///
  /// - Returns: Whether a quarter of the entries may be obsolete: then the caller compacts the
  ///   queues. So the amortized cost of each ended session or connection is constant.
  func noteEnd() -> Bool {
    endedCount += 1
    return endedCount >= max(endedCountMin, (counts.timers + counts.ticks) / 4)
  }

  /// Removes obsolete entries.
  ///
  /// - Parameters:
  ///   - timers: Whether the reason of a timer still holds.
  ///   - ticks: Whether a session still waits for an instant.
  func compact(
    timers isLive: (_ timer: TimerQueue.Timer, _ due: Int64) -> Bool,
    ticks isQueued: (_ session: SessionID, _ instant: Instant) -> Bool
  ) {
    endedCount = 0
    timers.compact(where: isLive)
    expiring = expiring.filter { isLive(.expiry($0), 0) }
    absences.compact(where: isLive)
    ticks.compact(where: isQueued)
  }
}

/// The hub's timers by the monotonic clock, in one heap: no session and no connection has a timer
/// of its own.
///
/// A timer is not cancelled. When it is due, the hub checks whether its condition still holds;
/// ``compact(where:)`` removes the timers of ended sessions and connections in bulk.
struct TimerQueue {
  enum Timer {
    /// Close the connection if it has not joined.
    case join(ConnectionID)
    /// Close the connection if its token has expired.
    case token(ConnectionID)
    /// Close the connection if it has not read since its updates were dropped.
    case stalled(ConnectionID)
    /// Make the member leave if it has not reconnected.
    case absence(SessionID, MemberID)
    /// End the session if its time to live has expired.
    case expiry(SessionID)
    /// Evict the session if it has no members.
    case idle(SessionID)
    /// Load the session.
    case load(SessionID)
    /// Tick the session again, after the log has refused a tick.
    case tick(SessionID)
    /// Let the session follow its shared definition again.
    case follow(SessionID)
    /// Broadcast the pending presence updates.
    case presence(SessionID)
  }

  struct Entry: Comparable {
    let due: Int64
    /// Orders entries of the same time.
    let number: Int
    let timer: Timer

    static func < (left: Entry, right: Entry) -> Bool {
      (left.due, left.number) < (right.due, right.number)
    }

    static func == (left: Entry, right: Entry) -> Bool { left.number == right.number }
  }

  private var heap = Heap<Entry>()
  private var count = 0

  /// When the first timer is due, in machine milliseconds.
  var nextDue: Int64? { heap.min?.due }

  /// The number of queued timers.
  var entryCount: Int { heap.count }

  mutating func add(_ timer: Timer, due: Int64) {
    count += 1
    heap.insert(Entry(due: due, number: count, timer: timer))
  }

  /// Removes the entries that are obsolete.
  mutating func compact(where isLive: (_ timer: Timer, _ due: Int64) -> Bool) {
    heap = Heap(heap.unordered.filter { isLive($0.timer, $0.due) })
  }

  /// Removes the first timer that is due at `now`.
  mutating func next(at now: Int64) -> Timer? {
    guard let first = heap.min, first.due <= now else { return nil }
    return heap.removeMin().timer
  }
}

/// The next instants of all sessions by the sessions' clock, in one heap.
struct TickQueue {
  private struct Entry: Comparable {
    let instant: Instant
    let number: Int
    let session: SessionID

    static func < (left: Entry, right: Entry) -> Bool {
      (left.instant, left.number) < (right.instant, right.number)
    }

    static func == (left: Entry, right: Entry) -> Bool { left.number == right.number }
  }

  private var heap = Heap<Entry>()
  private var count = 0

  /// The earliest instant.
  var next: Instant? { heap.min?.instant }

  /// The number of queued instants.
  var entryCount: Int { heap.count }

  mutating func add(_ session: SessionID, at instant: Instant) {
    count += 1
    heap.insert(Entry(instant: instant, number: count, session: session))
  }

  /// Removes the entries that are obsolete.
  mutating func compact(where isLive: (_ session: SessionID, _ instant: Instant) -> Bool) {
    heap = Heap(heap.unordered.filter { isLive($0.session, $0.instant) })
  }

  /// Removes the earliest entry if its instant has been reached. Equal instants come in the order
  /// in which they were added.
  mutating func next(at now: Instant) -> (session: SessionID, instant: Instant)? {
    guard let first = heap.min, first.instant <= now else { return nil }
    _ = heap.removeMin()
    return (first.session, first.instant)
  }
}

/// When a session ticks next.
///
/// It owns the instant of the session's entry in the hub's schedule; entries with another instant
/// are obsolete. While a tick is pending, no other is queued or appended: when it is applied, the
/// next instant is known. After a refused tick, no other is queued until the timer has fired.
struct SessionTicks {
  /// The instant of the tick in the hub's schedule, if any.
  private(set) var queued: Instant?
  /// Whether the append of a tick is pending.
  private(set) var isPending = false
  /// Whether a timer for a tick that the log has refused is queued.
  private(set) var isRetrying = false

  /// Notes that the session's content changes at `instant`.
  ///
  /// A queued tick stays queued even if nothing will be due at its instant, so that confirming and
  /// reopening a session repeatedly does not fill the schedule.
  /// - Returns: Whether the caller adds a tick at `instant` to the schedule; `false` if an earlier
  ///   one is queued, pending or to be retried.
  mutating func queue(_ instant: Instant) -> Bool {
    if isPending || isRetrying { return false }
    if let queued, queued <= instant { return false }
    queued = instant
    return true
  }

  /// The schedule's tick at `instant` was taken.
  ///
  /// - Returns: `false` for an obsolete one.
  mutating func take(_ instant: Instant) -> Bool {
    guard queued == instant else { return false }
    queued = nil
    return true
  }

  /// A tick was appended.
  ///
  /// - Parameter isPending: `false` if it has been applied already.
  mutating func appended(isPending: Bool) { self.isPending = isPending }

  /// A tick was applied.
  mutating func applied() { isPending = false }

  /// The log has refused a tick.
  ///
  /// - Returns: Whether the caller queues a timer to retry it; `false` if there is one.
  mutating func refused() -> Bool {
    defer { isRetrying = true }
    return !isRetrying
  }

  /// The timer has fired.
  mutating func timerFired() { isRetrying = false }
}

/// Limits the broadcasts of a session's presence to one per interval, and longer after a large
/// one: what 1,000 members send to each other grows with their square.
///
/// It owns the time of the last broadcast and whether a timer for the next one is queued; there is
/// at most one.
struct PresenceThrottle {
  enum Decision: Hashable {
    /// Broadcast now.
    case now
    /// Queue a timer for the broadcast.
    case later(due: Int64)
    /// The timer is queued already.
    case queued
  }

  /// In machine milliseconds.
  private var last: Int64 = .min / 2
  /// In milliseconds, in addition to the interval.
  private var pause: Int64 = 0
  private var isQueued = false
  /// To all listeners together: 100 MB a second.
  static let bytesPerMillisecond = 100_000

  /// Decides when pending updates are broadcast.
  mutating func decide(at now: Int64, interval: Int64) -> Decision {
    let due = last + interval + pause
    if now >= due { return .now }
    if isQueued { return .queued }
    isQueued = true
    return .later(due: due)
  }

  /// The timer has fired.
  mutating func timerFired() { isQueued = false }

  /// Updates were broadcast, with so many bytes to all listeners together.
  mutating func broadcast(at now: Int64, byteCount: Int) {
    last = now
    pause = Int64(byteCount / PresenceThrottle.bytesPerMillisecond)
  }
}
