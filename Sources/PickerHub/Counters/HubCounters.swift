/// Counters since the start, for metrics and for tests of the cost of a tap.
package struct HubCounters: Sendable {
  package var messagesIn = 0
  package var commands = CommandCounts()
  package var deltas = 0
  package var ticks = 0
  /// Messages handed to the port, of every type.
  package var deliveries = 0
  /// Outboxes whose pending updates were replaced by a snapshot.
  package var snapshotsForSlowReaders = 0
  package var joins = 0
  package var resumes = 0
  package var closes: [CloseCode: Int] = [:]

  package init() {}

  /// Adds the counters of another hub.
  package static func += (sum: inout HubCounters, other: HubCounters) {
    sum.messagesIn += other.messagesIn
    sum.commands += other.commands
    sum.deltas += other.deltas
    sum.ticks += other.ticks
    sum.deliveries += other.deliveries
    sum.snapshotsForSlowReaders += other.snapshotsForSlowReaders
    sum.joins += other.joins
    sum.resumes += other.resumes
    sum.closes.merge(other.closes, uniquingKeysWith: +)
  }
}
