import CivilTime
import DequeModule
import PickerModel
package import PickerSession
import PickerWire

/// The delay before an append that the log refused is tried again.
let retryMilliseconds: Int64 = 1000

/// The pipeline of a session: an entry is appended to the log, applied when the log has stored it,
/// and its delta is broadcast when it is applied. While an append is pending, all later steps of
/// the session, reads included, wait behind it in its ``StepQueue``.
extension Hub {
  /// Appends an entry, and applies it as soon as the log has stored it.
  ///
  /// When the session's log or the store has reached its maximum size, a command is refused.
  /// - Parameter completion: Receives the effects, or `nil` if the log has lost the entry.
  /// - Returns: Whether the entry is stored or pending (for a command also: was refused in order).
  ///   When `false`, the session's connections have been closed, unless only its log or the store
  ///   is full (``LogProgress/refusal``).
  @discardableResult
  func append(
    _ body: consuming LogEntry.Body, to hosted: HostedSession, at time: HubTime,
    completion: (([Effect]?) -> Void)? = nil
  ) -> Bool {
    let isDecided = body.isConfirm && hosted.session.fold.origin.host.decideSeconds != nil
    let entry = LogEntry(at: time.session, body: body, op: isDecided ? identities.text() : nil)
    let outcome = log.append(entry, to: hosted, at: time)
    switch outcome {
    case .stored where hosted.steps.isEmpty:
      apply(entry, arrival: time.machineNanoseconds, completion, in: hosted, at: time)
    case .stored, .pending:
      hosted.steps.append(.apply(entry, arrival: time.machineNanoseconds, completion))
    case .full, .storeFull:
      guard case .command(let member, let ref, let command, _) = entry.body else { return false }
      let refused = UnstoredCommand(
        member: member, ref: ref, command: command,
        reason: outcome == .full ? .logBytes : .storeBytes)
      enqueue(.refuse(refused, completion), in: hosted, at: time)
    case .failed:
      countDropped(entry, in: hosted)
      fail(hosted)
      return false
    case .exhausted:
      countDropped(entry, in: hosted)
      endFull(hosted)
      return false
    }
    return true
  }

  /// Ends a session whose log accepts no more entries: every later change would fail.
  private func endFull(_ hosted: HostedSession) {
    guard hosted.phase == .loaded else { return }
    end(hosted, .full) { [unowned self] result in
      if case .failure = result { fail(hosted) }
    }
  }

  /// Runs a step at once if the session's queue is empty, else queues it behind the others.
  func enqueue(_ step: SessionStep, in hosted: HostedSession, at time: HubTime) {
    if hosted.phase == .unloaded {
      refuse(step, of: hosted)
    } else if hosted.steps.isEmpty {
      run(step, in: hosted, at: time)
    } else {
      hosted.steps.append(step)
    }
  }

  /// The log has committed the next records of a session.
  package func committed(_ count: Int, of session: SessionID, at time: HubTime) {
    now = time
    guard let hosted = directory.hosted(session) else {
      guard case .endingDormant = directory[session] else { return }
      directory.ended(session)
      return noteEnd()
    }
    runSteps(of: hosted, storedCount: count, at: time)
    resumeConnections(of: hosted)
  }

  /// The log has not stored the creation of a session: another one has its external id or its
  /// idempotency key.
  package func refused(_ session: SessionID, at time: HubTime) {
    now = time
    guard case .creating(let hosted) = directory[session] else { return }
    let steps = hosted.steps.takeAll()
    directory.refused(hosted)
    for step in steps {
      if case .created(let completion) = step {
        completion(.refused)
      } else {
        refuse(step, of: hosted)
      }
    }
  }

  /// Runs the next steps of a session whose records are stored, and the reads between them.
  func runSteps(of hosted: HostedSession, storedCount: Int, at time: HubTime) {
    var storedCount = storedCount
    while let step = hosted.steps.next(storedCount: &storedCount) {
      run(step, in: hosted, at: time)
    }
  }

  private func run(_ step: SessionStep, in hosted: HostedSession, at time: HubTime) {
    switch step {
    case .apply(let entry, let arrival, let completion):
      apply(entry, arrival: arrival, completion, in: hosted, at: time)
    case .refuse(let unstored, let completion):
      refuse(unstored, completion, in: hosted, at: time)
    case .attach(let connection, let attachment):
      if !hosted.isEnding { attach(connection, attachment, in: hosted, at: time) }
    case .look(let body): if !hosted.isEnding { body(hosted) }
    case .request(let body): body(hosted.isEnding ? nil : hosted)
    case .created(let completion): completion(.stored)
    case .end(let completion):
      remove(hosted)
      completion(true)
    }
  }

  /// Answers a step that cannot be run because its session has been unloaded.
  func refuse(_ step: SessionStep, of hosted: HostedSession) {
    switch step {
    case .attach(let connection, _): cannotStore(connection)
    case .created(let completion): completion(.lost)
    case .end(let completion): completion(false)
    case .request(let body): body(nil)
    case .apply(let entry, _, let completion):
      countDropped(entry, in: hosted)
      completion?(nil)
    case .refuse(_, let completion):
      countDropped(in: hosted)
      completion?(nil)
    case .look: break
    }
  }

  /// Applies an entry of the log.
  ///
  /// - Parameter arrival: The time of the append.
  func apply(
    _ entry: LogEntry, arrival: Int64, _ completion: (([Effect]?) -> Void)?,
    in hosted: HostedSession, at time: HubTime
  ) {
    let status = hosted.session.status
    var effects: [Effect] = []
    swap(&effects, &self.effects)
    defer {
      while effects.popLast() != nil {}
      swap(&effects, &self.effects)
    }
    if hosted.session.apply(entry, &effects) { hosted.noteActivity(at: time) }
    hosted.log.applied(hosted.session.remnant)
    let isCommand = entry.isCommand
    // A command can change the memory of a session by not more than a delta.
    if !isCommand || hosted.log.entryCount % 64 == 0 { directory.recount(hosted) }
    noteStatus(of: hosted, before: status)
    if !isCommand {
      hosted.attendance.applied(entry.body)
      if entry.body.isTick { hosted.ticks.applied() }
    }
    if hosted.isEnding {
      countDropped(entry, in: hosted)
      completion?(nil)
      return
    }
    if isCommand { countCommand(effects, in: hosted) }
    if let completion {
      completion(effects)
      // A command that was posted over HTTP is answered in its response only, even if the member
      // has a connection.
      effects.removeAll { if case .answered = $0 { true } else { false } }
    }
    let deliveryCount = connections.counters.deliveries
    perform(effects, in: hosted, at: time)
    if isCommand, connections.counters.deliveries > deliveryCount, effects.haveDelta {
      port.delivered(commandOf: arrival)
    }
    if hosted.session.hasEvents, !feed(hosted) { return }
    queueTick(of: hosted)
    if hosted.log.mayNeedSnapshot,
      hosted.log.isSnapshotDue(memberCount: hosted.session.memberCount, at: now)
    {
      log.storeSnapshot(of: hosted, isIdle: false, at: now)
    }
    if case .left = entry.body { evict(hosted) }
  }

  /// The log could not store an append: unloads the session, and closes its connections so that
  /// clients reconnect later.
  func fail(_ hosted: HostedSession) {
    if log.canLoad { return lose(hosted) }
    for listener in hosted.session.listeners {
      guard let connection = connections[listener.connection] else { continue }
      cannotStore(connection)
    }
    for connection in hosted.steps.joiningConnections { cannotStore(connection) }
  }
}

extension [Effect] {
  fileprivate var haveDelta: Bool { contains { if case .delta = $0 { true } else { false } } }
}

/// A step of a session's queue: see ``StepQueue``.
enum SessionStep {
  /// Apply an entry when the log has stored it. The completion receives its effects, or `nil` if
  /// it is lost. `arrival` is the time of the append, a ``HubTime/machineNanoseconds``.
  case apply(LogEntry, arrival: Int64, (([Effect]?) -> Void)?)
  /// Refuse a command that is not appended to the log.
  case refuse(UnstoredCommand, (([Effect]?) -> Void)?)
  /// Make a connection a listener.
  case attach(HubConnection, Attachment)
  /// Read the session; skipped if it has ended or was unloaded.
  case look((HostedSession) -> Void)
  /// Answer a request about the session; `nil` if it has ended or was unloaded.
  case request((HostedSession?) -> Void)
  /// Complete a creation.
  case created((CreationOutcome) -> Void)
  /// Close all connections and remove the session.
  case end((_ isStored: Bool) -> Void)

  /// See ``LogEntry/Facts/isTimed``.
  var isTimed: Bool {
    if case .apply(let entry, _, _) = self { entry.facts.isTimed } else { false }
  }

  var isRefusal: Bool { if case .refuse = self { true } else { false } }

  /// Whether it waits for a record of its own to be stored. The others wait for the steps before
  /// them only.
  var waitsForLog: Bool {
    switch self {
    case .apply, .created, .end: true
    case .refuse, .attach, .look, .request: false
    }
  }

  /// Its memory in bytes including referenced objects, an estimate.
  var byteCount: Int {
    switch self {
    case .apply(let entry, _, _): 256 + entry.facts.textByteCount
    case .refuse(let unstored, _): 256 + unstored.command.byteCount
    case .attach, .look, .request, .created, .end: 256
    }
  }
}

/// What has become of an appended creation.
package enum CreationOutcome {
  case stored
  case lost
  /// Another session has its external id or idempotency key.
  case refused
}

/// A command that is refused in order, but not appended to the log.
struct UnstoredCommand {
  let member: MemberID
  let ref: Int
  let command: Command
  let reason: UnstoredReason?

  /// Whether its ref will be recorded in memory, or is not above a recorded one.
  var usesRef: Bool { reason == nil || reason == .fixedName || command.isUnknown }
}

/// A listener to be, whose join is pending.
struct Attachment {
  let member: MemberID
  let secret: String
  let language: Int
  let zone: CellZone?
  var view: MonthView?
  /// The last revision that the client has; `nil` for a new member or another epoch.
  let resumeAfter: Int?
}

extension Command {
  var isUnknown: Bool { if case .unknown = self { true } else { false } }
  var isRename: Bool { if case .rename = self { true } else { false } }
}

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
  /// Whether connections are paused because ``byteCount`` was at its limit.
  private var hasPausedConnections = false
  private let total: HubBuffers

  /// - Parameter total: The buffers of the hub, in which the steps count, too.
  init(total: HubBuffers) { self.total = total }

  var isEmpty: Bool { steps.isEmpty }
  var count: Int { steps.count }

  mutating func append(_ step: SessionStep) {
    let size = step.byteCount
    byteCount += size
    total.stepBytes += size
    if step.isTimed { total.timedStepCount += 1 }
    if step.isRefusal { refusalCount += 1 }
    steps.append(step)
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
    return steps.removeFirst()
  }

  /// Removes all steps of a session that is unloaded; none of them runs.
  mutating func takeAll() -> Deque<SessionStep> {
    total.stepBytes -= byteCount
    total.timedStepCount -= steps.count { $0.isTimed }
    defer { (steps, byteCount, refusalCount) = ([], 0, 0) }
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
      guard case .apply(let entry, _, _) = step else { return false }
      return hasTokens ? entry.body.mayGive(needed, to: member) : entry.facts.mayChangeOwners
    }
  }

  /// Whether a pending entry gives a member this role.
  func changesRole(of member: MemberID, to role: Role) -> Bool {
    steps.contains { step in
      guard case .apply(let entry, _, _) = step else { return false }
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
      if case .apply(let entry, _, _) = step { entry.facts.isHostChange } else { false }
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
