package import CivilTime

/// The clock of the sessions: a wall clock, or a manual clock that is frozen until set.
package final class SessionClock {
  /// The time of a manual clock.
  private var manual: Instant?
  /// The wall clock in milliseconds since 1970.
  private let wall: () -> Int64

  /// - Parameters:
  ///   - manual: The time of a manual clock; `nil` for the wall clock.
  ///   - wall: The wall clock: that of the system, or the one that several nodes share.
  package init(
    manual: Instant?, wall: @escaping () -> Int64 = SocketLoop.wallMilliseconds
  ) {
    self.manual = manual
    self.wall = wall
  }

  /// Whether this is a wall clock, which advances by itself.
  package var runs: Bool { manual == nil }

  package var now: Instant { manual ?? Instant(milliseconds: wall()) }

  /// Sets a manual clock; has no effect on a wall clock.
  package func set(_ instant: Instant) {
    if manual != nil { manual = instant }
  }
}
