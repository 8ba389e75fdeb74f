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
