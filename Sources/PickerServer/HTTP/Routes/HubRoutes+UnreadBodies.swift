import PickerHub
import PickerSession
import WebSocketTransport

/// Requests with a body over the limit `bodyBytes`.
extension HubRoutes {
  /// Refuses a request as if its body were short, if it may not change its session; otherwise with
  /// 413.
  func refuseUnread(_ call: RoutedRequest, access: RouteAccess) {
    let caller = call.caller
    let tooLarge = ProblemDocument(
      status: 413, code: "tooLarge",
      detail: "a body may have at most \(gate.limits[.bodyBytes]) bytes")
    guard call.variables["id"] != nil, !call.request.isAdmin else {
      return answer(caller, tooLarge)
    }
    hub.admit(
      to: call.session, token: call.credential, needs: role(for: access), at: transport.now
    ) { [self] result in
      switch result {
      case .success: answer(caller, tooLarge)
      case .failure(let problem): answer(caller, ProblemDocument(problem))
      }
    }
  }

  private func role(for access: RouteAccess) -> Role {
    switch access {
    case .everyone, .sessionReader, .member: .viewer
    case .key, .sessionKey: .owner
    }
  }
}
