import JSONText
import PickerModel
import PickerSession
import PickerWire

extension Hub {
  /// Handles the first message of a connection: adds a new member, or resumes a known one.
  ///
  /// The connection is in the phase `joined` at once; it becomes a listener and gets its welcome in
  /// ``attach(_:_:in:at:)``, when the log has stored the join.
  func join(
    _ connection: HubConnection, _ join: ClientMessage.Join, _ hosted: HostedSession,
    at time: HubTime
  ) {
    let fold = hosted.session.fold
    let token = connection.token.token
    let role: Role?
    do throws(Admission.Denial) {
      role = try admission.admit(
        join, bearer: connection.bearer, connection.token, to: hosted.session, at: now.machine)
    } catch {
      return close(connection, error.code, error.detail)
    }
    let language = languages.number(
      for: token?.locale ?? join.locale, fallback: fold.definition.locale)
    connection.texts = languages[language]
    let zone = cellZone(join.timeZone, of: fold.definition)
    tickIfDue(hosted, at: time)

    var attachment: Attachment
    switch identify(join.resume, token, in: hosted) {
    case .refused(let detail): return close(connection, .badToken, detail)
    case .known(let member, let secret, let resumeAfter):
      if isReplaced(connection, of: member.id, in: hosted) { return closeReplaced(connection) }
      guard fold.members[member.id] != nil || hasRoom(hosted) else { return closeFull(connection) }
      guard reconnect(member, role, hosted, at: time) else {
        return cannotStore(connection, in: hosted)
      }
      attachment = Attachment(
        member: member.id, secret: secret, language: language, zone: zone, view: nil,
        resumeAfter: resumeAfter)
      ownCounters.resumes += 1
    case .joining(let member, let secret):
      if isReplaced(connection, of: member, in: hosted) { return closeReplaced(connection) }
      guard reconnectJoining(member, role, hosted, at: time) else {
        return cannotStore(connection, in: hosted)
      }
      attachment = Attachment(
        member: member, secret: secret, language: language, zone: zone, view: nil, resumeAfter: nil)
    case .new:
      guard hasRoom(hosted) else { return closeFull(connection) }
      guard let new = newMember(named: join.name, role, token, hosted, at: time) else {
        return cannotStore(connection, in: hosted)
      }
      attachment = Attachment(
        member: new.member, secret: new.secret, language: language, zone: zone, view: nil,
        resumeAfter: nil)
    }
    attachment.view = join.months.map(cut)
    connection.phase = .joined(attachment.member)
    connection.bearer = nil
    connect(attachment.member, connection.id, in: hosted)
    enqueue(.attach(connection, attachment), in: hosted, at: time)
  }

  /// Appends the join of a new member.
  ///
  /// - Returns: `nil` if the log cannot store it; see ``append(_:to:at:completion:)``.
  func newMember(
    named name: String?, _ role: Role?, _ token: MemberToken?, _ hosted: HostedSession,
    at time: HubTime
  ) -> (member: MemberID, secret: String)? {
    let member = identities.member()
    let secret = identities.text()
    let joining = LogEntry.Joining(
      member: member, secret: identities.hash(secret), name: displayName(token?.name ?? name),
      role: role, subject: token?.subject, info: token?.info, meta: token?.meta)
    guard append(.joined(joining), to: hosted, at: time) else { return nil }
    let fold = hosted.session.fold
    hosted.attendance.joinAppended(
      joining,
      isIdentity: fold.origin.host.isOneMember && fold.members[joining.member] == nil)
    ownCounters.joins += 1
    return (member, secret)
  }

  func hasRoom(_ hosted: HostedSession) -> Bool {
    hosted.memberCountPending < limits.session.members
  }

  private func closeFull(_ connection: HubConnection) {
    close(
      connection, .unavailable,
      "the session has as many members as the limit members allows; reconnect when some have left")
  }

  /// Closes a connection whose join could not be stored.
  private func cannotStore(_ connection: HubConnection, in hosted: HostedSession) {
    switch hosted.log.refusal {
    case .logFull:
      close(
        connection, .unavailable,
        "the log of this session has reached the limit logBytes; create a new session")
    case .storeFull:
      close(
        connection, .unavailable,
        "the store has reached the limit storeBytes, or sessionsBytes if it is the memory; "
          + "reconnect when sessions have ended")
    default: cannotStore(connection)
    }
  }

  func cannotStore(_ connection: HubConnection) {
    guard mayExist(connection.session) else {
      return close(connection, .sessionEnded, "the session has ended")
    }
    close(
      connection, .unavailable,
      lookups.isElsewhere(connection.session, at: now.machine)
        ? "another node serves this session; reconnect"
        : "the store is unavailable; reconnect later")
  }

  /// Prepares a known member to connect again: re-adds it if it has left, and changes its role if
  /// its token now grants another one.
  ///
  /// - Returns: `false` if the log cannot store the return or the new role.
  private func reconnect(
    _ member: Member, _ role: Role?, _ hosted: HostedSession, at time: HubTime
  ) -> Bool {
    if hosted.session.fold.members[member.id] == nil {
      guard appendReturn(of: member.id, role, hosted, at: time) else { return false }
    } else if let role, role != member.role {
      guard append(.roleChanged(member.id, role), to: hosted, at: time) else { return false }
    } else {
      log.noteVisit(of: hosted.id)
    }
    return true
  }

  /// Notes the connection of a member, then closes its older one. The order lets the member stay
  /// online between the two.
  private func connect(
    _ member: MemberID, _ connection: ConnectionID, in hosted: HostedSession
  ) {
    let older = hosted.attendance.connection(of: member)
    hosted.attendance.connect(member, connection)
    if let older, let other = connections[older] { closeReplaced(other) }
    hosted.attendance.endAbsence(of: member)
  }

  private func closeReplaced(_ connection: HubConnection) {
    close(connection, .connectedElsewhere, "the same member has connected again")
  }

  /// Whether the join of a connection has waited so long, here or in the transport, that the member
  /// has joined with one that was opened later.
  private func isReplaced(
    _ connection: HubConnection, of member: MemberID, in hosted: HostedSession
  ) -> Bool {
    guard let other = hosted.attendance.connection(of: member).flatMap({ connections[$0] })
    else { return false }
    return connection.number < other.number
  }

  /// A connection ended before it was attached. If it was to replace an older one, its member is
  /// offline only now.
  private func abandonConnection(
    of member: MemberID, in hosted: HostedSession, at time: HubTime
  ) {
    guard hosted.attendance.connection(of: member) == nil else { return }
    perform(hosted.session.disconnect(member), in: hosted, at: time)
    if !hosted.session.isOnline(member) { noteAbsence(of: member, in: hosted, at: time) }
  }

  /// Appends the return of a member that has left.
  ///
  /// - Returns: `false` if the log cannot store it.
  func appendReturn(
    of member: MemberID, _ role: Role?, _ hosted: HostedSession, at time: HubTime
  ) -> Bool {
    guard append(.returned(member, role), to: hosted, at: time) else { return false }
    hosted.attendance.returnAppended()
    return true
  }

  /// Makes a connection a listener and sends its welcome. Called when its member's join has been
  /// applied, so that it receives every later delta and none before its welcome.
  func attach(
    _ connection: HubConnection, _ attachment: Attachment,
    in hosted: HostedSession, at time: HubTime
  ) {
    let member = attachment.member
    guard hosted.session.fold.members[member] != nil else {
      close(connection, .unavailable, "the member has just left; reconnect and resume")
      return abandonConnection(of: member, in: hosted, at: time)
    }
    guard connection.member == member else {
      abandonConnection(of: member, in: hosted, at: time)
      return broadcastPresence(in: hosted, at: time)
    }
    hosted.attendance.endAbsence(of: member)
    hosted.noteActivity(at: time)
    port.joined(connection.id, as: member)
    let fold = hosted.session.fold
    let missed = attachment.resumeAfter.flatMap { revision in
      fold.mayResume(member, after: revision) ? fold.deltas(after: revision) : nil
    }
    let showsMonths = fold.definition.kind.showsMonths
    let listener = Listener(
      connection: connection.id, member: member, language: attachment.language,
      view: showsMonths ? attachment.view : nil, zone: attachment.zone)
    let effects = hosted.session.attach(listener)
    connection.isListening = true
    welcome(connection, attachment, missed: missed, in: hosted, at: time)
    perform(effects, in: hosted, at: time)
  }

  private func welcome(
    _ connection: HubConnection, _ attachment: Attachment,
    missed: ArraySlice<Delta>?, in hosted: HostedSession, at time: HubTime
  ) {
    guard let member = hosted.session.fold.members[attachment.member] else { return }
    let frame = encoder.welcome(
      member, secret: attachment.secret, in: hosted.session,
      resumedAt: missed == nil ? nil : attachment.resumeAfter,
      token: connection.token.lifetime(at: now.machine),
      sight: hosted.session.fold.sight(of: member.id, zone: attachment.zone),
      texts: connection.texts, now: time.session)
    fanOut.sendWelcome(connection, frame, missed: missed, in: hosted.session, at: time)
    closeOverflowing()
  }

  /// The name, cut to 64 Unicode scalars, if possible between grapheme clusters; `guest` for a
  /// missing or blank name.
  private func displayName(_ written: String?) -> String {
    guard let written else { return "guest" }
    var name = String(String.UnicodeScalarView(written.unicodeScalars.prefix(256)))
    while name.unicodeScalars.count > 64 && name.count > 1 { name.removeLast() }
    name = String(String.UnicodeScalarView(name.unicodeScalars.prefix(64)))
    return name.allSatisfy(\.isWhitespace) ? "guest" : name
  }

  /// The zone in which a reader gets times; `nil` for the definition's.
  ///
  /// - Parameter name: From the client; not validated.
  func cellZone(_ name: String?, of definition: Definition) -> CellZone? {
    guard definition.results != nil, let name, name.utf8.count <= 64 else { return nil }
    return zones.rules(named: name).map { CellZone(name: name, rules: $0) }
  }

  /// The view, cut to the maximum number of months.
  func cut(_ view: MonthView) -> MonthView {
    MonthView(from: view.from, count: max(0, min(view.count, limits.session.months)))
  }
}

/// Who a joining client is.
extension Hub {
  enum Newcomer {
    case new
    /// A member of the session, or one that has left. The secret is the one to send in the welcome.
    case known(Member, secret: String, resumeAfter: Int?)
    /// With `oneMember`, a member whose join is pending.
    case joining(MemberID, secret: String)
    case refused(String)
  }

  /// Finds the member that a client is.
  ///
  /// With `oneMember` the `sub` of the token identifies it, so that a client without the member's
  /// secret gets one that nothing is compared with.
  func identify(
    _ resume: ClientMessage.Resume?, _ token: MemberToken?, in hosted: HostedSession
  ) -> Newcomer {
    let fold = hosted.session.fold
    let subject = fold.origin.host.isOneMember ? token?.subject : nil
    if let resume, let member = fold.knownMember(MemberID(resume.member)) {
      guard
        identities.hash(resume.secret).matches(member.secret)
          || subject != nil && subject.isExactly(member.subject)
      else { return .refused("invalid secret for this member") }
      if let token, !token.subject.isExactly(member.subject) {
        return .refused("the token has another sub than this member")
      }
      let resumeAfter = resume.epoch == fold.origin.epoch ? resume.revision : nil
      return .known(member, secret: resume.secret, resumeAfter: resumeAfter)
    }
    guard let subject else { return .new }
    if let member = fold.knownMember(subject: subject) {
      return .known(member, secret: identities.text(), resumeAfter: nil)
    }
    if let joining = hosted.attendance.joining(subject: subject) {
      return .joining(joining.member, secret: identities.text())
    }
    return .new
  }

  /// Gives a member whose join is pending the role of another token.
  ///
  /// - Returns: `false` if the log cannot store the role.
  func reconnectJoining(
    _ member: MemberID, _ role: Role?, _ hosted: HostedSession, at time: HubTime
  ) -> Bool {
    if let role, role != hosted.attendance.joining(member)?.role {
      guard append(.roleChanged(member, role), to: hosted, at: time) else { return false }
    }
    return true
  }
}

extension SessionFold {
  /// The member with a subject that is here, or has left and is remembered.
  fileprivate func knownMember(subject: String) -> Member? {
    members.values.first { $0.subject.isExactly(subject) }
      ?? remembered.members.last { $0.subject.isExactly(subject) }
  }
}
