import Synchronization

/// Whether the clock of the database is in doubt, as that of a machine in ``ClockDoubt``: the
/// database may have started with it a year ahead. Until an hour has passed, nothing is deleted
/// because it is too old by that clock.
///
/// The nodes store the time once a minute. A gap of more than a day raises the doubt, at the start
/// of a node and at each new connection.
final class PostgresClockDoubt: Sendable {
  private let end = Mutex<ContinuousClock.Instant?>(nil)

  private static let reading = "SELECT now_ms() - written_at FROM store"
  private static let noting = "UPDATE store SET written_at = now_ms()"
  private static let noteMilliseconds = 60_000

  var isRaised: Bool { end.withLock { $0 != nil } }

  /// Ends the grace time.
  func expire() { end.withLock { if $0 != nil { $0 = .now } } }

  /// Compares the clock with the last stored time.
  func check(_ connection: PostgresConnection) throws(PostgresError) {
    let idle = try connection.run(PostgresClockDoubt.reading).int(0, 0)
    let isDoubtful = (idle ?? 0) > Int(ClockDoubt.pauseMilliseconds)
    let isRaised = end.withLock { end in
      let later = ContinuousClock.now + .milliseconds(ClockDoubt.graceMilliseconds)
      end = isDoubtful ? end ?? later : nil
      if let known = end, known <= .now { end = nil }
      return end != nil
    }
    let isOld = idle.map { $0 < 0 || $0 > PostgresClockDoubt.noteMilliseconds } ?? true
    if isOld && !isRaised { try connection.run(PostgresClockDoubt.noting) }
  }
}
