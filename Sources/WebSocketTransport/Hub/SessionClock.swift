package import CivilTime
import CMachine

/// The clock of the sessions: a wall clock, or a manual clock that is frozen until set.
package final class SessionClock {
  /// The time of a manual clock.
  private var manual: Instant?

  /// - Parameter manual: The time of a manual clock; `nil` for the wall clock.
  package init(manual: Instant?) { self.manual = manual }

  /// Whether this is a wall clock, which advances by itself.
  package var runs: Bool { manual == nil }

  package var now: Instant { manual ?? Instant(milliseconds: machine_wall_ms()) }

  /// Sets a manual clock; has no effect on a wall clock.
  package func set(_ instant: Instant) {
    if manual != nil { manual = instant }
  }
}
