package import CivilTime

/// The clock of the sessions: the system clock, or a manual clock that is frozen until set.
package final class SessionClock {
  /// The time of a manual clock.
  private var manual: Instant?

  /// - Parameter manual: The time of a manual clock; `nil` for the system clock.
  package init(manual: Instant?) { self.manual = manual }

  /// Whether this is the system clock, which advances by itself.
  package var runs: Bool { manual == nil }

  package var now: Instant { manual ?? Instant(milliseconds: SocketLoop.wallMilliseconds()) }

  /// Sets a manual clock; has no effect on the system clock.
  package func set(_ instant: Instant) {
    if manual != nil { manual = instant }
  }
}
