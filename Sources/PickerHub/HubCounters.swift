package import PickerModel

/// What has happened since the start, for metrics and for tests of what a tap costs.
package struct HubCounters: Sendable {
  package var messagesIn = 0
  package var commands = 0
  package var refusals: [Rejection: Int] = [:]
  package var deltas = 0
  package var ticks = 0
  /// Deltas, answers and other messages handed to the port.
  package var deliveries = 0
  /// Outboxes whose news gave way to a snapshot.
  package var snapshotsForSlowReaders = 0
  package var joins = 0
  package var resumes = 0
  package var closes: [CloseCode: Int] = [:]

  package init() {}
}
