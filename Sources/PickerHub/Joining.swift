import CivilTime
import JSONText
import PickerModel
package import PickerSession
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
    let member = MemberID("m_" + identities.text())
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

/// Messages buffered while a connection's session or history is loaded.
final class Inbox {
  private(set) var messages: [[UInt8]] = []
  /// The bytes of the messages, plus 64 for the overhead of each.
  private(set) var byteCount = 0
  private let total: HubBuffers

  /// - Parameter total: The buffers of the hub, in which the messages count, too.
  init(total: HubBuffers) { self.total = total }

  deinit { total.inboxBytes -= byteCount }

  func append(_ text: Span<UInt8>) {
    messages.append(text.withUnsafeBufferPointer { Array($0) })
    let size = text.count + 64
    byteCount += size
    total.inboxBytes += size
  }
}

/// Which members of a session are connected, absent or about to join, as far as the session's log
/// does not say.
///
/// Invariants: a member has at most one connection; the time of an absence is that of its first
/// moment without a connection, and ends with the next join; ``pendingJoinCount`` is the number of
/// joins and returns that have not been applied. The caller reports every join and
/// return that it appends, and every entry that is applied.
struct Attendance {
  /// The current connection of each member, from its join message on.
  private var connectionOfMember: [MemberID: ConnectionID] = [:]
  /// For each offline member, the time since it has no connection, in machine milliseconds.
  private var absentSince: [MemberID: Int64] = [:]
  /// With `oneMember`, the joins that are pending, by subject.
  private var joiningSubjects: [ExactString: LogEntry.Joining] = [:]
  /// The rates of commands that members post over HTTP.
  private var postRates: [MemberID: MessageRate] = [:]
  /// The number of pending joins and returns.
  private(set) var pendingJoinCount = 0
}

/// Connections and absences.
extension Attendance {
  /// The connections of the members, in no order.
  var connections: some Collection<ConnectionID> { connectionOfMember.values }
  var connectionCount: Int { connectionOfMember.count }
  /// The number of offline members whose absence has begun.
  var absentCount: Int { absentSince.count }

  func connection(of member: MemberID) -> ConnectionID? { connectionOfMember[member] }

  mutating func connect(_ member: MemberID, _ connection: ConnectionID) {
    connectionOfMember[member] = connection
  }

  /// Removes a connection, unless the member has a newer one.
  mutating func disconnect(_ member: MemberID, _ connection: ConnectionID) {
    if connectionOfMember[member] == connection { connectionOfMember[member] = nil }
  }

  mutating func beginAbsence(of member: MemberID, at now: Int64) { absentSince[member] = now }

  mutating func endAbsence(of member: MemberID) { absentSince[member] = nil }

  /// How long a member has been absent, in milliseconds; `nil` if it is not.
  func absence(of member: MemberID, at now: Int64) -> Int64? {
    absentSince[member].map { now - $0 }
  }
}

/// Joins.
extension Attendance {
  /// The pending join of a subject, with `oneMember`.
  func joining(subject: String) -> LogEntry.Joining? { joiningSubjects[ExactString(subject)] }

  /// The pending join of a member, with `oneMember`.
  func joining(_ member: MemberID) -> LogEntry.Joining? {
    joiningSubjects.values.first { $0.member == member }
  }

  /// The join of a new member was appended. It may have been applied already.
  ///
  /// - Parameter isIdentity: Whether its subject is noted until the log has stored the join, so
  ///   that a second device that joins meanwhile is the same member.
  mutating func joinAppended(_ joining: LogEntry.Joining, isIdentity: Bool) {
    pendingJoinCount += 1
    if isIdentity, let subject = joining.subject { joiningSubjects[ExactString(subject)] = joining }
  }

  /// The return of a member that has left was appended. It may have been applied already.
  mutating func returnAppended() { pendingJoinCount += 1 }

  /// An entry was applied.
  mutating func applied(_ body: LogEntry.Body) {
    switch body {
    case .joined(let joining):
      pendingJoinCount -= 1
      if let subject = joining.subject { joiningSubjects[ExactString(subject)] = nil }
    case .left(let member):
      absentSince[member] = nil
      postRates[member] = nil
    case .returned: pendingJoinCount -= 1
    case .roleChanged, .command, .define, .note, .adopted, .settle, .tick, .clockSet, .revoked,
      .roleSet:
      break
    }
  }
}

/// Commands over HTTP.
extension Attendance {
  /// Counts a command of a member.
  mutating func countPost(
    of member: MemberID, at now: Int64, countMax: Int
  ) -> MessageRate.Verdict {
    postRates[member, default: MessageRate()].count(at: now, countMax: countMax)
  }
}

/// The parameters of an event stream.
package struct WatchRequest: Sendable {
  package var token: Credential?
  /// Grants a viewer's rights without a token.
  package var ticket: Ticket?
  package var locale: String?
  package var timeZone: String?
  package var view: MonthView?
  /// The position of the last event received (`Last-Event-ID`): the beginning of the epoch, and the
  /// revision.
  package var seen: (epochMark: String, revision: Int)?

  package init() {}
}

/// Watching: event streams, without a member.
extension Hub {
  /// Subscribes an event stream to the broadcasts of a session.
  ///
  /// - Parameters:
  ///   - open: Called once, with the session's epoch or with a problem. On success it opens the
  ///     stream and returns its connection, or `nil` if the client has disconnected meanwhile.
  /// - Source: web/guide/README.md, "HTTP API and server-sent events".
  package func watch(
    _ id: SessionID, _ request: WatchRequest, at time: HubTime,
    open: @escaping (Result<String, HubProblem>) -> ConnectionID?
  ) {
    find(
      id, token: request.token, ticket: request.ticket, needs: .viewer, at: time,
      failure: { _ = open(.failure($0)) }
    ) { [unowned self] hosted in
      guard needsHistory(request, in: hosted) else { return watch(hosted, request, open: open) }
      readHistory(of: hosted) { [unowned self] isRead in
        guard isRead, hosted.isInMemory else {
          return _ = open(.failure(hosted.isEnding ? .noSuchSession : .unavailable))
        }
        do throws(HubProblem) {
          // A revocation may have been stored meanwhile.
          try admission.admit(
            request.token, request.ticket, to: hosted.session, needs: .viewer)
        } catch {
          return _ = open(.failure(error))
        }
        watch(hosted, request, open: open)
      }
    }
  }

  private func watch(
    _ hosted: HostedSession, _ request: WatchRequest,
    open: (Result<String, HubProblem>) -> ConnectionID?
  ) {
    let fold = hosted.session.fold
    let watcherCount = hosted.session.listeners.count { $0.member == nil }
    guard !isDraining else { return _ = open(.failure(.unavailable)) }
    guard watcherCount < limits.session.members else { return _ = open(.failure(.sessionFull)) }
    guard let stream = open(.success(fold.origin.epoch)) else { return }
    let connection = HubConnection(id: stream, session: hosted.id, bearer: nil, phase: .watching)
    let language = languages.number(for: request.locale, fallback: fold.definition.locale)
    connection.texts = languages[language]
    connections.insert(connection)
    if case .member(let token)? = request.token { noteToken(token, of: connection) }
    connection.ticket = request.ticket
    let showsMonths = fold.definition.kind.showsMonths
    hosted.session.watch(
      Listener(
        connection: stream, member: nil, language: language,
        view: showsMonths ? request.view.map(cut) : nil,
        zone: cellZone(request.timeZone, of: fold.definition),
        seesAll: admission.seesParts(request.token, of: hosted.session)))
    welcomeWatcher(connection, request, in: hosted.session)
  }

  private func welcomeWatcher(
    _ connection: HubConnection, _ request: WatchRequest, in session: Session
  ) {
    var missed: ArraySlice<Delta>?
    if let seen = request.seen, !seen.epochMark.isEmpty,
      session.fold.origin.epoch.hasPrefix(seen.epochMark),
      // The stream before may have been opened with another token, and have had more or less.
      session.fold.definition.results ?? .everyone == .everyone,
      session.fold.mayResume(nil, after: seen.revision)
    {
      missed = session.fold.deltas(after: seen.revision)
    }
    let frame = encoder.welcome(
      nil, secret: "", in: session, resumedAt: missed == nil ? nil : request.seen?.revision,
      sight: session.listeners.first { $0.connection == connection.id }.map(session.sight)
        ?? .everything, texts: connection.texts, now: now.session)
    fanOut.sendWelcome(connection, frame, missed: missed, in: session, at: now)
    closeOverflowing()
  }
}

/// Whether a resuming client needs deltas of a session that was reloaded without them: see
/// ``HistoryReading``. While there is no memory for them, it gets a snapshot instead.
extension Hub {
  /// Whether a member resumes from a revision whose deltas must first be read from the log.
  func needsHistory(
    _ resume: ClientMessage.Resume?, _ token: MemberToken?, in hosted: HostedSession
  ) -> Bool {
    guard hosted.history.isPartial, !directory.isFull, let resume else { return false }
    guard case .known(_, secret: _, let seen?) = identify(resume, token, in: hosted) else {
      return false
    }
    return hosted.session.fold.mayHaveForgotten(after: seen)
  }

  /// Reads a session's recent deltas from the log; see ``HostedSession/readHistory(from:then:)``.
  func readHistory(of hosted: HostedSession, then body: @escaping (_ isRead: Bool) -> Void) {
    hosted.readHistory(from: log) { [unowned self] isRead in
      directory.recount(hosted)
      body(isRead)
    }
  }

  /// Whether an event stream resumes from a revision whose deltas must first be read from the log.
  func needsHistory(_ request: WatchRequest, in hosted: HostedSession) -> Bool {
    guard hosted.history.isPartial, !directory.isFull, let seen = request.seen,
      !seen.epochMark.isEmpty
    else { return false }
    let fold = hosted.session.fold
    return fold.origin.epoch.hasPrefix(seen.epochMark)
      && fold.mayHaveForgotten(after: seen.revision)
  }
}

extension SessionFold {
  /// Whether a client can resume from a revision, but later deltas are not all in memory.
  fileprivate func mayHaveForgotten(after seen: Int) -> Bool {
    let first = revision - history.count
    return seen >= max(0, revision - limits.history) && seen < first
  }
}

/// Whether a session has all of its recent deltas in memory, and who waits for the missing ones.
///
/// A session without members is reloaded from its last snapshot, mostly for a tick or a GET. Those
/// need no deltas, and folding the last 1,000 takes milliseconds, so the deltas are read from the
/// log only when a client resumes. Concurrent requests share one read.
struct HistoryReading {
  /// Whether the log may have recent deltas that ``SessionFold/history`` does not have.
  private(set) var isPartial: Bool
  /// The completions of the running read.
  private var waiters: [(_ isRead: Bool) -> Void] = []

  init(isPartial: Bool = false) { self.isPartial = isPartial }

  var isRunning: Bool { !waiters.isEmpty }

  /// The deltas in memory are dropped.
  fileprivate mutating func drop() { isPartial = true }

  /// - Returns: Whether the caller starts a read; `false` while one is running.
  fileprivate mutating func wait(_ body: @escaping (_ isRead: Bool) -> Void) -> Bool {
    waiters.append(body)
    return waiters.count == 1
  }

  /// The read has ended.
  ///
  /// - Returns: The completions, which the caller runs.
  fileprivate mutating func end(isRead: Bool) -> [(_ isRead: Bool) -> Void] {
    if isRead { isPartial = false }
    defer { waiters = [] }
    return waiters
  }
}

extension HostedSession {
  /// Drops the history, unless it is being read.
  func dropHistory() -> Bool {
    guard !history.isRunning else { return false }
    session.dropHistory()
    history.drop()
    return true
  }

  /// Reads the session's recent deltas from its log into its history.
  ///
  /// - Parameter body: Called with true when the deltas are there, with false if the log cannot be
  ///   read.
  func readHistory(
    from log: any SessionLog, then body: @escaping (_ isRead: Bool) -> Void
  ) {
    guard history.wait(body) else { return }
    let fold = session.fold
    let position = HistoryPosition(
      of: fold.origin, after: max(0, fold.revision - fold.limits.history),
      through: fold.revision - fold.history.count, limits: fold.limits)
    guard let position else { return restoreHistory(nil) }
    readHistory(from: position, of: log, after: [])
  }

  private func readHistory(
    from position: HistoryPosition, of log: any SessionLog, after deltas: [Delta]
  ) {
    // Captured on the log's thread, used on the hub's only.
    nonisolated(unsafe) let (hosted, log) = (self, log)
    log.history(from: position) { page in
      guard let page else { return hosted.restoreHistory(nil) }
      let deltas = deltas + page.deltas
      guard let next = page.next else { return hosted.restoreHistory(deltas) }
      hosted.readHistory(from: next, of: log, after: deltas)
    }
  }

  private func restoreHistory(_ deltas: [Delta]?) {
    if let deltas { session.restoreHistory(deltas) }
    for body in history.end(isRead: deltas != nil) { body(deltas != nil) }
  }
}
