import JSONText
import PickerModel
package import PickerSession
package import PickerWire

/// Commands over HTTP, of members that may have no connection.
extension Hub {
  /// Adds a member without a connection.
  ///
  /// - Parameter answer: Receives its welcome message, the same as on a WebSocket.
  package func addMember(
    to id: SessionID, _ request: MemberRequest, token: Credential?, at time: HubTime,
    answer: @escaping (Result<[UInt8], HubProblem>) -> Void
  ) {
    performOnHub { [unowned self] in
      do throws(HubProblem) {
        let hosted = try await find(id, token: token, needs: .viewer, at: time)
        guard !isDraining else { throw .unavailable }
        let added = try addMember(request, token, in: hosted)
        let texts = languages.texts(
          for: token?.member?.locale ?? request.locale,
          fallback: hosted.session.fold.definition.locale)
        guard let hosted = await afterSteps(of: hosted) else { throw absence(of: id) }
        answer(.success(try welcome(added, in: hosted, texts)))
      } catch {
        answer(.failure(error))
      }
    }
  }

  /// The welcome message of a member that was added without a connection.
  private func welcome(
    _ added: (member: MemberID, secret: String), in hosted: HostedSession, _ texts: any RowTexts
  ) throws(HubProblem) -> [UInt8] {
    guard let member = hosted.session.fold.members[added.member] else { throw .unavailable }
    hosted.noteActivity(at: now)
    if !hosted.session.isOnline(member.id) { noteAbsence(of: member.id, in: hosted, at: now) }
    broadcastPresence(in: hosted, at: now)
    let welcome = encoder.welcome(
      member, secret: added.secret, in: hosted.session, resumedAt: nil,
      sight: hosted.session.fold.sight(of: member.id), texts: texts, now: now.session)
    return Array(welcome.bytes)
  }

  /// Appends the join of a member, or the return of the one that has the token's subject.
  private func addMember(
    _ request: MemberRequest, _ credential: Credential?, in hosted: HostedSession
  ) throws(HubProblem) -> (member: MemberID, secret: String) {
    let token = credential?.member
    let role: Role?
    switch hosted.session.fold.origin.access {
    case .open: role = nil
    case .creator, .tokens: role = admission.role(of: credential, in: hosted.session)
    case .keys:
      guard let token else { throw .notAllowed("joining needs a member token") }
      role = hosted.session.fold.granted(token.role, subject: token.subject)
    }
    switch identify(nil, token, in: hosted) {
    case .refused(let detail): throw .notAllowed(detail)
    case .known(let member, let secret, _):
      if hosted.session.fold.members[member.id] == nil { try checkRoom(in: hosted) }
      try update(member, role, in: hosted)
      return (member.id, secret)
    case .joining(let member, let secret): return (member, secret)
    case .new:
      try checkRoom(in: hosted)
      guard let new = newMember(named: request.name, role, token, hosted, at: now) else {
        throw problem(of: hosted)
      }
      return new
    }
  }

  private func checkRoom(in hosted: HostedSession) throws(HubProblem) {
    if !hasRoom(hosted) { throw .sessionFull }
  }

  /// Re-adds a member that has left, and gives it the role of its token.
  private func update(
    _ member: Member, _ role: Role?, in hosted: HostedSession
  ) throws(HubProblem) {
    let isStored: Bool
    if hosted.session.fold.members[member.id] == nil {
      isStored = readd(member.id, role, hosted)
    } else if let role, role != member.role {
      isStored = append(.roleChanged(member.id, role), to: hosted, at: now)
    } else {
      return
    }
    if !isStored { throw problem(of: hosted) }
  }

  /// Performs one command of a member, or of the host.
  ///
  /// - Parameter answer: Receives the message that answers it: a delta with its ref, a reply or a
  ///   refusal.
  package func post(
    _ request: CommandRequest, to id: SessionID, token: Credential?, locale: String?,
    at time: HubTime,
    answer: @escaping (Result<[UInt8], HubProblem>) -> Void
  ) {
    performOnHub { [unowned self] in
      do throws(HubProblem) {
        let hosted = try await find(id, token: token, needs: .viewer, at: time)
        if let member = request.member {
          return post(request, of: MemberID(member), to: hosted, token, locale, answer)
        }
        try admitHost(token, of: hosted.session)
        postAsHost(request, to: try await afterFollowing(of: hosted), locale, answer)
      } catch {
        answer(.failure(error))
      }
    }
  }

  /// Checks that the sender of a command without a member is the host: it has an API key, or the
  /// token of the creator who owns the session.
  private func admitHost(
    _ credential: Credential?, of session: Session
  ) throws(HubProblem) {
    if credential?.isKey == true { return }
    guard session.fold.origin.access.hasCreator else {
      throw .badRequest("member and secret are required; POST …/members returns both")
    }
    try admission.admit(credential, to: session, needs: .owner)
  }

  private func postAsHost(
    _ request: CommandRequest, to hosted: HostedSession, _ locale: String?,
    _ answer: @escaping (Result<[UInt8], HubProblem>) -> Void
  ) {
    guard hosted.hostChanges.countDecision(at: now.machine) else {
      return answer(.failure(.tooMany))
    }
    let texts = languages.texts(for: locale, fallback: hosted.session.fold.definition.locale)
    if isAhead(hosted, at: now) { tickIfDue(hosted, at: now) }
    let isAccepted = append(
      .command(.host, ref: 0, request.command, request.precondition), to: hosted, at: now
    ) { [unowned self] effects in
      guard let effects else {
        return answer(.failure(hosted.isEnding ? .noSuchSession : .unavailable))
      }
      let frame = answerFrame(in: effects, to: .host, texts, hosted)
      // Without an answer the log was full.
      answer(frame.map { .success(Array($0.bytes)) } ?? .failure(problem(of: hosted)))
    }
    if !isAccepted { answer(.failure(problem(of: hosted))) }
  }

  private func post(
    _ request: CommandRequest, of id: MemberID, to hosted: HostedSession, _ token: Credential?,
    _ locale: String?, _ answer: @escaping (Result<[UInt8], HubProblem>) -> Void
  ) {
    let fold = hosted.session.fold
    guard let member = fold.knownMember(id) else {
      return answer(.failure(.noSuchMember))
    }
    do throws(HubProblem) {
      try admit(request, token, as: member, in: hosted)
    } catch {
      return answer(.failure(error))
    }
    renewAbsence(of: member.id, in: hosted)
    let verdict = hosted.attendance.countPost(
      of: member.id, at: now.machine, countMax: limits.messagesPerSecond)
    let texts = languages.texts(for: locale, fallback: fold.definition.locale)
    let reason = reason(
      against: request.command, isOverRate: verdict != .within, token?.member)
    let isAccepted = submit(
      request.command, if: request.precondition, ref: request.ref, by: member.id, unless: reason,
      to: hosted, at: now
    ) { [unowned self] effects in
      guard let effects else {
        return answer(.failure(hosted.isEnding ? .noSuchSession : .unavailable))
      }
      let frame = answerFrame(in: effects, to: member.id, texts, hosted)
      answer(frame.map { .success(Array($0.bytes)) } ?? .failure(.noSuchMember))
    }
    if !isAccepted { answer(.failure(problem(of: hosted))) }
  }

  /// Checks that a request may give a command as `member`, and brings that member up to date.
  private func admit(
    _ request: CommandRequest, _ credential: Credential?, as member: Member,
    in hosted: HostedSession
  ) throws(HubProblem) {
    let isSecretRight = identities.hash(request.secret).matches(member.secret)
    let origin = hosted.session.fold.origin
    var role: Role?
    switch origin.access {
    case .open, .creator: guard isSecretRight else { throw .wrongSecret }
    case .tokens:
      guard isSecretRight else { throw .wrongSecret }
      if let role = admission.role(of: credential, in: hosted.session), role < member.role {
        let detail = "the token grants the role \(role), but the member is \(member.role)"
        throw .notAllowed(detail)
      }
    case .keys:
      guard let token = credential?.member else {
        throw .notAllowed("commands need a member token")
      }
      // Another user's member, or one whose tokens are revoked, looks like one that does not exist.
      guard token.subject.isExactly(member.subject),
        !admission.isRevoked(token, of: member.id, in: hosted.session)
      else { throw .noSuchMember }
      guard isSecretRight || origin.host.isOneMember && token.subject != nil else {
        throw .wrongSecret
      }
      role = hosted.session.fold.granted(
        token.role, subject: token.subject, member: member.id)
    }
    if hosted.session.fold.members[member.id] == nil { try checkRoom(in: hosted) }
    try update(member, role, in: hosted)
  }

  /// The problem to answer after an append has failed.
  private func problem(of hosted: HostedSession) -> HubProblem {
    if hosted.isEnding { return .noSuchSession }
    return hosted.log.refusal ?? .unavailable
  }

  /// Re-adds a member that has left and now posts a command; it has no connection.
  ///
  /// - Returns: `false` if the log cannot store it.
  private func readd(_ member: MemberID, _ role: Role?, _ hosted: HostedSession) -> Bool {
    guard appendReturn(of: member, role, hosted, at: now) else { return false }
    enqueue(
      .look { [unowned self] hosted in
        hosted.noteActivity(at: now)
        if !hosted.session.isOnline(member) { noteAbsence(of: member, in: hosted, at: now) }
        broadcastPresence(in: hosted, at: now)
      }, in: hosted, at: now)
    return true
  }

  /// The message that answers a command; `nil` if its member has left before it was applied.
  private func answerFrame(
    in effects: [Effect], to member: MemberID, _ texts: any RowTexts,
    _ hosted: HostedSession
  ) -> Frame? {
    for effect in effects {
      switch effect {
      case .delta(let delta) where delta.isHostCommand:
        if member == .host {
          return encoder.frame(of: delta, ref: nil, texts: texts)
        }
      case .delta(let delta):
        guard let author = delta.author, author.member == member else { continue }
        return encoder.frame(
          of: delta, ref: author.ref, sight: hosted.session.fold.sight(of: member), texts: texts)
      case .answered(_, let answer):
        return fanOut.encode(answer, texts, in: hosted.session)
      case .cellsChanged, .joined, .roleChanged, .renamed, .left, .resultReported, .revoked,
        .settled, .definitionRejected, .sightChanged, .presence:
        continue
      }
    }
    return nil
  }

  /// Restarts the absence time of a member without a connection. Skipped while less than a
  /// sixteenth of it has passed, because each restart adds a timer.
  func renewAbsence(of member: MemberID, in hosted: HostedSession) {
    guard let absence = hosted.attendance.absence(of: member, at: now.machine) else { return }
    if absence >= limits.memberMilliseconds / 16 {
      noteAbsence(of: member, in: hosted, at: now)
    }
  }
}
