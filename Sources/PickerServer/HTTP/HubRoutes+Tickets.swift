import CivilTime
import JSONText
import PickerHub
import PickerSession
import PickerWire
import WebSocketTransport

/// Tickets, for clients that cannot send headers: EventSource and `<img>`.
extension HubRoutes {
  private static let secondsMax = 86_400

  /// `POST …/tickets`
  func createTicket(_ call: RoutedRequest) throws(ProblemDocument) {
    let caller = call.caller
    let (purpose, seconds) = try ticketBody(call.request)
    hub.admitViewer(to: call.session, token: token(of: call.request), at: transport.now) {
      [self] result in
      switch result {
      case .success:
        let milliseconds = Int64(seconds) * 1000
        let ticket = gate.tickets.ticket(
          for: purpose, of: call.session, until: transport.now.machine + milliseconds)
        let expires = Instant(milliseconds: SocketLoop.wallMilliseconds() + milliseconds)
        let document = JSONTree.object([
          .init("ticket", .string(ticket)), .init("expires", .string(expires.rfc3339)),
        ])
        answer(caller, 201, "application/json", document.serialized())
      case .failure(let problem): answer(caller, ProblemDocument(problem))
      }
    }
  }

  private func ticketBody(
    _ request: HTTPRequest
  ) throws(ProblemDocument) -> (TicketSigner.Purpose, seconds: Int) {
    try limitBody(of: request)
    let body: JSONTree
    do throws(BadMessage) {
      body = try parseBody(request.body.bytes, fields: ["for", "seconds"])
    } catch {
      throw ProblemDocument(status: 400, code: "badRequest", detail: error.detail)
    }
    guard let purpose = body["for"]?.string.flatMap(TicketSigner.Purpose.init) else {
      throw ProblemDocument(
        status: 400, code: "badRequest", detail: "for must be \"events\" or \"months\"")
    }
    guard let given = body["seconds"] else { return (purpose, 60) }
    guard let seconds = given.integer, (1...HubRoutes.secondsMax).contains(seconds) else {
      throw ProblemDocument(
        status: 400, code: "badRequest",
        detail: "seconds must be an integer from 1 to \(HubRoutes.secondsMax)")
    }
    return (purpose, seconds)
  }

  /// Whether a request has a ticket in its query.
  ///
  /// - Throws: 401 if the ticket is invalid for the purpose or the session, or has expired.
  func hasTicket(
    _ request: HTTPRequest, for purpose: TicketSigner.Purpose, of session: SessionID
  ) throws(ProblemDocument) -> Bool {
    guard let ticket = request.queryValue("ticket") else { return false }
    let now = transport.now.machine
    guard gate.tickets.isValid(ticket, for: purpose, of: session, at: now) else {
      throw ProblemDocument(
        status: 401, code: "badToken",
        detail: "the ticket has expired or is for another purpose or session; POST to tickets "
          + "creates a new one")
    }
    return true
  }
}
