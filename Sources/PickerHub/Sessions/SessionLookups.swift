import PickerSession

/// The time for which the hub remembers that it has not got a session.
private let absenceMilliseconds: Int64 = 1000

/// Look-ups of unknown sessions in a cluster's log, with a negative cache.
///
/// Invariant: at most one look-up per session runs. An absence is cached for up to a second, in a
/// bounded cache, so repeated requests for a wrong id do not reach the log.
struct SessionLookups {
  private var waiting: [SessionID: LoadWaiters] = [:]
  /// Sessions that do not exist, or that other nodes own, until a time in monotonic milliseconds.
  private var absent: [SessionID: (until: Int64, isElsewhere: Bool)] = [:]

  /// The maximum number of cached absences; when reached, all are dropped.
  static let absentCountMax = 4096

  var absentCount: Int { absent.count }

  /// Queues a request until the look-up ends.
  ///
  /// - Returns: Whether the caller starts the look-up; `false` while one is running.
  mutating func wait(for id: SessionID, _ waiter: LoadWaiter) -> Bool {
    if let waiters = waiting[id] {
      waiters.all.append(waiter)
      return false
    }
    waiting[id] = LoadWaiters(waiter)
    return true
  }

  func isRunning(for id: SessionID) -> Bool { waiting[id] != nil }

  /// Ends a look-up.
  ///
  /// - Returns: The queued requests, in order.
  mutating func end(of id: SessionID) -> [LoadWaiter] {
    waiting.removeValue(forKey: id)?.all ?? []
  }

  func isAbsent(_ id: SessionID, at now: Int64) -> Bool {
    absent[id].map { now < $0.until && !$0.isElsewhere } ?? false
  }

  /// Whether another node owned a session a moment ago.
  func isElsewhere(_ id: SessionID, at now: Int64) -> Bool {
    absent[id].map { now < $0.until && $0.isElsewhere } ?? false
  }

  /// Caches that a session does not exist or has ended, or that another node owns it.
  mutating func noteMissing(_ id: SessionID, isElsewhere: Bool = false, at now: Int64) {
    if absent.count >= SessionLookups.absentCountMax { absent = [:] }
    absent[id] = (now + absenceMilliseconds, isElsewhere)
  }
}
