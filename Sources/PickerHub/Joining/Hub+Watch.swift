import CivilTime
import PickerModel
package import PickerSession
import PickerWire

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
        seesAll: admission.seesMarks(request.token, of: hosted.session)))
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
