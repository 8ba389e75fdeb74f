import JSONText
import PickerHost
import PickerHub
import PickerModel
import PickerSession
import PickerWire
import WebSocketTransport

/// Creation, and the list of sessions.
/// - Source: web/guide/README.md, "HTTP API and server-sent events".
extension HubRoutes {
  /// `POST /v1/sessions`
  func create(_ call: RoutedRequest) throws(ProblemDocument) {
    let key = call.request.headers[.idempotencyKey]
    // Bytes that are not UTF-8 have been replaced: different keys would be the same one.
    if let scalars = key?.unicodeScalars,
      !(1...64).contains(scalars.count) || scalars.contains("\u{FFFD}")
    {
      throw ProblemDocument(
        status: 400, code: "badRequest",
        detail: "Idempotency-Key must have 1 to 64 characters in UTF-8")
    }
    try create(call, key: key, external: nil)
  }

  /// `PUT /v1/sessions/by/{external}`
  func createByName(_ call: RoutedRequest) throws(ProblemDocument) {
    guard let external = try? HostFields.external(.string(call["external"])) else {
      throw ProblemDocument(
        status: 400, code: "badRequest",
        detail: "the external id in the path must have 1 to 200 characters")
    }
    try create(call, key: nil, external: external)
  }

  /// - Parameter external: From the path; then an existing session is the answer.
  private func create(
    _ call: RoutedRequest, key: String?, external: String?
  ) throws(ProblemDocument) {
    let limits = hub.configuration.limits
    let valuesMax = hub.configuration.definitionLimits.bodyValuesMax
    let base = socketBase(of: call.request)
    let namespace = call.credential?.namespace
    let caller = call.caller
    try read(caller, call.request.body) { body throws(BadMessage) in
      var request = try CreateRequest(
        body, ttlSecondsMax: limits.ttlSeconds, valuesMax: valuesMax, isNamed: external != nil,
        digest: { SocketLoop.sha256($0) })
      request.take(namespace: namespace)
      if let external { try request.take(external: external) }
      return KeyedRequest(request: request, bodyHash: key == nil ? [] : SocketLoop.sha256(body))
    } then: { [self] body, definition in
      let keyed = key.map { (text: $0, bodyHash: body.bodyHash) }
      create(
        CreationRequest(body.request, definition: definition, socketBase: base, key: keyed),
        external: external, caller)
    }
  }

  /// - Parameter isAgain: Whether the session with the external id has ended since a first attempt.
  private func create(
    _ request: CreationRequest, external: String?, _ caller: Caller, isAgain: Bool = false
  ) {
    var request = request
    // Only used on this loop's thread.
    nonisolated(unsafe) let routes = self
    let again = request
    let index = transport.index
    let group = transport.group
    request.retry = {
      group.post(to: index) { _ in routes.create(again, external: external, caller) }
    }
    hub.host.create(request, at: transport.now) { [self] result in
      switch result {
      case .success(let created): answer(caller, created)
      case .failure(.externalTaken(let id)) where external != nil:
        describe(id, request, caller) { [self] in
          if isAgain { return answer(caller, ProblemDocument(.noSuchSession)) }
          create(again, external: external, caller, isAgain: true)
        }
      case .failure(let problem): answer(caller, ProblemDocument(problem))
      }
    }
  }

  /// Answers with a session that exists, which may belong to another loop.
  private func describe(
    _ id: SessionID, _ request: CreationRequest, _ caller: Caller,
    ifAbsent: @escaping () -> Void
  ) {
    // Only used on this loop's thread.
    nonisolated(unsafe) let (routes, ifAbsent) = (self, ifAbsent)
    let home = transport.index
    let group = transport.group
    let (base, digest) = (request.socketBase, request.body.host.bodyDigest)
    group.post(to: HubShard.index(of: id, among: group.transports.count)) { transport in
      transport.hub.host.describe(
        id, socketBase: base, bodyDigest: digest, at: transport.now
      ) { result in
        group.post(to: home) { _ in
          switch result {
          case .success(let created): routes.answer(caller, created)
          case .failure(.noSuchSession): ifAbsent()
          case .failure(let problem): routes.answer(caller, ProblemDocument(problem))
          }
        }
      }
    }
  }

  private func answer(_ caller: Caller, _ created: CreatedSession) {
    let location = "\(gate.publicURL?.base ?? "")/v1/sessions/\(created.id)"
    transport.answer(
      caller,
      HTTPResponse(
        status: created.isNew ? 201 : 200,
        headers: [
          ("Content-Type", "application/json"), ("Location", location),
          ("Cache-Control", "no-store"),
        ], body: created.body))
  }

  /// The same as ``httpBase(of:)`` with `ws` or `wss`.
  private func socketBase(of request: HTTPRequest) -> String {
    "ws" + httpBase(of: request).dropFirst("http".count)
  }
}

private struct KeyedRequest: DefinitionBody {
  var request: CreateRequest
  let bodyHash: [UInt8]
  var isPart: Bool { request.uses != nil }

  var definition: JSONTree {
    get { request.definition }
    set { request.definition = newValue }
  }
}
