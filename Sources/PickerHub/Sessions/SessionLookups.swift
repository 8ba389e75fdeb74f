import PickerSession

/// The time for which the hub remembers that a session does not exist.
private let absenceMilliseconds: Int64 = 1000

/// Look-ups of sessions in a shared log that the hub does not know.
///
/// Invariant: a session is looked up once at a time. Its absence is remembered for a second, in a
/// bounded cache, so that repeated requests for a wrong id do not reach the log.
struct SessionLookups {
  private var waiting: [SessionID: LoadWaiters] = [:]
  /// When each absence is forgotten, in machine milliseconds.
  private var absentUntil: [SessionID: Int64] = [:]

  /// The maximum of remembered absences; when it is reached, all are forgotten.
  static let absentCountMax = 4096

  var absentCount: Int { absentUntil.count }

  /// Queues `body` for the end of a look-up.
  ///
  /// - Returns: Whether the caller starts the look-up; `false` while one is running.
  mutating func wait(for id: SessionID, _ body: @escaping (HostedSession?) -> Void) -> Bool {
    if let waiters = waiting[id] {
      waiters.bodies.append(body)
      return false
    }
    waiting[id] = LoadWaiters(body)
    return true
  }

  func isRunning(for id: SessionID) -> Bool { waiting[id] != nil }

  /// The look-up has ended.
  ///
  /// - Returns: The queued bodies, in order.
  mutating func end(of id: SessionID) -> [(HostedSession?) -> Void] {
    waiting.removeValue(forKey: id)?.bodies ?? []
  }

  func isAbsent(_ id: SessionID, at now: Int64) -> Bool {
    absentUntil[id].map { now < $0 } ?? false
  }

  /// The log does not have the session, or it has ended.
  mutating func noteAbsence(of id: SessionID, at now: Int64) {
    if absentUntil.count >= SessionLookups.absentCountMax { absentUntil = [:] }
    absentUntil[id] = now + absenceMilliseconds
  }
}
