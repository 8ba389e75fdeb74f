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
  private var waiting: [() -> Void] = []
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

  /// Queues a change until ``end()``.
  ///
  /// - Returns: `false` if too many changes are waiting.
  mutating func wait(_ change: @escaping () -> Void) -> Bool {
    precondition(isPreparing, "a change waits only for one that is being evaluated")
    guard waiting.count < waitingMax else { return false }
    waiting.append(change)
    return true
  }

  /// The evaluation of a change has begun.
  package mutating func begin() { isPreparing = true }

  /// The evaluation of a change has ended. The caller has its result.
  package mutating func end() { isPreparing = false }

  /// Removes and returns the changes that waited.
  package mutating func takeWaiting() -> [() -> Void] {
    defer { waiting = [] }
    return waiting
  }
}

extension Hub {
  /// Runs `body` as soon as no change of the host is pending, so that the next change is checked
  /// against the outcome of the previous one.
  func afterHostChanges(
    of hosted: HostedSession, failure: @escaping (HubProblem) -> Void,
    body: @escaping (HostedSession) -> Void
  ) {
    if hosted.hostChanges.isPreparing {
      let waits = hosted.hostChanges.wait { [unowned self] in
        afterHostChanges(of: hosted, failure: failure, body: body)
      }
      return waits ? () : failure(.tooMany)
    }
    guard hosted.phase == .loaded else {
      return failure(hosted.isEnding ? .noSuchSession : .unavailable)
    }
    guard hosted.steps.hasHostChange else { return body(hosted) }
    enqueue(
      .request { [unowned self, id = hosted.id] hosted in
        guard let hosted else { return failure(absence(of: id)) }
        afterHostChanges(of: hosted, failure: failure, body: body)
      }, in: hosted, at: now)
  }
}
