package import PickerModel
import PickerSession

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

/// What is buffered in a hub now, in total over its sessions and connections. Kept up to date where
/// a buffer changes, so that reading it costs nothing.
package final class HubBuffers {
  /// Steps that wait for the log, see ``StepQueue``.
  package internal(set) var stepBytes = 0
  /// Those that time has caused: ticks, and leaves of members.
  var timedStepCount = 0
  /// Messages that wait for their session to be loaded, see ``Inbox``.
  package internal(set) var inboxBytes = 0
  /// Pending messages of write-blocked connections, see ``Outbox``.
  package internal(set) var outboxBytes = 0
  package internal(set) var writeBlockedConnections = 0
  /// Connections from which the hub does not read.
  package internal(set) var pausedConnections = 0

  init() {}
}

/// Commands and refusals by the kind of their session's picker. A fixed array, so that counting a
/// command allocates nothing.
package struct CommandCounts: Sendable {
  /// What has become of a command.
  package enum Outcome: Int, CaseIterable, Sendable {
    /// It made a revision.
    case accepted
    /// It made a revision with the nearest possible value instead of the requested one.
    case clamped
    /// It had nothing to change, or was a repeat of one that was executed before.
    case unchanged
    case refused
    /// It was not answered: the store failed, or the session or the member's membership ended.
    case dropped
  }

  /// Stored, because `allCases` may allocate an array.
  private static let outcomeCount = Outcome.allCases.count
  private var counts = [Int](repeating: 0, count: PickerKind.allCases.count * outcomeCount)
  /// The refusals by kind and code, also of messages without a ref.
  package private(set) var refusals: [PickerKind: [Rejection: Int]] = [:]

  package subscript(kind: PickerKind, outcome: Outcome) -> Int {
    counts[kind.number * CommandCounts.outcomeCount + outcome.rawValue]
  }

  mutating func count(_ outcome: Outcome, in kind: PickerKind) {
    counts[kind.number * CommandCounts.outcomeCount + outcome.rawValue] += 1
  }

  mutating func countRefusal(_ code: Rejection, in kind: PickerKind) {
    refusals[kind, default: [:]][code, default: 0] += 1
  }

  package static func += (sum: inout CommandCounts, other: CommandCounts) {
    for index in sum.counts.indices { sum.counts[index] += other.counts[index] }
    for (kind, codes) in other.refusals {
      sum.refusals[kind, default: [:]].merge(codes, uniquingKeysWith: +)
    }
  }
}

/// Counting commands.
extension Hub {
  /// Counts a command that was applied, by its effects.
  func countCommand(_ effects: [Effect], in hosted: HostedSession) {
    let kind = hosted.session.fold.definition.kind
    // By index: copying an effect would retain its parts.
    for index in effects.indices {
      switch effects[index] {
      case .delta(let delta) where delta.by != nil || delta.isHostCommand:
        return ownCounters.commands.count(delta.isClamped ? .clamped : .accepted, in: kind)
      case .answered(_, let answer): return count(answer, in: kind)
      case .delta, .cellsChanged, .joined, .roleChanged, .renamed, .left, .resultReported,
        .revoked, .settled, .definitionRejected, .sightChanged, .presence:
        continue
      }
    }
    ownCounters.commands.count(.dropped, in: kind)
  }

  private func count(_ answer: Answer, in kind: PickerKind) {
    switch answer.body {
    case .reply: ownCounters.commands.count(.unchanged, in: kind)
    case .refused(let refusal, _):
      ownCounters.commands.count(.refused, in: kind)
      ownCounters.commands.countRefusal(refusal.code, in: kind)
    }
  }

  /// Counts an entry that gets no answer, if it is a command.
  func countDropped(_ entry: LogEntry, in hosted: HostedSession) {
    if case .command = entry.body { countDropped(in: hosted) }
  }

  /// Counts a command that gets no answer.
  func countDropped(in hosted: HostedSession) {
    ownCounters.commands.count(.dropped, in: hosted.session.fold.definition.kind)
  }

  /// Counts the refusal of a message without a ref.
  func countRefusal(_ code: Rejection, in hosted: HostedSession) {
    ownCounters.commands.countRefusal(code, in: hosted.session.fold.definition.kind)
  }
}

/// A histogram with fixed buckets.
package struct Histogram: Hashable, Sendable {
  /// The upper bounds of the buckets, ascending and inclusive. A greater value is in no bucket; it
  /// counts in ``count`` and ``sum`` only.
  package let bounds: [Double]
  /// The number of values in each bucket; not cumulative.
  package private(set) var counts: [Int]
  /// The number of all values, including those above the last bound.
  package private(set) var count = 0
  package private(set) var sum = 0.0

  package init(bounds: [Double]) {
    precondition(!bounds.isEmpty && zip(bounds, bounds.dropFirst()).allSatisfy(<))
    self.bounds = bounds
    counts = Array(repeating: 0, count: bounds.count)
  }

  /// An empty histogram of durations in seconds, with buckets from 50 µs to 10 s.
  package static var seconds: Histogram {
    Histogram(bounds: [
      0.000_05, 0.000_1, 0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25,
      0.5, 1, 2.5, 5, 10,
    ])
  }

  /// An empty histogram of sizes (records of a batch, bytes of a queue), with powers of 4 as
  /// bounds.
  package static var counts: Histogram {
    Histogram(bounds: [1, 4, 16, 64, 256, 1024, 4096, 16_384, 65_536])
  }

  /// Adds the values of another histogram, which must have the same bounds.
  package static func += (sum: inout Histogram, other: Histogram) {
    precondition(sum.bounds == other.bounds, "histograms of one metric have the same buckets")
    for index in sum.counts.indices { sum.counts[index] += other.counts[index] }
    sum.count += other.count
    sum.sum += other.sum
  }

  package mutating func record(_ value: Double) {
    count += 1
    sum += value
    // Most durations are in the first bucket.
    var bucket = 0
    while bucket < bounds.count, value > bounds[bucket] { bucket += 1 }
    if bucket < counts.count { counts[bucket] += 1 }
  }
}
