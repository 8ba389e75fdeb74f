import CivilTime
import PickerSession

/// The maximum of pending ticks, and of ticks in one call, so that taps between them are answered
/// promptly.
private let tickCountMax = 200
/// The maximum of timers that run in one call.
private let timerCountMax = 1000
/// The maximum time between two checks of a session's time to live.
private let expiryMilliseconds: Int64 = 3_600_000
/// With fewer ended sessions and connections the queues are never compacted.
private let endedCountMin = 16

/// What a hub does later: timers by the monotonic clock, ticks by the sessions' clock.
///
/// It owns both queues, the count of pending ticks, and the count of sessions and connections that
/// have ended since the queues were compacted. An entry stays queued when the reason for it ends:
/// the code that takes an entry checks that its reason still holds, and ``compact(timers:ticks:)``
/// removes obsolete entries in bulk.
///
/// The caller reports each tick that is pending in the log (``tickAppended()``), and each of these
/// when it was stored, refused or lost (``ticksSettled(_:)``). One thread uses it.
final class HubSchedule {
  private var timers = TimerQueue()
  private var ticks = TickQueue()
  /// Ticks that the log has not stored yet.
  private var pendingTickCount = 0
  /// Sessions and connections that have ended since the queues were last compacted.
  private var endedCount = 0
  /// The last time by the sessions' clock; an earlier time shows that the clock was set back.
  private var latestSessionTime: Instant?

  /// When the hub's ``Hub/timer(at:)`` must be called next, in machine milliseconds; `nil` while no
  /// timer or tick is queued.
  ///
  /// - Parameter clockRuns: Whether the sessions' clock runs; a frozen one makes no tick due.
  func nextDue(at time: HubTime, clockRuns: Bool) -> Int64? {
    var due = timers.nextDue
    if let next = ticks.next, pendingTickCount < tickCountMax {
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
  func add(_ timer: TimerQueue.Timer, due: Int64) { timers.add(timer, due: due) }

  /// Queues a check of a session's time to live: at `due`, but at least once an hour, so that a
  /// session that ends earlier does not stay in the queue for its whole time to live.
  func addExpiry(of session: SessionID, due: Int64, at time: HubTime) {
    timers.add(.expiry(session), due: min(due, time.machine + expiryMilliseconds))
  }

  /// Removes the timers that are due one after the other, up to the maximum in one call, and passes
  /// them to `body`, which may add others.
  func takeTimers(at time: HubTime, _ body: (TimerQueue.Timer) -> Void) {
    var count = 0
    while count < timerCountMax, let timer = timers.next(at: time.machine) {
      count += 1
      body(timer)
    }
  }
}

/// Ticks.
extension HubSchedule {
  func addTick(of session: SessionID, at instant: Instant) { ticks.add(session, at: instant) }

  /// Removes the ticks that are due one after the other, unless the maximum of ticks is pending,
  /// and passes them to `body`, which may add others.
  func takeTicks(
    at time: HubTime, _ body: (_ session: SessionID, _ instant: Instant) -> Void
  ) {
    let countMax = tickCountMax - pendingTickCount
    var count = 0
    while count < countMax, let (session, instant) = ticks.next(at: time.session) {
      count += 1
      body(session, instant)
    }
  }

  /// A tick was appended to a session's log and is pending.
  func tickAppended() { pendingTickCount += 1 }

  /// Pending ticks were stored, refused or lost.
  func ticksSettled(_ count: Int) {
    precondition(count <= pendingTickCount, "only pending ticks are settled")
    pendingTickCount -= count
  }
}

/// Compaction.
extension HubSchedule {
  /// The numbers of queued timers and ticks.
  var counts: (timers: Int, ticks: Int) { (timers.entryCount, ticks.entryCount) }

  /// Counts an ended session or connection.
  ///
  /// - Returns: Whether a quarter of the entries may be obsolete: then the caller compacts the
  ///   queues. So the amortized cost of each ended session or connection is constant.
  func noteEnd() -> Bool {
    endedCount += 1
    return endedCount >= max(endedCountMin, (timers.entryCount + ticks.entryCount) / 4)
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
    ticks.compact(where: isQueued)
  }
}
