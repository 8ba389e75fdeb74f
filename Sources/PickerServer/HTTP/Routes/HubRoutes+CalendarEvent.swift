import PickerHost
import PickerHub
import PickerSession
import WebSocketTransport

/// `GET …/event.ics`.
/// - Source: web/guide/definitions.md, "Calendar events".
extension HubRoutes {
  func event(_ call: RoutedRequest) async throws(ProblemDocument) -> HTTPResponse? {
    let ticket = try ticket(call.request, for: .ics, of: call.session)
    let event = try await host { host throws(HubProblem) in
      try await host.event(
        of: call.session, token: call.credential, ticket: ticket, locale: call.locale,
        at: transport.now)
    }
    return HTTPResponse(
      tagged: event, ifNoneMatch: call.request.headers[.ifNoneMatch],
      [
        ("Content-Type", "text/calendar; charset=utf-8; method=PUBLISH"),
        ("Content-Disposition", "attachment; filename=\"event.ics\""),
        ("X-Content-Type-Options", "nosniff"),
      ])
  }

  /// The link to a session's event, which opens without a token as long as the session exists.
  func eventLink(of session: SessionID, locale: String?, for request: HTTPRequest) -> String {
    let ticket = gate.tickets.lastingTicket(of: session)
    let locale = locale.flatMap { tag in LocaleTag(tag) == nil ? nil : "&locale=\(tag)" }
    return "\(httpBase(of: request))/v1/sessions/\(session)/event.ics?ticket=\(ticket)"
      + (locale ?? "")
  }

  /// The URL before `/v1/…`: the public URL, or the one that the client has used.
  func httpBase(of request: HTTPRequest) -> String {
    if let url = gate.publicURL { return url.base }
    let scheme = gate.isSecure(request.head) ? "https" : "http"
    return "\(scheme)://\(request.headers[.host] ?? "127.0.0.1")"
  }
}
