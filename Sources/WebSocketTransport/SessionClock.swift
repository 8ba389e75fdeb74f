package import CivilTime

/// The clock of the sessions: the system clock, or a manual clock that is frozen until set.
package final class SessionClock {
  /// The time of a manual clock.
  private var standing: Instant?

  /// - Parameter standing: The time of a manual clock; `nil` for the system clock.
  package init(standingAt standing: Instant?) { self.standing = standing }

  /// Whether this is the system clock, which advances by itself.
  package var runs: Bool { standing == nil }

  package var now: Instant { standing ?? Instant(milliseconds: SocketLoop.wallMilliseconds()) }

  /// Sets a manual clock; has no effect on the system clock.
  package func set(_ instant: Instant) {
    if standing != nil { standing = instant }
  }
}
