import PickerHub
import WebSocketTransport

extension RouteTable {
  /// Any session, for operators on the admin listener.
  static let operations = [
    Route(
      .get, "/v1/admin/sessions/{id}", .key(.sessions), query: reading,
      HubRoutes.readForOperator),
    Route(.delete, "/v1/admin/sessions/{id}", .key(.sessions), HubRoutes.deleteForOperator),
  ]
}

extension HubRoutes {
  /// `GET /v1/admin/sessions/{id}`
  func readForOperator(_ call: RoutedRequest) throws(ProblemDocument) {
    let call = try of(call)
    whenHere(call) { $0.read(call) }
  }

  /// `DELETE /v1/admin/sessions/{id}`
  func deleteForOperator(_ call: RoutedRequest) throws(ProblemDocument) {
    let call = try of(call)
    whenHere(call) { $0.delete(call) }
  }

  /// Handles a request unless another node has its session: connections of the admin listener are
  /// not relayed, so that `--node-listen` gives nobody an operator's rights. The answer is then 503
  /// with the address of that node.
  private func whenHere(_ call: RoutedRequest, _ body: @escaping (HubRoutes) -> Void) {
    guard let owners = store.owners else { return body(self) }
    let (group, index) = (transport.group, transport.index)
    // Only used on this loop's thread.
    nonisolated(unsafe) let (routes, body) = (self, body)
    owners.find(call.session) { owner in
      group.post(to: index) { _ in
        guard case .node(let number, let address) = owner else { return body(routes) }
        let place = address.map { " at \($0)" } ?? ""
        routes.answer(
          call.caller,
          ProblemDocument(
            status: 503, code: "unavailable",
            detail: "node \(number)\(place) has this session: ask its admin listener"))
      }
    }
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
