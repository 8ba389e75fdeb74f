import DequeModule
import PickerModel
import PickerSession

/// The steps of a session that wait for its log, in order: entries whose append is pending, and
/// everything that must happen after them, reads included.
///
/// It owns the steps and their size, and knows whether connections were paused because of it.
/// Invariant: the first step waits for a record of its own, so that the queue is empty while no
/// append is pending. Therefore, if the queue is empty, the caller must immediately run a step that
/// does not wait for the log.
struct StepQueue {
  private var steps: Deque<SessionStep> = []
  /// The memory of the steps in bytes, an estimate.
  private(set) var byteCount = 0
  /// The number of ``SessionStep/refuse(_:_:)`` steps.
  private var refusalCount = 0
  /// The number of steps whose entries the inventory has not decided.
  private var undecidedCount = 0
  /// Whether connections are paused because ``byteCount`` was at its limit.
  private var hasPausedConnections = false
  private let total: HubBuffers

  /// - Parameter total: The buffers of the hub, in which the steps count, too.
  init(total: HubBuffers) { self.total = total }

  var isEmpty: Bool { steps.isEmpty }
  var count: Int { steps.count }
  /// Whether what the session has of its inventory depends on a step.
  var hasUndecided: Bool { undecidedCount > 0 }

  mutating func append(_ step: SessionStep) {
    count(step)
    steps.append(step)
  }

  /// Puts a step before all others: the one that was removed has become it.
  mutating func prepend(_ step: SessionStep) {
    count(step)
    steps.prepend(step)
  }

  private mutating func count(_ step: SessionStep) {
    let size = step.byteCount
    byteCount += size
    total.stepBytes += size
    if step.isTimed { total.timedStepCount += 1 }
    if step.isRefusal { refusalCount += 1 }
    if step.isUndecided { undecidedCount += 1 }
  }

  /// Removes the first step if it can run now.
  ///
  /// - Parameter storedCount: The number of records that the log has stored for steps of this
  ///   queue; decreased if the removed step waited for one.
  mutating func next(storedCount: inout Int) -> SessionStep? {
    guard let step = steps.first else { return nil }
    if step.waitsForLog {
      guard storedCount > 0 else { return nil }
      storedCount -= 1
    }
    let size = step.byteCount
    byteCount -= size
    total.stepBytes -= size
    if step.isTimed { total.timedStepCount -= 1 }
    if step.isRefusal { refusalCount -= 1 }
    if step.isUndecided { undecidedCount -= 1 }
    return steps.removeFirst()
  }

  /// Removes all steps of a session that is unloaded; none of them runs.
  mutating func takeAll() -> Deque<SessionStep> {
    total.stepBytes -= byteCount
    total.timedStepCount -= steps.count { $0.isTimed }
    defer { (steps, byteCount, refusalCount, undecidedCount) = ([], 0, 0, 0) }
    return steps
  }
}

/// What the pending steps will do.
extension StepQueue {
  /// The connections whose join is pending; they are no listeners yet.
  var joiningConnections: [HubConnection] {
    steps.compactMap { if case .attach(let connection, _) = $0 { connection } else { nil } }
  }

  /// Whether a pending entry may give a member at least a role.
  ///
  /// - Parameter hasTokens: Whether the session's tokens grant roles; if not, the member that
  ///   joined first is the owner.
  func mayGive(_ needed: Role, to member: MemberID, hasTokens: Bool) -> Bool {
    steps.contains { step in
      guard let entry = step.entry else { return false }
      return hasTokens ? entry.body.mayGive(needed, to: member) : entry.facts.mayChangeOwners
    }
  }

  /// Whether a pending entry gives a member this role.
  func changesRole(of member: MemberID, to role: Role) -> Bool {
    steps.contains { step in
      guard let entry = step.entry else { return false }
      return entry.body == .roleChanged(member, role)
    }
  }

  /// Whether a pending refusal uses a ref of a member that is `ref` or greater.
  func refuses(_ member: MemberID, from ref: Int) -> Bool {
    guard refusalCount > 0 else { return false }
    return steps.contains { step in
      guard case .refuse(let unstored, _) = step else { return false }
      return unstored.member == member && unstored.ref >= ref && unstored.usesRef
    }
  }

  /// Whether the append of a change of the host is pending. The next change must not be checked
  /// before it is applied.
  var hasHostChange: Bool {
    steps.contains { step in
      step.entry?.facts.isHostChange ?? false
    }
  }
}

/// Back-pressure.
extension StepQueue {
  /// Decides whether the caller pauses the connection from which a message has come.
  mutating func pausesConnections(byteCountMax: Int) -> Bool {
    guard byteCount >= byteCountMax else { return false }
    hasPausedConnections = true
    return true
  }

  /// Decides whether the caller resumes the session's paused connections: once, when the queue is
  /// at most half full again.
  mutating func resumesConnections(byteCountMax: Int) -> Bool {
    guard hasPausedConnections, byteCount <= byteCountMax / 2 else { return false }
    hasPausedConnections = false
    return true
  }
}
