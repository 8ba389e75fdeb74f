import CivilTime
package import PickerSession

/// The time after which a session without members leaves memory.
private let idleMilliseconds: Int64 = 5_000

/// Evicting sessions without members from memory, and reloading them on demand.
extension Hub {
  /// Adds the sessions that an earlier process has left in the log; of a cluster's log, those that
  /// this node has claimed because something of them is due.
  package func restore(_ stored: some Sequence<DormantSession>, at time: HubTime) {
    now = time
    for session in stored {
      // A hub can know a session of a cluster's log that it has not claimed.
      guard directory[session.id] == nil || isClustered else { continue }
      if directory[session.id] == nil { restore(session, queuedTick: session.nextTick) }
      if session.hasMembers || isClustered {
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
    case .absent: isClustered ? lookUp(id, waiter) : body(nil)
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
      if isClustered { loadInAMinute(id) }
      for waiter in waiters.all { waiter.body(nil) }
      return loadInBackground()
    }
    let hosted = directory.loaded(session)
    // Another node may have had it since this hub has learned of it.
    if isClustered { hosted.lastActivity = now.machine - session.idleMilliseconds }
    noteStatus(of: hosted, before: nil)
    for missed in session.missed where hosted.isInMemory { _ = feed(missed, of: hosted) }
    for member in session.fold.membersInOrder {
      noteAbsence(of: member.id, in: hosted, at: time)
    }
    schedule.addExpiry(of: id, due: hosted.expiresAt, at: time)
    queueTick(of: hosted)
    endIfExpired(hosted)
    if let change = session.inventory { note(change, for: hosted) }
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
      guard isClustered else { return }
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

  func unload(_ hosted: HostedSession) {
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
