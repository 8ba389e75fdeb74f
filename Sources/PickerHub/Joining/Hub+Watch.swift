package import CivilTime
package import PickerModel
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

/// The current content of a month, for a drawing.
package struct MonthContent {
  package let month: CivilMonth
  /// The days of the month, filled up to whole weeks.
  package let cells: [Cell]
  package let bands: MonthBands
  /// Whether a range is a stay, from the middle of its first day to that of its last one.
  package let hasHalves: Bool
  /// The note of each cell.
  package let notes: [Note?]
  /// The locale of the definition.
  package let locale: String
  package let texts: any RowTexts
}

/// Watching: event streams and pictures of months, without a member.
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

  /// Checks that a token or a ticket grants a viewer's rights in a session.
  package func admitViewer(
    to id: SessionID, token: Credential?, ticket: Ticket? = nil, at time: HubTime,
    answer: @escaping (Result<Void, HubProblem>) -> Void
  ) {
    admit(to: id, token: token, ticket: ticket, needs: .viewer, at: time, answer: answer)
  }

  /// Checks that a token or a ticket grants the rights of a role in a session.
  package func admit(
    to id: SessionID, token: Credential?, ticket: Ticket? = nil, needs role: Role,
    at time: HubTime, answer: @escaping (Result<Void, HubProblem>) -> Void
  ) {
    find(
      id, token: token, ticket: ticket, needs: role, at: time,
      failure: { answer(.failure($0)) }
    ) { _ in answer(.success(())) }
  }

  /// Issues a ticket to a client that may read a session.
  package func ticket(
    of id: SessionID, token: Credential?, at time: HubTime,
    answer: @escaping (Result<Ticket, HubProblem>) -> Void
  ) {
    find(id, token: token, needs: .viewer, at: time, failure: { answer(.failure($0)) }) {
      [unowned self] hosted in
      answer(
        .success(
          Ticket(
            lastRevocation: hosted.session.fold.revocations.latest,
            endsAt: token?.tokenEnd(at: now.machine))))
    }
  }

  /// Answers a month of a calendar, for a drawing.
  package func month(
    _ month: CivilMonth, of id: SessionID, token: Credential?, ticket: Ticket? = nil,
    locale: String?, at time: HubTime,
    answer: @escaping (Result<MonthContent, HubProblem>) -> Void
  ) {
    find(
      id, token: token, ticket: ticket, needs: .viewer, at: time,
      failure: { answer(.failure($0)) }
    ) { [unowned self] hosted in
      let (picker, definition) = (hosted.session.fold.picker, hosted.session.fold.definition)
      guard let list = picker.months else {
        return answer(.failure(.wrongKind("only a calendar has months to draw")))
      }
      guard let cells = picker.cells(of: month) else {
        let detail = "\(month.iso) is outside the months of this calendar, \(list.first.iso) to "
        return answer(.failure(.outsideMonths(detail + list.last.iso)))
      }
      let texts = languages.texts(for: locale, fallback: definition.locale)
      answer(
        .success(
          MonthContent(
            month: month, cells: cells, bands: picker.bands(of: month),
            hasHalves: picker.definition.isNights,
            notes: cells.map { hosted.session.fold.notes.days[$0.date] },
            locale: definition.locale, texts: texts)))
    }
  }
}
