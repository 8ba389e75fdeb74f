import JSONText

/// Joining, leaving and reconnecting.
extension ClientMachine {
  /// A revision that no session reaches. Resuming from it makes the server send a snapshot to the
  /// same member, which a client without state needs.
  private static let beyondAnyRevision = 9_007_199_254_740_991

  /// Begins an attempt to connect: immediately, or with a token that the app provides.
  ///
  /// - Parameter joinsAsNew: Whether to join as a new member, although ``identity`` is known.
  mutating func dial(joinsAsNew: Bool = false) {
    timers.clearAll()
    drainMilliseconds = nil
    renewal.joinsAsNew = joinsAsNew
    enter(.connecting)
    guard needsToken else { return connect() }
    renewal.blocksDial = true
    requestToken()
  }

  mutating func disconnect() {
    timers.clearAll()
    effects.append(.disconnect)
  }

  mutating func join() {
    state.problem = nil
    // It stays until a welcome replaces it.
    let identity = renewal.joinsAsNew ? nil : identity
    hasTriedIdentity = identity != nil
    var members: [JSONTree.Member] = [.init("type", .string("join"))]
    if let name = profile.name { members.append(.init("name", .string(name))) }
    if let locale = profile.locale { members.append(.init("locale", .string(locale))) }
    if let zone = profile.timeZone { members.append(.init("timeZone", .string(zone))) }
    renewal.joinedWith = profile.token
    if let token = profile.token { members.append(.init("token", .string(token))) }
    joinedLooking = looking
    if let looking {
      members.append(
        .init(
          "months",
          .object([
            .init("from", .string(looking.from.iso)), .init("count", .integer(looking.count)),
          ])))
    }
    if let identity {
      let revision = state.definition == nil ? Self.beyondAnyRevision : state.revision
      members.append(
        .init(
          "resume",
          .object([
            .init("member", .string(identity.member)), .init("secret", .string(identity.secret)),
            .init("epoch", .string(identity.epoch)), .init("revision", .integer(revision)),
          ])))
    }
    enter(.joining)
    effects.append(.send(String(decoding: JSONTree.object(members).serialized(), as: UTF8.self)))
    start(.join)
  }

  mutating func leave() {
    if state.connection == .live { effects.append(.send(#"{"type":"leave"}"#)) }
    disconnect()
    giveUp()
    identity = nil
    enter(.left)
  }

  mutating func closed(_ code: Int, _ reason: String) {
    timers.clearAll()
    if state.problem == nil && !reason.isEmpty {
      state.problem = PickerProblem(code: "closed", detail: reason)
    }
    // The close code can get lost. After `draining`, every code below 4000 means that the server is
    // shutting down.
    let isDraining = drainMilliseconds != nil && code < 4000
    switch isDraining ? .readd : ClosingAnswer(code: code) {
    case .readd: wait(drainMilliseconds)
    case .backOff: wait(nil)
    // After a revocation the host may admit the user again, with a later token.
    case .stayAway where code == 4403 && renewal.isAutomatic: rejected(code)
    case .stayAway: stayAway(code)
    case .getCredentials: rejected(code)
    }
  }

  mutating func stayAway(_ code: Int) {
    // The identity is useless once the session has ended, but not if the member is connected
    // elsewhere.
    if code == 4404 || code == 4410 { identity = nil }
    giveUp()
    enter(.away(code: code))
  }

  mutating func fired(_ timer: ClientTimer) {
    switch timer {
    case .redial: dial()
    case .steady: attempt = 0
    case .touch:
      guard let touch = waitingTouch else { return }
      waitingTouch = nil
      sendTouch(touch)
    case .look: lookAgain()
    case .answer: if pending.isWaiting { resync() }
    case .join, .catchUp, .probe: resync()
    case .quiet: probe()
    case .renew: requestToken()
    }
  }

  /// Checks the connection, unless it is being checked: the server answers that there are no such
  /// rows.
  mutating func probe() {
    guard state.connection == .live, !timers.isSet(.probe) else { return }
    effects.append(.send(#"{"type":"rows","column":0,"from":0,"count":0}"#))
    start(.probe)
  }

  /// Reconnects and resumes from the current revision, because a message is missing: immediately
  /// the first time, then with back-off.
  mutating func resync() {
    disconnect()
    wait(attempt == 0 ? 0 : nil)
  }

  /// Schedules the next attempt to connect.
  ///
  /// - Parameter milliseconds: The delay; `nil` for that of the back-off.
  mutating func wait(_ milliseconds: Int64?) {
    let pause = milliseconds ?? BackOff.milliseconds(attempt: attempt, jitter: jitter())
    attempt += 1
    enter(.waiting)
    timers.set(.redial, at: now + pause)
  }

  /// Fails all pending commands.
  private mutating func giveUp() {
    for entry in pending.takeAll() {
      effects.append(.settled(ref: entry.ref, .failure(entry.isSent ? .lost : .offline)))
    }
    hasChanged = true
  }
}
