/// The maximum of changes of a session's definition and notes in a second, and of decisions,
/// roles, revocations and commands of the host.
private let hostChangesPerSecond = 20

/// The maximum of changes of a session that wait for one that is being evaluated.
private let waitingMax = 20

/// The changes by the host that wait for one which another thread is evaluating: each is checked
/// against the outcome of the one before.
///
/// Invariant: changes wait only while one is being evaluated, and run in the order in which they
/// came. When an evaluation has ended, the caller takes and runs them; each may have to wait again.
package struct HostChangeQueue {
  /// Whether a change is being evaluated on another thread.
  private(set) var isPreparing = false
  private var waiting: [UnsafeContinuation<Void, Never>] = []
  /// The rate of changes of the definition and the notes.
  private var rate = MessageRate()

  /// The rate of decisions, roles, revocations and commands, which must not wait for changes.
  private var decisionRate = MessageRate()

  /// Counts a change.
  ///
  /// - Returns: `false` if it is over the limit of changes in a second.
  package mutating func count(at now: Int64) -> Bool {
    rate.count(at: now, countMax: hostChangesPerSecond) == .within
  }

  /// Counts a decision, a role, a revocation or a command of the host.
  ///
  /// - Returns: `false` if it is over the limit in a second.
  package mutating func countDecision(at now: Int64) -> Bool {
    decisionRate.count(at: now, countMax: hostChangesPerSecond) == .within
  }

  /// Whether one more change may wait.
  var hasRoom: Bool { waiting.count < waitingMax }

  /// Queues a change until ``end()``.
  mutating func wait(_ change: UnsafeContinuation<Void, Never>) {
    precondition(isPreparing && hasRoom, "a change waits only for one that is being evaluated")
    waiting.append(change)
  }

  /// The evaluation of a change has begun.
  package mutating func begin() { isPreparing = true }

  /// The evaluation of a change has ended. The caller has its result.
  package mutating func end() { isPreparing = false }

  /// Removes and returns the changes that waited, which the caller resumes.
  package mutating func takeWaiting() -> [UnsafeContinuation<Void, Never>] {
    defer { waiting = [] }
    return waiting
  }
}

extension Hub {
  /// Waits until no change of the host is pending in a session, so that the next change is checked
  /// against the outcome of the previous one.
  func afterHostChanges(of hosted: HostedSession) async throws(HubProblem) -> HostedSession {
    var hosted = hosted
    while true {
      if hosted.hostChanges.isPreparing {
        guard hosted.hostChanges.hasRoom else { throw .tooMany }
        await withUnsafeContinuation { hosted.hostChanges.wait($0) }
      } else if hosted.phase != .loaded {
        throw hosted.isEnding ? .noSuchSession : .unavailable
      } else if hosted.steps.hasHostChange {
        let id = hosted.id
        guard let next = await afterSteps(of: hosted) else { throw absence(of: id) }
        hosted = next
      } else {
        return hosted
      }
    }
  }

  /// Waits for everything that waits in a session; `nil` if it has ended or was unloaded.
  func afterSteps(of hosted: HostedSession) async -> HostedSession? {
    await answered { enqueue(.request($0), in: hosted, at: now) }
  }
}
