import JSONText

/// Coming, going and coming back.
extension ClientMachine {
  /// A revision that no server has reached: it answers with a snapshot, and the member is the same.
  private static let beyondAnyRevision = 9_007_199_254_740_991

  mutating func dial() {
    timers.clearAll()
    drainMilliseconds = nil
    turn(.connecting)
    effects.append(.connect)
  }

  mutating func hangUp() {
    timers.clearAll()
    effects.append(.hangUp)
  }

  mutating func join() {
    state.problem = nil
    hasTriedIdentity = identity != nil
    var members: [JSONTree.Member] = [.init("type", .string("join"))]
    if let name = profile.name { members.append(.init("name", .string(name))) }
    if let locale = profile.locale { members.append(.init("locale", .string(locale))) }
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
    turn(.joining)
    effects.append(.send(String(decoding: JSONTree.object(members).serialized(), as: UTF8.self)))
    start(.join)
  }

  mutating func leave() {
    if state.connection == .live { effects.append(.send(#"{"type":"leave"}"#)) }
    hangUp()
    giveUp()
    identity = nil
    turn(.left)
  }

  mutating func closed(_ code: Int, _ reason: String) {
    timers.clearAll()
    if state.problem == nil && !reason.isEmpty {
      state.problem = PickerProblem(code: "closed", detail: reason)
    }
    // A close code can be lost on the way: whoever said that it drains is going away.
    let isDraining = drainMilliseconds != nil && code < 4000
    switch isDraining ? .comeBack : ClosingAnswer(code: code) {
    case .comeBack: wait(drainMilliseconds)
    case .backOff: wait(nil)
    case .stayAway:
      // A session that is no more is not worth remembering; a member that lives elsewhere is.
      if code == 4404 || code == 4410 { identity = nil }
      giveUp()
      turn(.away(code: code))
    case .getCredentials:
      // The server may no longer know the secret rather than the token: try once as somebody new.
      if code == 4301 && hasTriedIdentity {
        identity = nil
        dial()
      } else {
        turn(.needsCredentials(code: code))
      }
    }
  }

  mutating func fired(_ timer: ClientTimer) {
    switch timer {
    case .redial: dial()
    case .steady: attempt = 0
    case .touch:
      guard let touch = waitingTouch else { return }
      waitingTouch = nil
      tell(touch)
    case .look:
      asked = []
      if let looking { sendLook(looking) }
    case .answer: if !pending.entries.isEmpty { resync() }
    case .join, .catchUp: resync()
    }
  }

  /// Something is missing: comes back from what we have, at once unless that did not help before.
  mutating func resync() {
    hangUp()
    wait(attempt == 0 ? 0 : nil)
  }

  /// - Parameter milliseconds: `nil` to back off.
  private mutating func wait(_ milliseconds: Int64?) {
    let pause = milliseconds ?? BackOff.milliseconds(attempt: attempt, jitter: jitter())
    attempt += 1
    turn(.waiting)
    timers.set(.redial, at: now + pause)
  }

  /// Nothing that waits will be done any more.
  private mutating func giveUp() {
    for entry in pending.takeAll() {
      effects.append(.settled(ref: entry.ref, .failure(entry.isSent ? .lost : .offline)))
    }
    hasChanged = true
  }
}
