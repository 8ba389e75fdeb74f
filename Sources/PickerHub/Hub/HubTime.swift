package import CivilTime

/// The current time by the two clocks of the protocol.
package struct HubTime: Hashable, Sendable {
  /// The wall clock of the sessions: for `now`, ticks, `at` and the 15 s of an open tap. It can be
  /// set back, or be frozen by the operator.
  package let session: Instant
  /// The monotonic clock in nanoseconds.
  package let machineNanoseconds: Int64

  /// The monotonic clock in milliseconds: for time to live, join time-outs and absence.
  package var machine: Int64 { machineNanoseconds / 1_000_000 }

  package init(session: Instant, machineNanoseconds: Int64) {
    self.session = session
    self.machineNanoseconds = machineNanoseconds
  }

  package init(session: Instant, machine: Int64) {
    self.init(session: session, machineNanoseconds: machine * 1_000_000)
  }
}
