import CivilTime
import CMachine
import JSONText
import PickerHost
import PickerHub
import PickerModel
import PickerSession
import PickerWire
import WebSocketTransport

/// Tickets, for clients that cannot send headers: EventSource, `<img>` and links.
extension HubRoutes {
  private static let secondsMax = 86_400

  /// `POST …/tickets`
  func createTicket(_ call: RoutedRequest) async throws(ProblemDocument) -> HTTPResponse? {
    let (purpose, seconds) = try ticketBody(call)
    let ticket = try await host { host throws(HubProblem) in
      try await host.ticket(of: call.session, token: call.credential, at: transport.now)
    }
    let now = transport.now.machine
    let milliseconds = min(Int64(seconds) * 1000, (ticket.endsAt ?? .max) - now)
    let text = gate.tickets.ticket(
      for: purpose, of: call.session, until: now + milliseconds, ticket, at: now)
    let expires = Instant(milliseconds: machine_wall_ms() + milliseconds)
    let document = JSONTree.object([
      .init("ticket", .string(text)), .init("expires", .string(expires.rfc3339)),
    ])
    return HTTPResponse(json: document.serialized(), status: 201)
  }

  private func ticketBody(
    _ call: RoutedRequest
  ) throws(ProblemDocument) -> (TicketSigner.Purpose, seconds: Int) {
    let body = try body(of: call, fields: ["for", "seconds"])
    guard let purpose = body["for"]?.string.flatMap(TicketSigner.Purpose.init) else {
      throw .badRequest("for must be \"events\", \"months\" or \"ics\"", at: "/for")
    }
    guard let given = body["seconds"] else { return (purpose, 60) }
    guard let seconds = given.integer, (1...HubRoutes.secondsMax).contains(seconds) else {
      throw .badRequest(
        "seconds must be an integer from 1 to \(HubRoutes.secondsMax)", at: "/seconds")
    }
    return (purpose, seconds)
  }

  /// The ticket in a request's query, if there is one.
  ///
  /// - Throws: 401 if it is not valid for this, or has expired.
  func ticket(
    _ request: HTTPRequest, for purpose: TicketSigner.Purpose, of session: SessionID
  ) throws(ProblemDocument) -> Ticket? {
    guard let text = request.queryValue("ticket") else { return nil }
    let now = transport.now.machine
    guard let ticket = gate.tickets.verify(text, for: purpose, of: session, at: now) else {
      throw ProblemDocument(
        status: 401, code: "badToken",
        detail: "the ticket has expired or is for another resource; POST to tickets creates one")
    }
    return ticket
  }
}
