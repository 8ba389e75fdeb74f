package import PickerSession
import PickerWire

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
    performOnHub { [unowned self] in
      do throws(HubProblem) {
        let hosted = try await find(
          id, token: request.token, ticket: request.ticket, needs: .viewer, at: time)
        if needsHistory(request, in: hosted) {
          guard await answered({ readHistory(of: hosted, then: $0) }), hosted.isInMemory else {
            throw hosted.isEnding ? .noSuchSession : .unavailable
          }
          // A revocation may have been stored meanwhile.
          try admission.admit(request.token, request.ticket, to: hosted.session, needs: .viewer)
        }
        watch(hosted, request, open: open)
      } catch {
        _ = open(.failure(error))
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
