package import PickerSession

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
    let hasOp = body.isConfirm && hosted.session.fold.origin.host.decideSeconds != nil
    let entry = LogEntry(at: time.session, body: body, op: hasOp ? identities.text() : nil)
    if hosted.session.hasInventory, hosted.mayAsk(entry.body) {
      let arrival = time.machineNanoseconds
      guard hosted.steps.isEmpty else {
        hosted.steps.append(.ask(entry, arrival: arrival, completion))
        return true
      }
      return ask(entry, arrival: arrival, completion, isFirst: false, in: hosted, at: time)
    }
    return append(
      entry, arrival: time.machineNanoseconds, completion, isFirst: false, to: hosted, at: time)
  }

  /// - Parameter isFirst: Whether the entry comes before all steps.
  @inline(__always)
  func append(
    _ entry: LogEntry, arrival: Int64, _ completion: (([Effect]?) -> Void)?, isFirst: Bool,
    to hosted: HostedSession, at time: HubTime
  ) -> Bool {
    let outcome = log.append(entry, to: hosted, at: time)
    switch outcome {
    case .stored where isFirst || hosted.steps.isEmpty:
      apply(entry, arrival: arrival, completion, in: hosted, at: time)
    case .stored, .pending: queue(entry, arrival: arrival, completion, isFirst, in: hosted)
    case .decided(let outcome):
      let decided = entry.decided(outcome)
      if isFirst || hosted.steps.isEmpty {
        apply(decided, arrival: arrival, completion, in: hosted, at: time)
      } else {
        queue(decided, arrival: arrival, completion, isFirst, in: hosted)
      }
    case .full, .storeFull:
      guard case .command(let member, let ref, let command, _) = entry.body.undecided else {
        return false
      }
      let refused = UnstoredCommand(
        member: member, ref: ref, command: command,
        reason: outcome == .full ? .logBytes : .storeBytes)
      if isFirst {
        refuse(refused, completion, in: hosted, at: time)
      } else {
        enqueue(.refuse(refused, completion), in: hosted, at: time)
      }
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

  private func queue(
    _ entry: LogEntry, arrival: Int64, _ completion: (([Effect]?) -> Void)?, _ isFirst: Bool,
    in hosted: HostedSession
  ) {
    let step = SessionStep.apply(entry, arrival: arrival, completion)
    if isFirst { hosted.steps.prepend(step) } else { hosted.steps.append(step) }
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
  ///
  /// - Parameter outcomes: Those of the undecided entries among them, in their order.
  package func committed(
    _ count: Int, outcomes: [InventoryOutcome] = [], of session: SessionID, at time: HubTime
  ) {
    now = time
    guard let hosted = directory.hosted(session) else {
      guard case .endingDormant = directory[session] else { return }
      directory.ended(session)
      return noteEnd()
    }
    runSteps(of: hosted, storedCount: count, outcomes: outcomes[...], at: time)
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
  ///
  /// - Parameter outcomes: Of the undecided entries among them.
  func runSteps(
    of hosted: HostedSession, storedCount: Int, outcomes: ArraySlice<InventoryOutcome> = [],
    at time: HubTime
  ) {
    var (storedCount, outcomes) = (storedCount, outcomes)
    while let step = hosted.steps.next(storedCount: &storedCount) {
      if case .apply(let entry, let arrival, let completion) = step, entry.demand != nil,
        let outcome = outcomes.popFirst()
      {
        apply(entry.decided(outcome), arrival: arrival, completion, in: hosted, at: time)
      } else {
        run(step, in: hosted, at: time)
      }
    }
  }

  private func run(_ step: SessionStep, in hosted: HostedSession, at time: HubTime) {
    switch step {
    case .apply(let entry, let arrival, let completion):
      apply(entry, arrival: arrival, completion, in: hosted, at: time)
    case .ask(let entry, let arrival, let completion):
      askLater(entry, arrival: arrival, completion, in: hosted, at: time)
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
    case .apply(let entry, _, let completion), .ask(let entry, _, let completion):
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
    let hasRevision = hosted.session.apply(entry, &effects)
    if hasRevision, !entry.isNews { hosted.noteActivity(at: time) }
    hosted.log.applied(hosted.session.remnant)
    let isCommand = entry.isCommand
    // A command can change the memory of a session by not more than a delta.
    if !isCommand || hosted.log.entryCount % 64 == 0 { directory.recount(hosted) }
    noteStatus(of: hosted, before: status)
    if !isCommand {
      hosted.attendance.applied(entry.body.undecided)
      if entry.body.isTick { hosted.ticks.applied() }
      if case .roleSet(let role) = entry.body { grant(role, in: hosted) }
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
    if hosted.session.hasInventory { seeLater(hosted, after: entry) }
    if !isCommand, case .left = entry.body.undecided { evict(hosted) }
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

extension Command {
  var isUnknown: Bool { if case .unknown = self { true } else { false } }
  var isRename: Bool { if case .rename = self { true } else { false } }
}
