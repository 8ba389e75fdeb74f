import JSONText
import Machine
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
  func create(_ call: RoutedRequest) async throws(ProblemDocument) -> HTTPResponse? {
    let key = call.request.headers[.idempotencyKey]
    // Bytes that are not UTF-8 have been replaced: different keys would be the same one.
    if let scalars = key?.unicodeScalars,
      !(1...64).contains(scalars.count) || scalars.contains("\u{FFFD}")
    {
      throw .badRequest("Idempotency-Key must have 1 to 64 characters in UTF-8")
    }
    return try await create(call, key: key, external: nil)
  }

  /// `PUT /v1/sessions/by/{external}`
  func createByName(_ call: RoutedRequest) async throws(ProblemDocument) -> HTTPResponse? {
    guard let external = try? HostFields.external(.string(call["external"])) else {
      throw .badRequest("the external id in the path must have 1 to 200 characters")
    }
    return try await create(call, key: nil, external: external)
  }

  /// - Parameter external: From the path; then an existing session is the answer.
  private func create(
    _ call: RoutedRequest, key: String?, external: String?
  ) async throws(ProblemDocument) -> HTTPResponse {
    let limits = hub.configuration.limits
    let valuesMax = hub.configuration.definitionLimits.bodyValuesMax
    let namespace = call.credential?.namespace
    let (body, definition) = try await read(call.request.body) { body throws(BadMessage) in
      var request = try CreateRequest(
        body, ttlSecondsMax: limits.ttlSeconds, valuesMax: valuesMax, isNamed: external != nil,
        digest: { SHA256.digest($0) })
      request.take(namespace: namespace)
      if let external { try request.take(external: external) }
      return KeyedRequest(request: request, bodyHash: key == nil ? [] : SHA256.digest(body))
    }
    let (group, index) = (transport.group, transport.index)
    let request = CreationRequest(
      body.request, definition: definition, socketBase: socketBase(of: call.request),
      key: key.map { (text: $0, bodyHash: body.bodyHash) },
      onHub: { step in group.post(to: index) { _ in step() } })
    return response(try await create(request, isNamed: external != nil))
  }

  /// - Parameter isNamed: Whether an existing session with the external id is the answer.
  private func create(
    _ request: CreationRequest, isNamed: Bool
  ) async throws(ProblemDocument) -> CreatedSession {
    // The second time if the session with the external id has ended meanwhile.
    for _ in 1...2 {
      do throws(HubProblem) {
        do throws(HubProblem) {
          return try await hub.host.create(request, at: transport.now)
        } catch {
          guard isNamed, case .externalTaken(let id) = error else { throw error }
          return try await describe(id, request)
        }
      } catch {
        guard isNamed, error == .noSuchSession else { throw ProblemDocument(error) }
      }
    }
    throw ProblemDocument(HubProblem.noSuchSession)
  }

  /// The answer with a session that exists, which may belong to another loop.
  private func describe(
    _ id: SessionID, _ request: CreationRequest
  ) async throws(HubProblem) -> CreatedSession {
    let (base, digest) = (request.socketBase, request.body.host.bodyDigest)
    return try await atHub(of: id) { host, now throws(HubProblem) in
      try await host.describe(id, socketBase: base, bodyDigest: digest, at: now)
    }
  }

  private func response(_ created: CreatedSession) -> HTTPResponse {
    let location = "\(gate.publicURL?.base ?? "")/v1/sessions/\(created.id)"
    return HTTPResponse(
      status: created.isNew ? 201 : 200,
      headers: [
        ("Content-Type", "application/json"), ("Location", location),
        ("Cache-Control", "no-store"),
      ], body: created.body)
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
