package import CivilTime

/// The sessions' clock: the machine's, or one that stands until somebody puts it.
package final class SessionClock {
  /// Where a manual clock stands.
  private var standing: Instant?

  /// - Parameter standing: Where a manual clock stands; `nil` for the machine's.
  package init(standingAt standing: Instant?) { self.standing = standing }

  /// Whether it goes on by itself.
  package var runs: Bool { standing == nil }

  package var now: Instant { standing ?? Instant(milliseconds: SocketLoop.wallMilliseconds()) }

  /// Puts a manual clock to `instant`; the machine's stays as it is.
  package func set(_ instant: Instant) {
    if standing != nil { standing = instant }
  }
}
