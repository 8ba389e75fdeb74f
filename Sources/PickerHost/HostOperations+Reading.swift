package import CivilTime
package import JSONText
package import PickerHub
package import PickerModel
package import PickerSession
import PickerWire

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

/// Reading a session, and checking a definition.
extension HostOperations {
  /// The response to a check of a definition: the picker that it would make now.
  package func check(
    _ tree: JSONTree, definition prepared: PreparedDefinition? = nil, at time: HubTime
  ) throws(DefinitionProblem) -> [UInt8] {
    seam.begin(at: time)
    let definition = try seam.define(tree, prepared)
    let picker = try Picker(definition, now: time.session)
    let texts = seam.texts(for: nil, fallback: definition.locale)
    return HTTPDocument.check(picker, texts: texts, windowRows: seam.limits.session.windowRows)
  }

  /// Answers the current state of a session as JSON.
  ///
  /// - Parameters:
  ///   - token: The token of the `Authorization` header.
  ///   - locale: The language of the texts; the definition's if `nil` or unknown.
  ///   - timeZone: The zone of times; `nil` or unknown: the definition's.
  ///   - isFull: Whether to include the nodes or columns of the definition.
  ///   - isByName: Whether the request names the session by its external id, so that it cannot be
  ///     passed on to the node that owns the session.
  ///   - eventLink: The URL of the session's event.
  package func read(
    _ id: SessionID, token: Credential?, locale: String?, timeZone: String? = nil, isFull: Bool,
    isByName: Bool = false, eventLink: @escaping () -> String = { "" }, at time: HubTime,
    answer: @escaping (Result<[UInt8], HubProblem>) -> Void
  ) {
    let read = { (session: Session) in
      let (fold, online) = (session.fold, session.onlineMembers)
      let versionWithoutChange = session.versionWithoutChange
      let texts = seam.texts(for: locale, fallback: fold.definition.locale)
      let links = links(to: fold, tag: texts.noteTag, ics: eventLink)
      let windowRows = seam.limits.session.windowRows
      let seesAll = seam.allowsChange(token, of: session)
      let sight = fold.sight(
        of: nil, seesAll: seam.seesParts(token, of: session),
        zone: seam.cellZone(timeZone, of: fold.definition))
      let encode: @Sendable () -> [UInt8] = {
        HTTPDocument.session(
          fold, online: online, versionWithoutChange: versionWithoutChange, isFull: isFull,
          seesAll: seesAll, sight: sight, links: links, texts: texts, windowRows: windowRows)
      }
      let weight =
        fold.definition.weight + fold.notes.days.count + fold.notes.rowCount
        + fold.picker.partsByteCount / 512
      self.encode(encode, ofWeight: weight) { answer(.success($0)) }
    }
    seam.find(
      id, token: token, needs: .viewer, at: time,
      failure: { problem in
        guard isByName, problem == .unavailable, seam.isElsewhere(id) else {
          return answer(.failure(problem))
        }
        readElsewhere(id, token: token, answer: answer, read)
      }, body: { read($0.session) })
  }

  /// Reads a session that another node owns from the log. Its members look as if they were offline.
  private func readElsewhere(
    _ id: SessionID, token: Credential?,
    answer: @escaping (Result<[UInt8], HubProblem>) -> Void, _ read: @escaping (Session) -> Void
  ) {
    nonisolated(unsafe) let (host, answer, read) = (self, answer, read)
    seam.log.describe(id, limits: seam.limits.session, hub: seam.shard.index) { fold in
      guard let fold else { return answer(.failure(host.seam.absence(of: id))) }
      let session = Session(fold.brought(to: host.seam.now.session))
      do throws(HubProblem) {
        try host.seam.admitReader(token, to: session)
      } catch {
        return answer(.failure(error))
      }
      read(session)
    }
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
    seam.find(
      id, token: token, ticket: ticket, needs: role, at: time,
      failure: { answer(.failure($0)) }
    ) { _ in answer(.success(())) }
  }

  /// Issues a ticket to a client that may read a session.
  package func ticket(
    of id: SessionID, token: Credential?, at time: HubTime,
    answer: @escaping (Result<Ticket, HubProblem>) -> Void
  ) {
    seam.find(id, token: token, needs: .viewer, at: time, failure: { answer(.failure($0)) }) {
      hosted in
      answer(
        .success(
          Ticket(
            lastRevocation: hosted.session.fold.revocations.latest,
            endsAt: token?.tokenEnd(at: seam.now.machine))))
    }
  }

  /// Answers a month of a calendar, for a drawing.
  package func month(
    _ month: CivilMonth, of id: SessionID, token: Credential?, ticket: Ticket? = nil,
    locale: String?, at time: HubTime,
    answer: @escaping (Result<MonthContent, HubProblem>) -> Void
  ) {
    seam.find(
      id, token: token, ticket: ticket, needs: .viewer, at: time,
      failure: { answer(.failure($0)) }
    ) { hosted in
      let (picker, definition) = (hosted.session.fold.picker, hosted.session.fold.definition)
      guard let list = picker.months else {
        return answer(.failure(.wrongKind("only a calendar has months to draw")))
      }
      guard let cells = picker.cells(of: month) else {
        let detail = "\(month.iso) is outside the months of this calendar, \(list.first.iso) to "
        return answer(.failure(.outsideMonths(detail + list.last.iso)))
      }
      let texts = seam.texts(for: locale, fallback: definition.locale)
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

/// The result of a session as an event for calendar applications.
/// - Source: web/guide/definitions.md, "Calendar events".
extension HostOperations {
  /// The event as an iCalendar object.
  package func event(
    of id: SessionID, token: Credential?, ticket: Ticket? = nil, locale: String? = nil,
    at time: HubTime, answer: @escaping (Result<[UInt8], HubProblem>) -> Void
  ) {
    seam.find(
      id, token: token, ticket: ticket, needs: .viewer, at: time,
      failure: { answer(.failure($0)) }
    ) { hosted in
      let fold = hosted.session.fold
      guard fold.definition.kind.hasDates else {
        let detail = "a \(fold.definition.kind) picker does not choose a time, so it has no event"
        return answer(.failure(.wrongKind(detail)))
      }
      let sight = fold.sight(
        of: nil, seesAll: seam.seesParts(token, of: hosted.session))
      let texts = seam.texts(for: locale, fallback: fold.definition.locale)
      guard let event = CalendarEvent(fold, sight: sight, tag: texts.noteTag) else {
        return answer(.failure(.notComplete))
      }
      answer(.success(event.iCalendar(name: seam.configuration.calendarName)))
    }
  }

  /// The links of a confirmed session; `nil` if it is not confirmed or has no event.
  ///
  /// - Parameter ics: The link to the event.
  func links(to fold: SessionFold, tag: String, ics: () -> String) -> CalendarLinks? {
    guard fold.status == .confirmed, let event = CalendarEvent(fold, tag: tag) else { return nil }
    return CalendarLinks(to: event, ics: ics(), outlook: seam.configuration.outlookLink)
  }
}
