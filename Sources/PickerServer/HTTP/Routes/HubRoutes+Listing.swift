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

  func list(_ call: RoutedRequest) async throws(ProblemDocument) -> HTTPResponse? {
    try admit(call.request, toRead: "the list of sessions", scope: .sessions)
    let listing = try listing(call)
    guard let page = await page(listing) else { throw ProblemDocument(HubProblem.unavailable) }
    return HTTPResponse(json: document(page, await states(of: page.sessions, listing)))
  }

  private func listing(_ call: RoutedRequest) throws(ProblemDocument) -> Listing {
    let request = call.request
    let status = request.queryValue("status")
    let known = status.flatMap(SessionStatus.init(rawValue:))
    guard status == nil || known != nil else {
      throw .badRequest("status must be open, confirming, confirmed or cancelled")
    }
    guard let after = Int64(request.queryValue("after") ?? "0"), after >= 0 else {
      throw .badRequest("after must be the next of an earlier answer")
    }
    guard let limit = Int(request.queryValue("limit") ?? "100"), (1...500).contains(limit) else {
      throw .badRequest("limit must be an integer from 1 to 500")
    }
    let included = request.queryValue("include")
    guard included == nil || included == "result" else {
      throw .badRequest("include must be result")
    }
    let namespace = call.credential?.namespace
    return Listing(
      external: request.queryValue("external"), status: known, namespace: namespace,
      uses: request.queryValue("uses").map { SharedDefinition.name($0, in: namespace) },
      includesResult: included != nil, after: after, limit: limit)
  }

  /// A page; `nil` if the log cannot be read now.
  private func page(_ listing: Listing) async -> SessionListPage? {
    if hub.isClustered {
      return await hub.host.list(
        SessionListQuery(
          external: listing.external, status: listing.status, namespace: listing.namespace,
          uses: listing.uses, after: listing.after, limit: listing.limit))
    }
    // Sessions that could not be loaded.
    var unreadable: Set<SessionID> = []
    for _ in 1...HubRoutes.attemptsMax {
      let page = hub.shard.names.use { [unreadable] index in
        index.page(
          external: listing.external, status: listing.status, namespace: listing.namespace,
          uses: listing.uses, unreadable: unreadable,
          after: listing.after, limit: listing.limit)
      }
      switch page {
      case .sessions(let sessions, let next):
        return SessionListPage(sessions: sessions, next: next)
      case .unknown(let ids):
        let failed = await fromAllLoops { transport in
          let own = ids.filter(transport.hub.shard.has)
          return own.isEmpty ? [] : await transport.hub.host.load(own, at: transport.now)
        }
        unreadable.formUnion(failed.joined())
      }
    }
    return nil
  }

  private func states(
    of sessions: [SessionIndex.Entry], _ listing: Listing
  ) async -> [SessionID: ListedState] {
    guard listing.includesResult else { return [:] }
    let ids = sessions.map(\.id)
    let parts = await fromAllLoops { transport in
      let own = ids.filter(transport.hub.shard.has)
      return own.isEmpty ? [:] : await transport.hub.host.states(of: own, at: transport.now)
    }
    return parts.reduce(into: [:]) { states, part in states.merge(part) { first, _ in first } }
  }

  private func document(_ page: SessionListPage, _ states: [SessionID: ListedState]) -> [UInt8] {
    var writer = JSONWriter(capacity: 4096)
    writer.literal("{\"sessions\":[")
    for (index, entry) in page.sessions.enumerated() {
      writer.literal(index > 0 ? ",{\"session\":" : "{\"session\":")
      writer.string(entry.id.text)
      if let external = entry.external { writer.literal(",\"external\":", external) }
      let state = states[entry.id]
      if let status = state?.status ?? entry.status {
        writer.literal(",\"status\":", status.rawValue)
      }
      if let state {
        writer.literal(",\"revision\":", state.revision)
        writer.literal(",\"result\":")
        writer.raw(state.result)
      }
      writer.literal("}")
    }
    writer.literal("]")
    if let next = page.next { writer.literal(",\"next\":", "\(next)") }
    writer.literal("}")
    return writer.bytes
  }
}
