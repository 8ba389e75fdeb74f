import JSONText
import PickerHost
import PickerHub
import PickerSession
import WebSocketTransport

/// `GET /v1/sessions`
/// - Source: web/guide/README.md, "HTTP API and server-sent events".
extension HubRoutes {
  private struct Listing: Sendable {
    let external: String?
    let status: SessionStatus?
    let namespace: String?
    let after: Int64
    let limit: Int
  }

  /// How often a page is tried: sessions whose status is not known are loaded between.
  private static let attemptsMax = 200

  func list(_ call: RoutedRequest) throws(ProblemDocument) {
    try admit(call.request, toRead: "the list of sessions", scope: .sessions)
    list(try listing(call), attempt: 1, unreadable: [], call.caller)
  }

  private func listing(_ call: RoutedRequest) throws(ProblemDocument) -> Listing {
    let request = call.request
    func bad(_ detail: String) -> ProblemDocument {
      ProblemDocument(status: 400, code: "badRequest", detail: detail)
    }
    let status = request.queryValue("status")
    let known = status.flatMap(SessionStatus.init(rawValue:))
    guard status == nil || known != nil else {
      throw bad("status must be open, confirming, confirmed or cancelled")
    }
    guard let after = Int64(request.queryValue("after") ?? "0"), after >= 0 else {
      throw bad("after must be the next of an earlier answer")
    }
    guard let limit = Int(request.queryValue("limit") ?? "100"), (1...500).contains(limit) else {
      throw bad("limit must be an integer from 1 to 500")
    }
    return Listing(
      external: request.queryValue("external"), status: known,
      namespace: call.credential?.namespace, after: after, limit: limit)
  }

  /// The page of a log that has sessions of other nodes.
  private func listShared(_ listing: Listing, _ caller: Caller) {
    let query = SessionListQuery(
      external: listing.external, status: listing.status, namespace: listing.namespace,
      after: listing.after, limit: listing.limit)
    hub.host.list(query) { [self] page in
      guard let page else { return answer(caller, ProblemDocument(HubProblem.unavailable)) }
      answer(caller, page.sessions, next: page.next)
    }
  }

  /// - Parameter unreadable: Sessions that could not be loaded by earlier attempts.
  private func list(
    _ listing: Listing, attempt: Int, unreadable: Set<SessionID>, _ caller: Caller
  ) {
    if hub.isShared { return listShared(listing, caller) }
    let page = hub.shard.names.use { index in
      index.page(
        external: listing.external, status: listing.status, namespace: listing.namespace,
        unreadable: unreadable,
        after: listing.after, limit: listing.limit)
    }
    switch page {
    case .sessions(let sessions, let next): answer(caller, sessions, next: next)
    case .unknown(let ids) where attempt < HubRoutes.attemptsMax:
      transport.group.ask(for: transport) { transport, reply in
        let own = ids.filter(transport.hub.shard.has)
        if own.isEmpty { return reply([]) }
        transport.hub.host.load(own, at: transport.now) { reply($0) }
      } completion: { [self] (failed: [[SessionID]]) in
        let unreadable = unreadable.union(failed.joined())
        list(listing, attempt: attempt + 1, unreadable: unreadable, caller)
      }
    case .unknown: answer(caller, ProblemDocument(HubProblem.unavailable))
    }
  }

  private func answer(_ caller: Caller, _ sessions: [SessionIndex.Entry], next: Int64?) {
    let items = sessions.map { entry in
      JSONTree.object(
        [.init("session", .string(entry.id.text))]
          + (entry.external.map { [.init("external", .string($0))] } ?? [])
          + (entry.status.map { [.init("status", .string($0.rawValue))] } ?? []))
    }
    let document = JSONTree.object(
      [.init("sessions", .array(items))]
        + (next.map { [.init("next", .string("\($0)"))] } ?? []))
    answer(caller, 200, "application/json", document.serialized())
  }
}
