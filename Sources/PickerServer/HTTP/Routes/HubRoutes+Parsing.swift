import CivilTime
import PickerHub
import PickerSession
import PickerWire
import WebSocketTransport

/// Checks that several routes share.
extension HubRoutes {
  /// - Throws: 413 for a body larger than the limit `messageBytes`.
  func limitBody(of request: HTTPRequest) throws(ProblemDocument) {
    let byteCountMax = hub.configuration.limits.messageBytes
    guard request.body.count <= byteCountMax else {
      throw ProblemDocument(
        status: 413, code: "tooLarge", detail: "this body may have at most \(byteCountMax) bytes")
    }
  }

  func month(
    _ text: String, named name: String
  ) throws(ProblemDocument) -> CivilMonth {
    guard let month = CivilMonth(iso: text.utf8) else {
      throw badRequest("\(name) must be a month such as 2026-11")
    }
    return month
  }

  func badRequest(_ detail: String) -> ProblemDocument {
    ProblemDocument(status: 400, code: "badRequest", detail: detail)
  }

  var tooLarge: ProblemDocument {
    ProblemDocument(
      status: 413, code: "tooLarge",
      detail: "a body may have at most \(gate.limits[.bodyBytes]) bytes")
  }

  /// Answers with a problem. Before one of the request itself comes that of its session: that there
  /// is none, or that the caller may not do this.
  func refuse(_ call: RoutedRequest, _ problem: ProblemDocument, access: RouteAccess) {
    let caller = call.caller
    // A ticket is not checked here: the answer must not show whether the session exists.
    let hasTicket =
      access == .ticketReader && call.credential == nil && call.request.queryValue("ticket") != nil
    guard [400, 413].contains(problem.status), call.variables["id"] != nil, !call.request.isAdmin,
      !hasTicket
    else { return answer(caller, problem) }
    hub.admit(
      to: call.session, token: call.credential, needs: role(for: access), at: transport.now
    ) { [self] result in
      switch result {
      case .success: answer(caller, problem)
      case .failure(let problem): answer(caller, ProblemDocument(problem))
      }
    }
  }

  private func role(for access: RouteAccess) -> Role {
    switch access {
    case .everyone, .sessionReader, .ticketReader, .member, .memberOrKey: .viewer
    case .key, .metrics, .sessionKey: .owner
    }
  }
}
