/// Limits the broadcasts of a session's presence to one per interval.
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
  private var isQueued = false

  /// Decides when pending updates are broadcast.
  mutating func decide(at now: Int64, interval: Int64) -> Decision {
    let due = last + interval
    if now >= due { return .now }
    if isQueued { return .queued }
    isQueued = true
    return .later(due: due)
  }

  /// The timer has fired.
  mutating func timerFired() { isQueued = false }

  /// Updates were broadcast.
  mutating func broadcast(at now: Int64) { last = now }
}
