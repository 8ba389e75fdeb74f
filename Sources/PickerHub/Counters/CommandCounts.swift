package import PickerModel
import PickerSession

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
