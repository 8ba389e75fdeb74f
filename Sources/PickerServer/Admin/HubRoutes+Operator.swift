import PickerHub
import WebSocketTransport

extension RouteTable {
  /// Any session, for operators on the admin listener.
  static let operations = [
    Route(.get, "/v1/admin/sessions/{id}", .key(.sessions), HubRoutes.readForOperator),
    Route(.delete, "/v1/admin/sessions/{id}", .key(.sessions), HubRoutes.deleteForOperator),
  ]
}

extension HubRoutes {
  /// `GET /v1/admin/sessions/{id}`
  func readForOperator(_ call: RoutedRequest) throws(ProblemDocument) {
    try read(of(call))
  }

  /// `DELETE /v1/admin/sessions/{id}`
  func deleteForOperator(_ call: RoutedRequest) throws(ProblemDocument) {
    try delete(of(call))
  }

  /// The request with an operator's credential; with `--auth keys` with its own.
  ///
  /// - Throws: 403 without keys unless it comes from the same machine.
  private func of(_ call: RoutedRequest) throws(ProblemDocument) -> RoutedRequest {
    try admit(call.request, toRead: "a session", scope: .sessions)
    return RoutedRequest(
      caller: call.caller, request: call.request, variables: call.variables,
      credential: gate.keys == nil ? .operator : call.credential)
  }
}
