import PickerModel
package import PickerSession
package import PickerWire

/// Commands over HTTP, of members that may have no connection.
extension Hub {
  /// Adds a member without a connection.
  ///
  /// - Parameter answer: Receives its welcome message, the same as on a WebSocket.
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
          broadcastPresence(in: hosted, at: now)
          let welcome = encoder.welcome(
            member, secret: new.secret, in: hosted.session, resumedAt: nil, texts: texts,
            now: now.session)
          answer(.success(Array(welcome.bytes)))
        }, in: hosted, at: now)
    }
  }

  /// Performs one command of a member.
  ///
  /// - Parameter answer: Receives the message that answers it: a delta with its ref, a reply or a
  ///   refusal.
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
        let detail = "the token grants the role \(role), but the member is \(member.role)"
        return answer(.failure(.notAllowed(detail)))
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

  /// The problem to answer after an append has failed.
  private func problem(of hosted: HostedSession) -> HubProblem {
    if hosted.isEnding { return .noSuchSession }
    return hosted.isLogFull ? .logFull : .unavailable
  }

  /// Re-adds a member that has left and now posts a command; it has no connection.
  ///
  /// - Returns: `false` if the log cannot store it.
  private func bringBack(_ member: MemberID, _ hosted: HostedSession) -> Bool {
    guard bringBack(member, nil, hosted, at: now) else { return false }
    enqueue(
      .look { [unowned self] hosted in
        hosted.lastActivity = now.machine
        if !hosted.session.isOnline(member) { noteAbsence(of: member, in: hosted, at: now) }
        broadcastPresence(in: hosted, at: now)
      }, in: hosted, at: now)
    return true
  }

  /// The message that answers a command; `nil` if its member has left before it was applied.
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

  /// Restarts the absence time of a member without a connection. Skipped while less than a
  /// sixteenth of it has passed, because each restart adds a timer.
  private func stay(_ member: MemberID, in hosted: HostedSession) {
    guard let since = hosted.absentSince[member] else { return }
    if now.machine - since >= limits.memberMilliseconds / 16 {
      noteAbsence(of: member, in: hosted, at: now)
    }
  }
}
