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
  /// Somebody was in it when the log was last written: its members have to be let go in time.
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

/// Loads of sessions that nobody waits for, under way at the same time.
private let backgroundLoadCountMax = 16

/// A session to be loaded when there is time for it.
struct BackgroundLoad {
  let session: SessionID
  /// What to do then; `nil`: to bring it to now.
  let body: ((HostedSession?) -> Void)?

  init(_ session: SessionID, body: ((HostedSession?) -> Void)? = nil) {
    self.session = session
    self.body = body
  }
}

/// Sessions that nobody is in leave memory, and come back when somebody asks for them.
extension Hub {
  /// What the hub keeps of a session that is not in memory.
  struct Dormant {
    /// When its last revision or join was; machine milliseconds.
    let lastActivity: Int64
    let ttlSeconds: Int
    var queuedTick: Instant?
  }

  /// Takes over the sessions that a log kept from an earlier process.
  package func restore(_ kept: some Sequence<DormantSession>, at time: HubTime) {
    now = time
    for session in kept {
      let lastActivity = time.machine - session.idleMilliseconds
      dormant[session.id] = Dormant(
        lastActivity: lastActivity, ttlSeconds: session.ttlSeconds, queuedTick: session.nextTick)
      addExpiry(of: session.id, due: lastActivity + Int64(session.ttlSeconds) * 1000)
      if session.hasMembers {
        backgroundLoads.append(BackgroundLoad(session.id))
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
    if let hosted = sessions[id] { return body(hosted) }
    if loading[id] != nil {
      loading[id]?.append(body)
    } else if dormant[id] != nil {
      loading[id] = [body]
      log.load(id, limits: limits.session, hub: share.index)
    } else {
      body(nil)
    }
  }

  /// Whether there is such a session, in memory or not.
  func exists(_ id: SessionID) -> Bool {
    if let hosted = sessions[id] { return !hosted.isEnding }
    return dormant[id] != nil
  }

  /// The log has folded a session again; `nil` if it cannot.
  package func loaded(_ id: SessionID, _ session: LoadedSession?, at time: HubTime) {
    now = time
    guard let waiting = loading.removeValue(forKey: id) else { return }
    guard let session, let known = dormant.removeValue(forKey: id) else {
      for body in waiting { body(nil) }
      return loadInBackground()
    }
    let hosted = host(session.fold, at: time)
    hosted.entryCount = session.entryCount
    hosted.lastActivity = known.lastActivity
    hosted.memberCountPromised = session.fold.members.count
    sessions[id] = hosted
    hosted.isResident = true
    for member in session.fold.membersInOrder {
      noteAbsence(of: member.id, in: hosted, at: time)
    }
    queueTick(of: hosted)
    for body in waiting { body(hosted) }
    letGoSoon(hosted)
    loadInBackground()
  }

  /// Goes on loading the sessions that nobody waits for, a few at a time.
  func loadInBackground() {
    while loading.count < backgroundLoadCountMax, let load = backgroundLoads.popFirst() {
      let session = load.session
      whenLoaded(session) { [unowned self] hosted in
        if let body = load.body { return body(hosted) }
        if let hosted {
          tickIfDue(hosted, at: now)
        } else if dormant[session] != nil {
          // Nobody waits for it, and it may be damaged: once in a while is enough.
          timers.add(.load(session), due: now.machine + 60 * retryMilliseconds)
        }
      }
    }
  }

  /// Lets a session go from memory when nobody has come into it for a while.
  func letGoSoon(_ hosted: HostedSession) {
    guard log.canLoad, hosted.session.fold.members.isEmpty else { return }
    timers.add(.idle(hosted.id), due: now.machine + min(5_000, limits.memberMilliseconds))
  }

  /// Lets a session go from memory if nobody is in it.
  func letGo(_ hosted: HostedSession) {
    guard log.canLoad, hosted.session.fold.members.isEmpty,
      hosted.connectionOfMember.isEmpty, hosted.session.listeners.isEmpty, !hosted.isEnding
    else { return }
    guard hosted.steps.isEmpty else {
      return timers.add(.idle(hosted.id), due: now.machine + retryMilliseconds)
    }
    keepSnapshot(of: hosted, isIdle: true)
    sessions[hosted.id] = nil
    hosted.isResident = false
    dormant[hosted.id] = Dormant(
      lastActivity: hosted.lastActivity, ttlSeconds: hosted.session.fold.origin.ttlSeconds,
      queuedTick: hosted.queuedTick)
  }

  func keepSnapshot(of hosted: HostedSession, isIdle: Bool) {
    let fold = hosted.session.fold
    log.keep(
      LogSnapshot(
        entryCount: hosted.entryCount, kept: fold.kept, isIdle: isIdle, nextTick: fold.nextTick,
        idleMilliseconds: now.machine - hosted.lastActivity), of: hosted.id)
  }

  /// The log has not kept what was appended for some sessions: they are as they were before, and
  /// whoever listens comes back later.
  package func lost(_ ids: some Sequence<SessionID>, at time: HubTime) {
    now = time
    for id in ids {
      if let hosted = sessions[id] {
        lose(hosted)
      } else if let known = endingDormant.removeValue(forKey: id) {
        dormant[id] = known
        expireLater(id)
      }
    }
  }

  /// Forgets what the log may not have of a session, closing its connections.
  func lose(_ hosted: HostedSession) {
    guard sessions[hosted.id] === hosted else { return }
    hosted.isLost = true
    sessions[hosted.id] = nil
    hosted.isResident = false
    pendingTickCount -= hosted.steps.count { $0.isTick }
    let isInLog = !hosted.steps.contains { if case .created = $0 { true } else { false } }
    if isInLog { fallAsleep(hosted) }
    for id in hosted.connectionsInOrder {
      guard let connection = connections[id] else { continue }
      cannotStore(connection)
    }
    let steps = hosted.steps
    hosted.steps.removeAll()
    for step in steps { refuse(step) }
  }

  /// What was lost in memory comes back by itself if it has members to let go or a tick to make.
  private func fallAsleep(_ hosted: HostedSession) {
    let fold = hosted.session.fold
    let next = fold.nextTick
    dormant[hosted.id] = Dormant(
      lastActivity: hosted.lastActivity, ttlSeconds: fold.origin.ttlSeconds, queuedTick: next)
    let isTickDue = next.map { $0 <= now.session } ?? false
    if isTickDue || !fold.members.isEmpty {
      timers.add(.load(hosted.id), due: now.machine + 5 * retryMilliseconds)
    } else if let next {
      ticks.add(hosted.id, at: next)
    }
  }
}
