package import CivilTime
import JSONText
import PickerModel
package import PickerSession
import PickerWire

/// Definitions, ends, and finding sessions for requests.
extension Hub {
  /// Makes a definition, or returns the equal one that sessions in memory have.
  ///
  /// A known definition is used only if it makes a picker now. If it does not (all its dates have
  /// passed), it is made again, because that throws the problem with its pointer.
  func define(
    _ tree: JSONTree, _ prepared: PreparedDefinition? = nil
  ) throws(DefinitionProblem) -> Definition {
    let digest = prepared?.digest ?? identities.digest(of: tree.serialized())
    if let known = definitions[digest], (try? Picker(known, now: now.session)) != nil {
      return known
    }
    if let prepared {
      let definition = try prepared.made.get()
      definitions.insert(definition, digest: digest)
      return definition
    }
    let definition = try maker.make(tree, at: now.session)
    definitions.insert(definition, digest: digest)
    return definition
  }

  /// Denies a confirmation that waits, because its session is about to end.
  func denyConfirmation(of hosted: HostedSession) {
    guard let op = hosted.session.fold.decision.confirmation?.op else { return }
    append(.settle(Settle(op: op, isGranted: false)), to: hosted, at: now)
  }

  /// Ends a session: from now on the hub applies and answers nothing. When the log has stored the
  /// end, the connections are closed. The event has the state of now, without pending entries.
  func end(
    _ hosted: HostedSession, _ reason: SessionEnd,
    completion: @escaping (Result<Void, HubProblem>) -> Void
  ) {
    let event = hosted.session.endEvent(reason, at: now.session)
    switch log.append(.ended(event), of: hosted.id) {
    case .failed, .full, .storeFull, .exhausted: completion(.failure(.unavailable))
    case .stored where hosted.steps.isEmpty:
      directory.end(hosted, reason)
      remove(hosted)
      completion(.success(()))
    case .stored, .pending:
      directory.end(hosted, reason)
      hosted.steps.append(
        .end { isStored in completion(isStored ? .success(()) : .failure(.unavailable)) })
    }
  }

  /// Removes a session whose end is stored, and closes its connections.
  func remove(_ hosted: HostedSession) {
    directory.ended(hosted.id)
    forgetShared()
    if isShared { lookups.noteMissing(hosted.id, at: now.machine) }
    for id in hosted.connectionsInOrder {
      guard let connection = connections[id] else { continue }
      close(connection, .sessionEnded, hosted.endDetail)
    }
    noteEnd()
  }

  /// Finds a session for a request: loads it if needed, checks the token, and applies a due tick.
  ///
  /// - Parameters:
  ///   - ticket: A valid ticket, which grants a viewer's rights without a token.
  ///   - isDeletion: See ``LoadWaiter/isDeletion``.
  ///   - failure: Called if there is no such session, or the token does not grant the role.
  ///   - body: Called when all earlier steps of the session have run.
  func find(
    _ id: SessionID, token: Credential?, ticket: Ticket? = nil, needs role: Role,
    isDeletion: Bool = false, at time: HubTime,
    failure: @escaping (HubProblem) -> Void, body: @escaping (HostedSession) -> Void
  ) {
    now = time
    guard mayExist(id), token?.mayName(id) ?? true else { return failure(.noSuchSession) }
    whenLoaded(id, isDeletion: isDeletion) { [unowned self] hosted in
      guard let hosted else { return failure(absence(of: id)) }
      do throws(HubProblem) {
        if hosted.isEnding { throw .noSuchSession }
        try admission.admit(token, ticket, to: hosted.session, needs: role)
      } catch {
        return failure(error)
      }
      if hosted.steps.byteCount >= limits.queueBytes { return failure(.unavailable) }
      tickIfDue(hosted, at: now)
      enqueue(
        .request { [unowned self] hosted in
          guard let hosted else {
            return failure(absence(of: id))
          }
          do throws(HubProblem) {
            // A revocation may have been pending.
            if admission.hidesSessions {
              try admission.admit(token, ticket, to: hosted.session, needs: role)
            }
          } catch {
            return failure(error)
          }
          body(hosted)
        }, in: hosted, at: now)
    }
  }
}

/// Opening new sessions.
extension Hub {
  /// Opens a new session whose names are reserved: appends its creation.
  ///
  /// - Parameter completion: Called when the log has decided about it.
  /// - Throws: Why not. `completion` has not been called then.
  func open(
    _ fold: SessionFold, _ names: SessionIndex.Names, ordinal: Int64, key: CreationKey?,
    completion: @escaping (CreationOutcome) -> Void
  ) throws(HubProblem) {
    if let shared = log.sharedCount {
      if shared.sessions >= limits.sessions { throw .full(.sessions) }
      // Keys count as sessions do.
      guard names.key == nil || shard.names.use({ $0.mayAddKey(to: shared.keys) }) else {
        throw .full(.keys)
      }
    }
    guard shard.total.take(max: limits.sessions) else { throw .full(.sessions) }
    // The directory counts the session itself; this only reserved room for it.
    defer { shard.total.add(-1) }
    let hosted = directory.host(fold, at: now)
    guard directory.makeRoom(for: hosted) else { throw .full(.sessionsBytes) }
    var origin = fold.origin
    (origin.ordinal, origin.key) = (ordinal, key)
    let entry = SessionIndex.Entry(
      id: origin.id, ordinal: ordinal, external: origin.host.external,
      namespace: origin.host.namespace, uses: origin.uses?.name, status: .open)
    let record = LogRecord.created(
      origin, event: fold.creationEvent, nextTick: fold.nextTick)
    switch log.append(record, of: origin.id) {
    case .storeFull: throw .storeFull
    case .failed, .full, .exhausted: throw .unavailable
    case .stored:
      directory.create(hosted, isStored: true)
      sessionOpened(hosted, entry, key)
      completion(.stored)
    case .pending:
      directory.create(hosted, isStored: false)
      hosted.steps.append(
        .created { [unowned self] outcome in
          if outcome == .stored {
            sessionOpened(hosted, entry, key)
          } else {
            shard.names.use { $0.release(names) }
          }
          completion(outcome)
        })
    }
  }

  /// Why new sessions are refused now, apart from a store that cannot be written and from draining;
  /// `nil` if they are not.
  package var creationProblem: HubProblem? {
    let count = log.sharedCount?.sessions ?? shard.total.count
    if count >= limits.sessions { return .full(.sessions) }
    return directory.refusesSessions ? .full(.sessionsBytes) : nil
  }

  private func sessionOpened(
    _ hosted: HostedSession, _ entry: SessionIndex.Entry, _ key: CreationKey?
  ) {
    guard !isShared else {
      // The log has the names, and the session: the node of its first member shall own it.
      let names = SessionIndex.Names(
        external: entry.external, namespace: entry.namespace, key: key?.keyHash)
      shard.names.use { $0.release(names) }
      unload(hosted)
      directory.forget(hosted.id)
      return forgetShared()
    }
    directory.created(hosted)
    shard.names.use { $0.add(entry, key: key) }
    schedule.addExpiry(of: hosted.id, due: hosted.expiresAt, at: now)
    queueTick(of: hosted)
    followNow(hosted)
    evictSoon(hosted)
  }

  /// A random id that belongs to this hub's shard.
  func newID() -> SessionID {
    while true {
      let id = SessionID(identities.text())
      if shard.has(id) { return id }
    }
  }
}

/// A session that is in the log but not in memory, with the values that its timers need, so that
/// its log need not be read for them.
package struct DormantSession: Hashable, Sendable {
  package let id: SessionID
  package let ttlSeconds: Int
  /// The time since its last revision or join.
  package let idleMilliseconds: Int64
  package let nextTick: Instant?
  /// Whether the session must be loaded soon: it may still have members, which must leave in time
  /// if they do not reconnect, or the feed may lack events of its entries, which are then derived.
  package let hasMembers: Bool
  /// `nil` if it is known only after loading the session.
  package let status: SessionStatus?

  package init(
    id: SessionID, ttlSeconds: Int, idleMilliseconds: Int64, nextTick: Instant?, hasMembers: Bool,
    status: SessionStatus? = nil
  ) {
    self.id = id
    self.ttlSeconds = ttlSeconds
    self.idleMilliseconds = idleMilliseconds
    self.nextTick = nextTick
    self.hasMembers = hasMembers
    self.status = status
  }
}

/// Evicting sessions without members from memory, and reloading them on demand.
extension Hub {
  /// Adds the sessions that an earlier process has left in the log; of a shared log, those that
  /// this node has claimed because something of them is due.
  package func restore(_ stored: some Sequence<DormantSession>, at time: HubTime) {
    now = time
    for session in stored {
      // A hub can know a session of a shared log that it has not claimed.
      guard directory[session.id] == nil || isShared else { continue }
      if directory[session.id] == nil { restore(session, queuedTick: session.nextTick) }
      if session.hasMembers || isShared {
        directory.loadLater(BackgroundLoad(session.id))
      } else if let nextTick = session.nextTick {
        schedule.addTick(of: session.id, at: nextTick)
      }
    }
    loadInBackground()
  }

  /// Adds a session that is in the log only.
  ///
  /// - Parameter queuedTick: See ``DormantState/queuedTick``.
  func restore(_ session: DormantSession, queuedTick: Instant?) {
    let lastActivity = now.machine - session.idleMilliseconds
    directory.restore(
      session.id,
      DormantState(
        lastActivity: lastActivity, ttlSeconds: session.ttlSeconds, status: session.status,
        queuedTick: queuedTick))
    let ttl = Int64(session.ttlSeconds) * 1000
    schedule.addExpiry(of: session.id, due: lastActivity + ttl, at: now)
  }

  /// Runs `body` as soon as a session is in memory: at once if it is, else when the log has
  /// reloaded it.
  ///
  /// - Parameters:
  ///   - isDeletion: See ``LoadWaiter/isDeletion``.
  ///   - body: Receives `nil` if there is no such session, or it cannot be loaded now: the log
  ///     cannot be read, or there is no memory.
  func whenLoaded(
    _ id: SessionID, isDeletion: Bool = false, _ body: @escaping (HostedSession?) -> Void
  ) {
    let waiter = LoadWaiter(isDeletion: isDeletion, body: body)
    switch directory.load(id, for: waiter) {
    case .inMemory(let hosted) where isCurrent(id): body(hosted)
    case .inMemory: confirm(id, waiter)
    case .waits: break
    case .begins where !isDeletion && !directory.makeRoom():
      directory.loadFailed(id, isUnreadable: false)
      body(nil)
    case .begins: log.load(id, limits: limits.session, hub: shard.index)
    case .absent: isShared ? lookUp(id, waiter) : body(nil)
    }
  }

  /// Whether a session in memory can be read at once: no other node can own it, and nothing that
  /// came before waits until that is known.
  func isCurrent(_ id: SessionID) -> Bool { log.isCertain && confirming[id] == nil }

  /// Another node may have become the owner of a session in memory: waits until that is known.
  private func confirm(_ id: SessionID, _ waiter: LoadWaiter) {
    nonisolated(unsafe) let (hub, waiter) = (self, waiter)
    confirming[id, default: 0] += 1
    log.confirm(id) { isConfirmed in
      // What still waits comes after this one.
      let rest = (hub.confirming.removeValue(forKey: id) ?? 1) - 1
      defer { if rest > 0 { hub.confirming[id, default: 0] += rest } }
      guard isConfirmed else { return waiter.body(nil) }
      if let hosted = hub.directory.hosted(id) { return waiter.body(hosted) }
      hub.whenLoaded(id, isDeletion: waiter.isDeletion, waiter.body)
    }
  }

  /// The log has finished loading a session. Runs the waiting requests in the order in which they
  /// were queued.
  ///
  /// If the memory has become full meanwhile, only deletions get the session, which then leaves the
  /// memory again. Otherwise every session is loaded, however large it is.
  package func loaded(_ id: SessionID, _ outcome: LogLookup<LoadedSession>, at time: HubTime) {
    now = time
    guard case .loading(_, let waiters) = directory[id] else { return }
    let session = outcome.value
    // Its definition counts already.
    let isFull = !directory.makeRoom(for: 1 - (session?.fold.definition.byteCount ?? 0))
    guard let session, !isFull || waiters.all.contains(where: \.isDeletion) else {
      notLoaded(id, outcome)
      // No other node does what it is due for.
      if isShared { loadInAMinute(id) }
      for waiter in waiters.all { waiter.body(nil) }
      return loadInBackground()
    }
    let hosted = directory.loaded(session)
    // Another node may have had it since this hub has learned of it.
    if isShared { hosted.lastActivity = now.machine - session.idleMilliseconds }
    noteStatus(of: hosted, before: nil)
    for missed in session.missed where hosted.isInMemory { _ = feed(missed, of: hosted) }
    for member in session.fold.membersInOrder {
      noteAbsence(of: member.id, in: hosted, at: time)
    }
    schedule.addExpiry(of: id, due: hosted.expiresAt, at: time)
    queueTick(of: hosted)
    endIfExpired(hosted)
    if hosted.phase == .loaded { followNow(hosted, session.step) }
    for waiter in waiters.all {
      // A session that ends is absent, but only if the log stores the end.
      if hosted.phase == .ending {
        enqueue(.request(waiter.body), in: hosted, at: time)
        continue
      }
      // The ones before may have appended an entry; if that fails, the session is unloaded again.
      waiter.body(hosted.isInMemory && (waiter.isDeletion || !isFull) ? hosted : nil)
    }
    isFull ? evict(hosted) : evictSoon(hosted)
    loadInBackground()
  }

  /// A session was not loaded. One that this node owns stays its own.
  private func notLoaded(_ id: SessionID, _ outcome: LogLookup<LoadedSession>) {
    switch outcome {
    case .found, .unavailable: directory.loadFailed(id, isUnreadable: false)
    case .unreadable: directory.loadFailed(id, isUnreadable: true)
    case .absent, .elsewhere:
      directory.loadFailed(id, isUnreadable: true)
      guard isShared else { return }
      directory.forget(id)
      var isElsewhere = false
      if case .elsewhere = outcome { isElsewhere = true }
      lookups.noteMissing(id, isElsewhere: isElsewhere, at: now.machine)
    }
  }

  /// Starts queued background loads (for which no request waits), while fewer than the maximum
  /// number of loads are running.
  func loadInBackground() {
    while let load = directory.nextBackgroundLoad() {
      let session = load.session
      whenLoaded(session) { [unowned self] hosted in
        if let body = load.body { return body(hosted) }
        if let hosted {
          tickIfDue(hosted, at: now)
        } else {
          loadInAMinute(session)
        }
      }
    }
  }

  /// Loads a session again that could not be loaded: after a minute, because the log may be damaged
  /// or the memory full.
  private func loadInAMinute(_ id: SessionID) {
    guard directory.queueRetry(id) else { return }
    schedule.add(.load(id), due: now.machine + 60 * retryMilliseconds)
  }

  /// Starts a timer that evicts a session without members, unless someone connects to it meanwhile.
  func evictSoon(_ hosted: HostedSession) {
    guard log.canLoad, hosted.isInMemory, hosted.session.fold.members.isEmpty else { return }
    let wait = min(idleMilliseconds, limits.memberMilliseconds)
    schedule.add(.idle(hosted.id), due: now.machine + wait)
  }

  /// Evicts a session that has no connections and no members. If steps are pending, it is tried
  /// again later.
  func evict(_ hosted: HostedSession) {
    guard log.canLoad, hosted.phase == .loaded, hosted.session.fold.members.isEmpty,
      hosted.attendance.connectionCount == 0, hosted.session.listeners.isEmpty
    else { return }
    guard hosted.steps.isEmpty, !hosted.hostChanges.isPreparing, !hosted.history.isRunning
    else { return schedule.add(.idle(hosted.id), due: now.machine + retryMilliseconds) }
    if hosted.log.needsIdleSnapshot {
      log.storeSnapshot(of: hosted, isIdle: true, at: now)
    }
    directory.evict(hosted, state(of: hosted))
    forgetShared()
    release(hosted.id)
  }

  private func state(of hosted: HostedSession) -> DormantState {
    DormantState(
      lastActivity: hosted.lastActivity, ttlSeconds: hosted.session.fold.origin.ttlSeconds,
      status: hosted.session.fold.status, queuedTick: hosted.ticks.queued)
  }

  /// The log could not store the pending records of some sessions. Unloads these sessions, so that
  /// they return to their stored state, and closes their connections so that clients reconnect.
  package func lost(_ ids: some Sequence<SessionID>, at time: HubTime) {
    now = time
    for id in ids {
      if let hosted = directory.hosted(id) {
        lose(hosted)
      } else if directory.endLost(id) {
        expireLater(id)
      } else {
        reloadLater(id)
      }
    }
  }

  /// Other nodes own these sessions: nothing of them is stored here any more. Removes them from
  /// memory, and closes their connections so that clients reconnect to the owner.
  package func taken(_ ids: some Sequence<SessionID>, at time: HubTime) {
    now = time
    for id in ids {
      lookups.noteMissing(id, isElsewhere: true, at: now.machine)
      if let hosted = directory.hosted(id) {
        unload(hosted)
      } else {
        _ = directory.endLost(id)
      }
      directory.forget(id)
    }
  }

  /// Unloads a session whose pending records are lost, and closes its connections.
  func lose(_ hosted: HostedSession) {
    guard hosted.isInMemory else { return }
    reloadLater(hosted.id)
    unload(hosted)
  }

  private func unload(_ hosted: HostedSession) {
    directory.lose(hosted, state(of: hosted))
    for id in hosted.connectionsInOrder {
      guard let connection = connections[id] else { continue }
      cannotStore(connection)
    }
    for step in hosted.steps.takeAll() { refuse(step, of: hosted) }
  }

  /// Schedules the reload of a lost session, even of one without members: events of its stored
  /// entries may be lost, and are derived again when it is loaded. Its members may have to leave,
  /// and a tick may be due.
  private func reloadLater(_ id: SessionID) {
    guard directory.exists(id) else { return }
    schedule.add(.load(id), due: now.machine + 5 * retryMilliseconds)
  }
}

/// Which sessions exist. A hub whose log is not shared knows all of them; otherwise it knows those
/// that its node owns, and the log is asked about the others.
extension Hub {
  /// Whether a session exists, or may exist and must be looked up.
  func mayExist(_ id: SessionID) -> Bool {
    if directory.exists(id) { return true }
    return isShared && directory[id] == nil && !lookups.isAbsent(id, at: now.machine)
  }

  /// Whether a session is not in memory, and neither being loaded nor looked up.
  func needsLoad(_ id: SessionID) -> Bool {
    switch directory[id] {
    case .dormant: true
    case nil: !lookups.isRunning(for: id)
    case .creating, .resident, .ending, .loading, .endingDormant: false
    }
  }

  /// Whether a request for a session would look it up in the log.
  package func needsLookUp(_ id: SessionID, at time: HubTime) -> Bool {
    isShared && directory[id] == nil && !lookups.isRunning(for: id)
      && !lookups.isAbsent(id, at: time.machine)
  }

  /// Runs `body` if the look-up of a session that is running finds that there is none.
  package func whenAbsent(_ id: SessionID, _ body: @escaping () -> Void) {
    guard lookups.isRunning(for: id) else { return }
    let waiter = LoadWaiter(isDeletion: false) { [unowned self] _ in
      if lookups.isAbsent(id, at: now.machine) { body() }
    }
    lookUp(id, waiter)
  }

  /// The problem of a request whose session could not be loaded.
  func absence(of id: SessionID) -> HubProblem {
    guard mayExist(id) else { return .noSuchSession }
    return lacksMemory(for: id) ? .noMemory : .unavailable
  }

  /// Whether a session is not in memory because there is no room for it.
  func lacksMemory(for id: SessionID) -> Bool {
    // One that is in memory was loaded to be deleted only.
    directory.isFull
      && (directory.dormant(id)?.isUnreadable == false || directory.hosted(id) != nil)
  }

  /// Looks up a session that the hub does not know, and loads it.
  ///
  /// - Parameter waiter: Receives `nil` if there is no such session, or it cannot be loaded.
  func lookUp(_ id: SessionID, _ waiter: LoadWaiter) {
    guard mayExist(id) else { return waiter.body(nil) }
    guard lookups.wait(for: id, waiter) else { return }
    nonisolated(unsafe) let hub = self
    log.find(id) { hub.lookedUp(id, $0) }
  }

  private func lookedUp(_ id: SessionID, _ outcome: LogLookup<DormantSession>) {
    switch outcome {
    case .found(let session) where directory[id] == nil: restore(session, queuedTick: nil)
    case .absent: lookups.noteMissing(id, at: now.machine)
    case .found, .elsewhere, .unavailable, .unreadable: break
    }
    for waiter in lookups.end(of: id) {
      if directory.exists(id) {
        whenLoaded(id, isDeletion: waiter.isDeletion, waiter.body)
      } else {
        waiter.body(nil)
      }
    }
  }

  /// A session of a shared log is in memory no more: the hub forgets it, and any node may own it.
  func release(_ id: SessionID) {
    guard isShared else { return }
    directory.forget(id)
    log.released(id)
  }
}

/// The time after which a session without members leaves memory.
private let idleMilliseconds: Int64 = 5_000
/// The time for which the hub remembers that it has not got a session.
private let absenceMilliseconds: Int64 = 1000

/// Look-ups of unknown sessions in a shared log, with a negative cache.
///
/// Invariant: at most one look-up per session runs. An absence is cached for up to a second, in a
/// bounded cache, so repeated requests for a wrong id do not reach the log.
struct SessionLookups {
  private var waiting: [SessionID: LoadWaiters] = [:]
  /// Sessions that do not exist, or that other nodes own, until a time in monotonic milliseconds.
  private var absent: [SessionID: (until: Int64, isElsewhere: Bool)] = [:]

  /// The maximum number of cached absences; when reached, all are dropped.
  static let absentCountMax = 4096

  var absentCount: Int { absent.count }

  /// Queues a request until the look-up ends.
  ///
  /// - Returns: Whether the caller starts the look-up; `false` while one is running.
  mutating func wait(for id: SessionID, _ waiter: LoadWaiter) -> Bool {
    if let waiters = waiting[id] {
      waiters.all.append(waiter)
      return false
    }
    waiting[id] = LoadWaiters(waiter)
    return true
  }

  func isRunning(for id: SessionID) -> Bool { waiting[id] != nil }

  /// Ends a look-up.
  ///
  /// - Returns: The queued requests, in order.
  mutating func end(of id: SessionID) -> [LoadWaiter] {
    waiting.removeValue(forKey: id)?.all ?? []
  }

  func isAbsent(_ id: SessionID, at now: Int64) -> Bool {
    absent[id].map { now < $0.until && !$0.isElsewhere } ?? false
  }

  /// Whether another node owned a session a moment ago.
  func isElsewhere(_ id: SessionID, at now: Int64) -> Bool {
    absent[id].map { now < $0.until && $0.isElsewhere } ?? false
  }

  /// Caches that a session does not exist or has ended, or that another node owns it.
  mutating func noteMissing(_ id: SessionID, isElsewhere: Bool = false, at now: Int64) {
    if absent.count >= SessionLookups.absentCountMax { absent = [:] }
    absent[id] = (now + absenceMilliseconds, isElsewhere)
  }
}
