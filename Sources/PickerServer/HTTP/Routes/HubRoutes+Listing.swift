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
    /// ``SharedUse/name``
    let uses: String?
    let includesResult: Bool
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
    let included = request.queryValue("include")
    guard included == nil || included == "result" else { throw bad("include must be result") }
    let namespace = call.credential?.namespace
    return Listing(
      external: request.queryValue("external"), status: known, namespace: namespace,
      uses: request.queryValue("uses").map { SharedDefinition.name($0, in: namespace) },
      includesResult: included != nil, after: after, limit: limit)
  }

  /// The page of a log that has sessions of other nodes.
  private func listCluster(_ listing: Listing, _ caller: Caller) {
    let query = SessionListQuery(
      external: listing.external, status: listing.status, namespace: listing.namespace,
      uses: listing.uses, after: listing.after, limit: listing.limit)
    hub.host.list(query) { [self] page in
      guard let page else { return answer(caller, ProblemDocument(HubProblem.unavailable)) }
      answer(caller, listing, page.sessions, next: page.next)
    }
  }

  /// - Parameter unreadable: Sessions that could not be loaded by earlier attempts.
  private func list(
    _ listing: Listing, attempt: Int, unreadable: Set<SessionID>, _ caller: Caller
  ) {
    if hub.isClustered { return listCluster(listing, caller) }
    let page = hub.shard.names.use { index in
      index.page(
        external: listing.external, status: listing.status, namespace: listing.namespace,
        uses: listing.uses, unreadable: unreadable,
        after: listing.after, limit: listing.limit)
    }
    switch page {
    case .sessions(let sessions, let next): answer(caller, listing, sessions, next: next)
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

  private func answer(
    _ caller: Caller, _ listing: Listing, _ sessions: [SessionIndex.Entry], next: Int64?
  ) {
    guard listing.includesResult else { return answer(caller, sessions, [:], next: next) }
    let ids = sessions.map(\.id)
    transport.group.ask(for: transport) { transport, reply in
      let own = ids.filter(transport.hub.shard.has)
      if own.isEmpty { return reply([:]) }
      transport.hub.host.states(of: own, at: transport.now) { reply($0) }
    } completion: { [self] (parts: [[SessionID: ListedState]]) in
      var states: [SessionID: ListedState] = [:]
      for part in parts { states.merge(part) { first, _ in first } }
      answer(caller, sessions, states, next: next)
    }
  }

  private func answer(
    _ caller: Caller, _ sessions: [SessionIndex.Entry], _ states: [SessionID: ListedState],
    next: Int64?
  ) {
    var writer = JSONWriter(capacity: 4096)
    writer.literal("{\"sessions\":[")
    for (index, entry) in sessions.enumerated() {
      writer.literal(index > 0 ? ",{\"session\":" : "{\"session\":")
      writer.string(entry.id.text)
      if let external = entry.external {
        writer.literal(",\"external\":")
        writer.string(external)
      }
      let state = states[entry.id]
      if let status = state?.status ?? entry.status {
        writer.literal(",\"status\":")
        writer.string(status.rawValue)
      }
      if let state {
        writer.literal(",\"revision\":")
        writer.integer(state.revision)
        writer.literal(",\"result\":")
        writer.raw(state.result)
      }
      writer.literal("}")
    }
    writer.literal("]")
    if let next {
      writer.literal(",\"next\":")
      writer.string("\(next)")
    }
    writer.literal("}")
    answer(caller, 200, "application/json", writer.bytes)
  }
}
