import PickerModel
package import PickerSession

/// A session in memory, with the hub's state about it.
///
/// The state consists of values that own their storage; each has its own invariants. One thread
/// uses a session.
package final class HostedSession {
  package let session: Session
  let id: SessionID
  /// A serial number: operations on all sessions run in its order, so that they are reproducible.
  let number: Int
  /// What the directory's state means for this object, so that a delivery need not look it up.
  package private(set) var phase = Phase.loaded
  /// What waits for the log.
  var steps: StepQueue
  /// The progress in its log.
  var log: LogProgress
  var history: HistoryReading
  var attendance: Attendance
  package var hostChanges = HostChangeQueue()
  var ticks = SessionTicks()
  var presence = PresenceThrottle()
  /// The version of its shared definition that it was checked against last.
  var followedVersion = 0
  /// Its claim, if the inventory has another one than the session knows.
  var otherClaim: NumberedClaim?
  /// Its levels when it was found to see what others with the same view see, and those: they are
  /// equal.
  var sameLevels: (own: KeyLevels, shared: KeyLevels)?
  /// Whether an entry about the inventory is pending.
  var hasNews = false
  /// Whether it has not seen what has become of the inventory, because of what was pending.
  var missesNews = false
  /// Whether it is queued to follow its shared definition.
  var isFollower = false
  /// What the directory has counted of its memory; `nil` while it is not in memory.
  var charge: ResidentMemory.Charge?
  /// The time of the last revision or join, in machine milliseconds.
  var lastActivity: Int64
  /// Why the session ends; read in the phase `ending` and later.
  private(set) var end = SessionEnd.deleted

  package enum Phase {
    /// In memory, or about to be.
    case loaded
    /// In memory; its end is appended, but not stored yet.
    case ending
    /// The log has stored its end.
    case ended
    /// Evicted or lost. The directory may have another object for the same session.
    case unloaded
  }

  /// A new session.
  init(_ session: Session, number: Int, _ buffers: HubBuffers, at time: HubTime) {
    self.session = session
    steps = StepQueue(total: buffers)
    id = session.id
    self.number = number
    log = LogProgress()
    history = HistoryReading()
    attendance = Attendance()
    lastActivity = time.machine
  }

  /// A session that was reloaded from its log.
  init(_ loaded: LoadedSession, number: Int, _ buffers: HubBuffers, after state: DormantState) {
    let fold = loaded.fold
    steps = StepQueue(total: buffers)
    session = Session(fold)
    id = session.id
    self.number = number
    log = LogProgress(loaded)
    history = HistoryReading(
      isPartial: fold.history.count < min(fold.revision, fold.limits.history))
    attendance = Attendance()
    lastActivity = state.lastActivity
  }
}

/// Its life. Only ``SessionDirectory`` calls these functions.
extension HostedSession {
  func beginEnd(_ reason: SessionEnd) {
    precondition(phase == .loaded, "a session ends once")
    (phase, end) = (.ending, reason)
  }

  func finishEnd() { phase = .ended }

  func unload() {
    precondition(isInMemory, "only a session in memory is unloaded")
    phase = .unloaded
  }
}

extension HostedSession {
  /// When its time to live is over, in machine milliseconds.
  var expiresAt: Int64 { lastActivity + Int64(session.fold.origin.ttlSeconds) * 1000 }

  /// A revision or a join: its time to live begins again.
  func noteActivity(at time: HubTime) { lastActivity = time.machine }

  /// The number of members after all pending joins and returns.
  var memberCountPending: Int { session.memberCount + attendance.pendingJoinCount }

  /// Whether its end was appended. From then on the hub applies and answers nothing.
  package var isEnding: Bool { phase == .ending || phase == .ended }
  /// The problem to answer when the log has lost an entry.
  package var loss: HubProblem { isEnding ? .noSuchSession : .unavailable }
  /// The problem to answer when the log has not accepted an entry.
  package var refusal: HubProblem { isEnding ? .noSuchSession : log.refusal ?? .unavailable }
  /// Whether it is the directory's object for its session.
  var isInMemory: Bool { phase == .loaded || phase == .ending }

  /// The detail of the error that members receive when the session ends.
  var endDetail: String {
    switch end {
    case .deleted, .expired: "the session has ended"
    case .full: "the session has ended: its log has reached its maximum size"
    }
  }

  /// Whether a command is certain to be refused because its member is a viewer: no pending step can
  /// change that. Without tokens nobody is a viewer.
  func isBarred(_ command: Command, of member: MemberID) -> Bool {
    guard session.hasTokens, command.roleNeeded > .viewer else { return false }
    if let role = session.role(of: member), role > .viewer { return false }
    return !steps.mayGive(.editor, to: member, hasTokens: true)
  }

  /// Whether an entry may ask something of the inventory, or what it asks depends on a step.
  func mayAsk(_ body: LogEntry.Body) -> Bool {
    steps.hasUndecided || session.fold.mayAsk(body)
  }

  /// Whether a ref is not above that of a refused command that is not in the log.
  func isOld(_ ref: Int, of member: MemberID) -> Bool {
    ref <= session.greatestUnloggedRef(of: member) || steps.refuses(member, from: ref)
  }

  /// The connections of members and event streams, in the order of their ids.
  var connectionsInOrder: [ConnectionID] {
    let watching = session.listeners.filter { $0.member == nil }.map(\.connection)
    return (attendance.connections + watching).sorted { $0.raw < $1.raw }
  }
}
