import CivilTime
import PickerHub

/// Simulates the two clocks of a server: the machine's clock, which is monotonic, and the sessions'
/// wall clock, which runs or is frozen, and can be set forward and back.
struct SimulatedClock {
  /// Milliseconds since the start of the simulated run (a world).
  private(set) var machine: Int64 = 0
  /// Whether the sessions' clock runs; if not, it is frozen until it is set.
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

  /// Sets the sessions' clock.
  mutating func set(_ instant: Instant) {
    sessionOffset = instant.milliseconds - (runs ? machine : 0)
  }
}
