import CivilTime
import DequeModule
import PickerSession

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

/// The bytes of texts that are searched in one call: a third of a millisecond.
private let findByteCountMax = 131_072

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
  private var timers = DueQueue<Int64, HubTimer>()
  /// The timers of absent members.
  private var absences = DueQueue<Int64, HubTimer>()
  /// By the sessions' clock.
  private var ticks = DueQueue<Instant, SessionID>()
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
  /// Connections with a `find` that is not answered yet, each once.
  private var finds: Deque<ConnectionID> = []
  /// As ``followersDue``.
  private var findsDue: Int64 = 0
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
    var due = timers.next
    if !turns.isEmpty { due = min(due ?? .max, max(turnsDue, time.machine)) }
    if !finds.isEmpty { due = min(due ?? .max, max(findsDue, time.machine)) }
    guard timedStepsLeft > 0 else { return due }
    if !followers.isEmpty { due = min(due ?? .max, max(followersDue, time.machine)) }
    if let next = absences.next { due = min(due ?? .max, next) }
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
  func add(_ timer: HubTimer, due: Int64) {
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
  func takeTimers(at time: HubTime, _ body: (HubTimer) -> Void) {
    var count = 0
    while count < timerCountMax, let (timer, _) = timers.next(at: time.machine) {
      count += 1
      if case .expiry(let session) = timer { expiring.remove(session) }
      body(timer)
    }
  }

  /// Removes the due timers of absent members one after the other, unless the maximum of steps is
  /// pending, and passes them to `body`, which may add others.
  func takeAbsences(at time: HubTime, _ body: (HubTimer) -> Void) {
    let countMax = timedStepsLeft
    var count = 0
    while count < countMax, let (timer, _) = absences.next(at: time.machine) {
      count += 1
      body(timer)
    }
  }
}

/// Ticks.
extension HubSchedule {
  func addTick(of session: SessionID, at instant: Instant) { ticks.add(session, due: instant) }

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

/// Searches for rows.
extension HubSchedule {
  func addFind(_ connection: ConnectionID) { finds.append(connection) }

  /// Removes the first queued connections one after the other, and passes them to `body`, which may
  /// add them again, with the bytes that it may search.
  func takeFinds(at time: HubTime, _ body: (ConnectionID, _ byteCount: inout Int) -> Void) {
    guard !finds.isEmpty, time.machine >= findsDue else { return }
    findsDue = time.machine + 1
    var byteCount = findByteCountMax
    while byteCount > 0, let connection = finds.popFirst() { body(connection, &byteCount) }
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
    timers isLive: (_ timer: HubTimer, _ due: Int64) -> Bool,
    ticks isQueued: (_ session: SessionID, _ instant: Instant) -> Bool
  ) {
    endedCount = 0
    timers.compact(where: isLive)
    expiring = expiring.filter { isLive(.expiry($0), 0) }
    absences.compact(where: isLive)
    ticks.compact(where: isQueued)
  }
}
