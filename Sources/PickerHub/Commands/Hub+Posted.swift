import PickerModel
package import PickerSession
package import PickerWire

/// Members without a connection, who give their commands one by one.
extension Hub {
  /// Makes a member who is offline.
  ///
  /// - Parameter answer: Gets its welcome, as on a WebSocket.
  package func addMember(
    to id: SessionID, _ request: MemberRequest, token: String?, at time: HubTime,
    answer: @escaping (Result<[UInt8], HubProblem>) -> Void
  ) {
    find(id, token: token, needs: .viewer, at: time, failure: { answer(.failure($0)) }) {
      [unowned self] hosted in
      let origin = hosted.session.fold.origin
      guard !isDraining else { return answer(.failure(.unavailable)) }
      guard hosted.memberCountPending < limits.session.members else {
        return answer(.failure(.sessionFull))
      }
      var role: Role?
      if case .tokens = origin.access {
        role = token.flatMap { origin.role(of: identities.hash($0)) }
      }
      let texts = languages.texts(
        for: request.locale, fallback: hosted.session.fold.definition.locale)
      guard let new = newMember(named: request.name, role, hosted, at: now) else {
        return answer(.failure(problem(of: hosted)))
      }
      enqueue(
        .request { [unowned self] hosted in
          guard let hosted, let member = hosted.session.fold.members[new.member] else {
            return answer(.failure(.unavailable))
          }
          hosted.lastActivity = now.machine
          noteAbsence(of: member.id, in: hosted, at: now)
          tellPresence(in: hosted, at: now)
          let welcome = encoder.welcome(
            member, secret: new.secret, in: hosted.session, resumedAt: nil, texts: texts,
            now: now.session)
          answer(.success(Array(welcome.bytes)))
        }, in: hosted, at: now)
    }
  }

  /// Does one command of a member, with its answer: a delta with its ref, a reply or a refusal.
  package func post(
    _ request: CommandRequest, to id: SessionID, token: String?, locale: String?, at time: HubTime,
    answer: @escaping (Result<[UInt8], HubProblem>) -> Void
  ) {
    find(id, token: token, needs: .viewer, at: time, failure: { answer(.failure($0)) }) {
      [unowned self] hosted in
      let fold = hosted.session.fold
      guard let member = fold.knownMember(MemberID(request.member)) else {
        return answer(.failure(.noSuchMember))
      }
      guard identities.hash(request.secret).matches(member.secret) else {
        return answer(.failure(.wrongSecret))
      }
      if case .tokens = fold.origin.access, let token,
        let role = fold.origin.role(of: identities.hash(token)), role < member.role
      {
        return answer(.failure(.notAllowed("the token is a \(role)'s, the member \(member.role)")))
      }
      if fold.members[member.id] == nil {
        guard hosted.memberCountPending < limits.session.members else {
          return answer(.failure(.sessionFull))
        }
        guard bringBack(member.id, hosted) else { return answer(.failure(problem(of: hosted))) }
      }
      stay(member.id, in: hosted)
      let verdict = hosted.postRates[member.id, default: MessageRate()].count(
        at: now.machine, countMax: limits.messagesPerSecond)
      let texts = languages.texts(for: locale, fallback: fold.definition.locale)
      let isGiven = give(
        request.command, ref: request.ref, by: member.id, isOverRate: verdict != .within,
        to: hosted, at: now
      ) { [unowned self] effects in
        guard let effects else {
          return answer(.failure(hosted.isEnding ? .noSuchSession : .unavailable))
        }
        let frame = answerFrame(in: effects, to: member.id, texts, hosted)
        answer(frame.map { .success(Array($0.bytes)) } ?? .failure(.noSuchMember))
      }
      if !isGiven { answer(.failure(problem(of: hosted))) }
    }
  }

  /// Why something could not be appended.
  private func problem(of hosted: HostedSession) -> HubProblem {
    if hosted.isEnding { return .noSuchSession }
    return hosted.isLogFull ? .logFull : .unavailable
  }

  /// A member that has left gives a command over HTTP: it comes back, offline.
  ///
  /// - Returns: `false` if the log cannot store it.
  private func bringBack(_ member: MemberID, _ hosted: HostedSession) -> Bool {
    guard bringBack(member, nil, hosted, at: now) else { return false }
    enqueue(
      .look { [unowned self] hosted in
        hosted.lastActivity = now.machine
        if !hosted.session.isOnline(member) { noteAbsence(of: member, in: hosted, at: now) }
        tellPresence(in: hosted, at: now)
      }, in: hosted, at: now)
    return true
  }

  /// The one answer among the effects of a command; none if its member has left before it.
  private func answerFrame(
    in effects: [SessionEffect], to member: MemberID, _ texts: any RowTexts,
    _ hosted: HostedSession
  ) -> Frame? {
    for effect in effects {
      switch effect {
      case .broadcast(let delta):
        guard let author = delta.author, author.member == member else { continue }
        return encoder.frame(of: delta, ref: author.ref, texts: texts)
      case .answer(_, let answer), .answerOffline(_, let answer):
        if case .refused(let refusal, _) = answer.body {
          counters.refusals[refusal.code, default: 0] += 1
        }
        return encode(answer, texts, in: hosted.session)
      case .monthsAgain, .presence: continue
      }
    }
    return nil
  }

  /// A member without a connection is still there. Not noted each time: every note is a timer.
  private func stay(_ member: MemberID, in hosted: HostedSession) {
    guard let since = hosted.absentSince[member] else { return }
    if now.machine - since >= limits.memberMilliseconds / 16 {
      noteAbsence(of: member, in: hosted, at: now)
    }
  }
}
