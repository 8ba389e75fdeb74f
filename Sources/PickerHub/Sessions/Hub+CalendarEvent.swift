package import PickerSession
import PickerWire

/// The result of a session as an event for calendar applications.
/// - Source: web/guide/definitions.md, "Calendar events".
extension Hub {
  /// The event as an iCalendar object.
  package func event(
    of id: SessionID, token: Credential?, ticket: Ticket? = nil, locale: String? = nil,
    at time: HubTime, answer: @escaping (Result<[UInt8], HubProblem>) -> Void
  ) {
    find(
      id, token: token, ticket: ticket, needs: .viewer, at: time,
      failure: { answer(.failure($0)) }
    ) { [unowned self] hosted in
      let fold = hosted.session.fold
      guard CalendarEvent.isPossible(for: fold.definition.kind) else {
        let detail = "a \(fold.definition.kind) picker does not choose a time, so it has no event"
        return answer(.failure(.wrongKind(detail)))
      }
      let sight = fold.sight(
        of: nil, seesAll: admission.seesMarks(token, of: hosted.session))
      let texts = languages.texts(for: locale, fallback: fold.definition.locale)
      guard let event = CalendarEvent(fold, sight: sight, tag: texts.noteTag) else {
        return answer(.failure(.notComplete))
      }
      answer(.success(event.iCalendar(name: configuration.calendarName)))
    }
  }

  /// The links of a confirmed session; `nil` if it is not confirmed or has no event.
  ///
  /// - Parameter ics: The link to the event.
  func links(to fold: SessionFold, tag: String, ics: () -> String) -> CalendarLinks? {
    guard fold.status == .confirmed, let event = CalendarEvent(fold, tag: tag) else { return nil }
    return CalendarLinks(to: event, ics: ics(), outlook: configuration.outlookLink)
  }
}
