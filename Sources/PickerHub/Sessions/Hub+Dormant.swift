package import CivilTime
package import PickerSession
import PickerWire

/// A session that is in the log only: what must be known of it without reading it.
package struct DormantSession: Hashable, Sendable {
  package let id: SessionID
  package let ttlSeconds: Int
  /// How long ago its last revision or join was.
  package let idleMilliseconds: Int64
  package let nextTick: Instant?
  /// It had members when the log was last written, who have to leave in time if they do not come
  /// back.
  package let hasMembers: Bool

  package init(
    id: SessionID, ttlSeconds: Int, idleMilliseconds: Int64, nextTick: Instant?, hasMembers: Bool
  ) {
    self.id = id
    self.ttlSeconds = ttlSeconds
    self.idleMilliseconds = idleMilliseconds
    self.nextTick = nextTick
    self.hasMembers = hasMembers
  }
}

/// Sessions without members leave memory, and are loaded again when somebody asks for them.
extension Hub {
  /// Takes over the sessions that a log has from an earlier process.
  package func restore(_ kept: some Sequence<DormantSession>, at time: HubTime) {
    now = time
    for session in kept {
      let lastActivity = time.machine - session.idleMilliseconds
      directory.restore(
        session.id,
        DormantState(
          lastActivity: lastActivity, ttlSeconds: session.ttlSeconds, queuedTick: session.nextTick))
      addExpiry(of: session.id, due: lastActivity + Int64(session.ttlSeconds) * 1000)
      if session.hasMembers {
        directory.loadLater(BackgroundLoad(session.id))
      } else if let nextTick = session.nextTick {
        ticks.add(session.id, at: nextTick)
      }
    }
    loadInBackground()
  }

  /// Does something with a session as soon as it is in memory.
  ///
  /// - Parameter body: Gets `nil` if there is no such session, or the log cannot be read now.
  func whenLoaded(_ id: SessionID, _ body: @escaping (HostedSession?) -> Void) {
    switch directory.load(id, then: body) {
    case .inMemory(let hosted): body(hosted)
    case .waits: break
    case .begins: log.load(id, limits: limits.session, hub: shard.index)
    case .absent: body(nil)
    }
  }

  /// The log has folded a session again; `nil` if it cannot.
  package func loaded(_ id: SessionID, _ session: LoadedSession?, at time: HubTime) {
    now = time
    guard case .loading(let known, let waiters) = directory[id] else { return }
    guard let session else {
      directory.loadFailed(id)
      for body in waiters.bodies { body(nil) }
      return loadInBackground()
    }
    let hosted = host(session.fold, at: time)
    hosted.entryCount = session.entryCount
    hosted.idleSnapshotAt = session.isSnapshotted ? session.entryCount : nil
    hosted.snapshotEntryCount = session.snapshotEntryCount
    hosted.spent = session.spent
    let fold = session.fold
    hosted.isHistoryPartial = fold.history.count < min(fold.revision, fold.limits.history)
    hosted.lastActivity = known.lastActivity
    hosted.memberCountPending = session.fold.members.count
    directory.loaded(hosted)
    for member in session.fold.membersInOrder {
      noteAbsence(of: member.id, in: hosted, at: time)
    }
    queueTick(of: hosted)
    // One of them may have lost the session again.
    for body in waiters.bodies { body(hosted.isInMemory ? hosted : nil) }
    evictSoon(hosted)
    loadInBackground()
  }

  /// Goes on loading the sessions that nobody waits for, a few at a time.
  func loadInBackground() {
    while let load = directory.nextBackgroundLoad() {
      let session = load.session
      whenLoaded(session) { [unowned self] hosted in
        if let body = load.body { return body(hosted) }
        if let hosted {
          tickIfDue(hosted, at: now)
        } else if directory.dormant(session) != nil {
          // Nobody waits for it, and it may be damaged: once in a while is enough.
          timers.add(.load(session), due: now.machine + 60 * retryMilliseconds)
        }
      }
    }
  }

  /// Evicts a session if nobody joins it for a while.
  func evictSoon(_ hosted: HostedSession) {
    guard log.canLoad, hosted.isInMemory, hosted.session.fold.members.isEmpty else { return }
    timers.add(.idle(hosted.id), due: now.machine + min(5_000, limits.memberMilliseconds))
  }

  /// Takes a session out of memory if nobody is in it.
  func evict(_ hosted: HostedSession) {
    guard log.canLoad, hosted.phase == .open, hosted.session.fold.members.isEmpty,
      hosted.connectionOfMember.isEmpty, hosted.session.listeners.isEmpty
    else { return }
    guard hosted.steps.isEmpty, !hosted.isPreparingHostChange, hosted.historyWaiters.isEmpty else {
      return timers.add(.idle(hosted.id), due: now.machine + retryMilliseconds)
    }
    // A session that was only read is in the log as it is.
    if hosted.idleSnapshotAt != hosted.entryCount { keepSnapshot(of: hosted, isIdle: true) }
    directory.evict(hosted, state(of: hosted, queuedTick: hosted.queuedTick))
  }

  private func state(of hosted: HostedSession, queuedTick: Instant?) -> DormantState {
    DormantState(
      lastActivity: hosted.lastActivity, ttlSeconds: hosted.session.fold.origin.ttlSeconds,
      queuedTick: queuedTick)
  }

  /// Has the log store the session's state; what came since the last snapshot need not be folded
  /// again then.
  func keepSnapshot(of hosted: HostedSession, isIdle: Bool) {
    let fold = hosted.session.fold
    let snapshot = LogSnapshot(
      entryCount: hosted.entryCount, kept: fold.kept, picker: fold.picker, isIdle: isIdle,
      nextTick: fold.nextTick, idleMilliseconds: now.machine - hosted.lastActivity,
      spent: hosted.spent)
    guard log.keep(snapshot, of: hosted.id) else { return }
    hosted.snapshotEntryCount = hosted.entryCount
    hosted.spent = SpentEntries()
  }

  /// The log has not stored the records that were pending for some sessions. They are as they were
  /// before, and their connections are closed so that they come back later.
  package func lost(_ ids: some Sequence<SessionID>, at time: HubTime) {
    now = time
    for id in ids {
      if let hosted = directory.hosted(id) {
        lose(hosted)
      } else if directory.endLost(id) {
        expireLater(id)
      }
    }
  }

  /// Unloads a session that the log may not have all records of, closing its connections.
  func lose(_ hosted: HostedSession) {
    guard hosted.isInMemory else { return }
    pendingTickCount -= hosted.steps.count { $0.isTick }
    let nextTick = hosted.session.nextTick
    directory.lose(hosted, state(of: hosted, queuedTick: nextTick))
    if directory.dormant(hosted.id) != nil { wakeLater(hosted, nextTick) }
    for id in hosted.connectionsInOrder {
      guard let connection = connections[id] else { continue }
      cannotStore(connection)
    }
    for step in hosted.takeSteps() { refuse(step) }
  }

  /// A lost session is loaded again by itself if it has members who may be away, or a tick is due.
  private func wakeLater(_ hosted: HostedSession, _ nextTick: Instant?) {
    let isTickDue = nextTick.map { $0 <= now.session } ?? false
    if isTickDue || hosted.session.memberCount > 0 {
      timers.add(.load(hosted.id), due: now.machine + 5 * retryMilliseconds)
    } else if let nextTick {
      ticks.add(hosted.id, at: nextTick)
    }
  }
}
