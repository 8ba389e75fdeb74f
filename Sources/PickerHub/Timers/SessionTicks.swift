import CivilTime

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
