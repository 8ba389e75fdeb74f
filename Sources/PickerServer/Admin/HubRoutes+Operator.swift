import PickerHub
import WebSocketTransport

extension RouteTable {
  /// Any session, for operators on the admin listener.
  static let operations = [
    Route(
      .get, "/v1/admin/sessions/{id}", .key(.sessions), query: reading,
      HubRoutes.readForOperator),
    Route(
      .delete, "/v1/admin/sessions/{id}", .key(.sessions), query: ["release"],
      HubRoutes.deleteForOperator),
  ]
}

extension HubRoutes {
  /// `GET /v1/admin/sessions/{id}`
  func readForOperator(_ call: RoutedRequest) async throws(ProblemDocument) -> HTTPResponse? {
    let call = try of(call)
    try await checkNode(of: call)
    return try await read(call)
  }

  /// `DELETE /v1/admin/sessions/{id}`
  func deleteForOperator(_ call: RoutedRequest) async throws(ProblemDocument) -> HTTPResponse? {
    let call = try of(call)
    try await checkNode(of: call)
    return try await delete(call)
  }

  /// Connections of the admin listener are not relayed, so that `--node-listen` gives nobody an
  /// operator's rights.
  ///
  /// - Throws: 503 with the address of the node that has the session, if it is another one.
  private func checkNode(of call: RoutedRequest) async throws(ProblemDocument) {
    guard let owners = store.owners else { return }
    let owner = await fromAnyThread { owners.find(call.session, $0) }
    guard case .node(let number, let address) = owner else { return }
    let place = address.map { " at \($0)" } ?? ""
    throw ProblemDocument(
      status: 503, code: "unavailable",
      detail: "node \(number)\(place) has this session: ask its admin listener")
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
