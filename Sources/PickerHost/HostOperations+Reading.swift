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

  /// The current state of a session as JSON.
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
    isByName: Bool = false, eventLink: () -> String = { "" }, at time: HubTime
  ) async throws(HubProblem) -> [UInt8] {
    let session = try await findToRead(id, token: token, isByName: isByName, at: time)
    let (fold, online) = (session.fold, session.onlineMembers)
    let versionWithoutChange = session.versionWithoutChange
    let texts = seam.texts(for: locale, fallback: fold.definition.locale)
    let links = links(to: fold, tag: texts.noteTag, ics: eventLink)
    let windowRows = seam.limits.session.windowRows
    let seesAll = seam.allowsChange(token, of: session)
    let sight = fold.sight(
      of: nil, seesAll: seam.seesParts(token, of: session),
      zone: seam.cellZone(timeZone, of: fold.definition))
    let weight =
      fold.definition.weight + fold.notes.days.count + fold.notes.rowCount
      + fold.picker.partsByteCount / 512
    return await encode(ofWeight: weight) {
      HTTPDocument.session(
        fold, online: online, versionWithoutChange: versionWithoutChange, isFull: isFull,
        seesAll: seesAll, sight: sight, links: links, texts: texts, windowRows: windowRows)
    }
  }

  private func findToRead(
    _ id: SessionID, token: Credential?, isByName: Bool, at time: HubTime
  ) async throws(HubProblem) -> Session {
    do throws(HubProblem) {
      return try await seam.find(id, token: token, needs: .viewer, at: time).session
    } catch {
      guard isByName, error == .unavailable, seam.isElsewhere(id) else { throw error }
      return try await readElsewhere(id, token: token)
    }
  }

  /// Reads a session that another node owns from the log. Its members look as if they were offline.
  private func readElsewhere(
    _ id: SessionID, token: Credential?
  ) async throws(HubProblem) -> Session {
    guard let fold = await storedFold(of: id) else { throw seam.absence(of: id) }
    let session = Session(fold.brought(to: seam.now.session))
    try seam.admitReader(token, to: session)
    return session
  }

  /// Checks that a token or a ticket grants a viewer's rights in a session.
  package func admitViewer(
    to id: SessionID, token: Credential?, ticket: Ticket? = nil, at time: HubTime
  ) async throws(HubProblem) {
    try await admit(to: id, token: token, ticket: ticket, needs: .viewer, at: time)
  }

  /// Checks that a token or a ticket grants the rights of a role in a session.
  package func admit(
    to id: SessionID, token: Credential?, ticket: Ticket? = nil, needs role: Role,
    at time: HubTime
  ) async throws(HubProblem) {
    _ = try await seam.find(id, token: token, ticket: ticket, needs: role, at: time)
  }

  /// Issues a ticket to a client that may read a session.
  package func ticket(
    of id: SessionID, token: Credential?, at time: HubTime
  ) async throws(HubProblem) -> Ticket {
    let hosted = try await seam.find(id, token: token, needs: .viewer, at: time)
    return Ticket(
      lastRevocation: hosted.session.fold.revocations.latest,
      endsAt: token?.tokenEnd(at: seam.now.machine))
  }

  /// A month of a calendar, for a drawing.
  package func month(
    _ month: CivilMonth, of id: SessionID, token: Credential?, ticket: Ticket? = nil,
    locale: String?, at time: HubTime
  ) async throws(HubProblem) -> MonthContent {
    let fold = try await seam.find(id, token: token, ticket: ticket, needs: .viewer, at: time)
      .session.fold
    guard let list = fold.picker.months else {
      throw .wrongKind("only a calendar has months to draw")
    }
    guard let cells = fold.picker.cells(of: month) else {
      let detail = "\(month.iso) is outside the months of this calendar, \(list.first.iso) to "
      throw .outsideMonths(detail + list.last.iso)
    }
    return MonthContent(
      month: month, cells: cells, bands: fold.picker.bands(of: month),
      hasHalves: fold.picker.definition.isNights,
      notes: cells.map { fold.notes.days[$0.date] }, locale: fold.definition.locale,
      texts: seam.texts(for: locale, fallback: fold.definition.locale))
  }
}

/// The result of a session as an event for calendar applications.
/// - Source: web/guide/definitions.md, "Calendar events".
extension HostOperations {
  /// The event as an iCalendar object.
  package func event(
    of id: SessionID, token: Credential?, ticket: Ticket? = nil, locale: String? = nil,
    at time: HubTime
  ) async throws(HubProblem) -> [UInt8] {
    let hosted = try await seam.find(id, token: token, ticket: ticket, needs: .viewer, at: time)
    let fold = hosted.session.fold
    guard fold.definition.kind.hasDates else {
      throw .wrongKind(
        "a \(fold.definition.kind) picker does not choose a time, so it has no event")
    }
    let sight = fold.sight(of: nil, seesAll: seam.seesParts(token, of: hosted.session))
    let texts = seam.texts(for: locale, fallback: fold.definition.locale)
    guard let event = CalendarEvent(fold, sight: sight, tag: texts.noteTag) else {
      throw .notComplete
    }
    return event.iCalendar(name: seam.configuration.calendarName)
  }

  /// The links of a confirmed session; `nil` if it is not confirmed or has no event.
  ///
  /// - Parameter ics: The link to the event.
  func links(to fold: SessionFold, tag: String, ics: () -> String) -> CalendarLinks? {
    guard fold.status == .confirmed, let event = CalendarEvent(fold, tag: tag) else { return nil }
    return CalendarLinks(to: event, ics: ics(), outlook: seam.configuration.outlookLink)
  }
}
