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
private let backgroundLoadCountMax = 8

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
      timers.add(
        .expiry(session.id), due: lastActivity + Int64(session.ttlSeconds) * 1000)
      if session.hasMembers {
        backgroundLoads.append(session.id)
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
      log.load(id, limits: limits.session)
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
    while loading.count < backgroundLoadCountMax, let id = backgroundLoads.popFirst() {
      whenLoaded(id) { [unowned self] hosted in
        if let hosted { tickIfDue(hosted, at: now) }
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
    guard log.canLoad, hosted.session.fold.members.isEmpty, hosted.steps.isEmpty,
      hosted.connectionOfMember.isEmpty, !hosted.isEnding
    else { return }
    keepSnapshot(of: hosted, isIdle: true)
    sessions[hosted.id] = nil
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
      if let hosted = sessions[id] { lose(hosted) }
    }
  }

  /// Forgets what the log may not have of a session, closing its connections.
  func lose(_ hosted: HostedSession) {
    guard sessions[hosted.id] === hosted else { return }
    sessions[hosted.id] = nil
    let isInLog = !hosted.steps.contains { if case .created = $0 { true } else { false } }
    if isInLog {
      dormant[hosted.id] = Dormant(
        lastActivity: hosted.lastActivity, ttlSeconds: hosted.session.fold.origin.ttlSeconds,
        queuedTick: nil)
      if !hosted.session.fold.members.isEmpty { backgroundLoads.append(hosted.id) }
    }
    for id in hosted.connectionOfMember.values.sorted(by: { $0.raw < $1.raw }) {
      guard let connection = connections[id] else { continue }
      cannotStore(connection)
    }
    for step in hosted.steps {
      switch step {
      case .created(let completion), .end(let completion): completion(false)
      case .request(let body): body(nil)
      case .apply, .attach, .look: break
      }
    }
    hosted.steps.removeAll()
  }
}
