import CivilTime
import PickerHub

/// The two clocks of the protocol: the machine's, which only goes on, and the sessions', which may
/// run, stand, jump and be set back.
struct SimulatedClock {
  /// Milliseconds since the world began.
  private(set) var machine: Int64 = 0
  /// Whether the sessions' clock goes on by itself.
  let runs: Bool
  private var sessionOffset: Int64

  init(start: Instant, runs: Bool) {
    sessionOffset = start.milliseconds
    self.runs = runs
  }

  var session: Instant {
    Instant(milliseconds: runs ? machine + sessionOffset : sessionOffset)
  }

  var now: HubTime { HubTime(session: session, machine: machine) }

  mutating func advance(to machine: Int64) { self.machine = max(self.machine, machine) }

  /// Puts the sessions' clock.
  mutating func set(_ instant: Instant) {
    sessionOffset = instant.milliseconds - (runs ? machine : 0)
  }
}
