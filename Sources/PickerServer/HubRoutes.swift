import CivilTime
import JSONText
import PickerHub
import PickerModel
import PickerSession
import PickerWire
import WebSocketTransport

/// The HTTP requests of protocol.md: from path and method to the hub and back.
final class HubRoutes {
  let transport: HubTransport
  private let files: StaticFiles
  private let origins: OriginPolicy
  private let metrics: () -> String
  private let isReady: () -> String?

  /// - Parameters:
  ///   - metrics: Prometheus text.
  ///   - isReady: Why no session can be accepted now; `nil` if they can.
  init(
    _ transport: HubTransport, files: StaticFiles, origins: OriginPolicy,
    metrics: @escaping () -> String, isReady: @escaping () -> String?
  ) {
    self.transport = transport
    self.files = files
    self.origins = origins
    self.metrics = metrics
    self.isReady = isReady
  }

  /// The words above drawn months.
  let monthWords = MonthWordsCatalog()

  var hub: Hub { transport.hub }

  func respond(_ id: RequestID, _ request: HTTPRequest) {
    do throws(ProblemDocument) {
      if request.method != .get && request.method != .head {
        try admitOrigin(of: request)
      }
      try route(id, request)
    } catch {
      answer(id, error)
    }
  }

  /// A page of another origin must not change anything here.
  private func admitOrigin(of request: HTTPRequest) throws(ProblemDocument) {
    guard origins.allows(origin: request.headers[.origin], host: request.headers[.host]) else {
      throw ProblemDocument(
        status: 403, code: "notAllowed",
        detail: "pages of this origin may not do this; --origin lists those that may")
    }
  }

  private func route(_ id: RequestID, _ request: HTTPRequest) throws(ProblemDocument) {
    switch request.path {
    case "/v1/sessions":
      try allow(request, .post)
      try create(id, request)
    case "/v1/definitions/check":
      try allow(request, .post)
      try check(id, request)
    case "/v1/clock" where !transport.clock.runs:
      try allow(request, .post)
      try setClock(id, request)
    case "/healthz":
      try allow(request, .get)
      answer(id, 200, "text/plain; charset=utf-8", Array("alive\n".utf8))
    case "/readyz":
      try allow(request, .get)
      if let problem = isReady() {
        throw ProblemDocument(status: 503, code: "unavailable", detail: problem)
      }
      answer(id, 200, "text/plain; charset=utf-8", Array("ready\n".utf8))
    case "/metrics":
      try allow(request, .get)
      answer(id, 200, MetricsText.contentType, Array(metrics().utf8))
    case let path where path.hasPrefix("/v1/sessions/"):
      try routeSession(id, request, path.dropFirst("/v1/sessions/".count))
    case "/v1/openapi.json", "/v1/asyncapi.json":
      try sendFile(id, request, at: "/client/api" + request.path.dropFirst("/v1".count))
    default: try sendFile(id, request, at: request.path)
    }
  }

  private func routeSession(
    _ id: RequestID, _ request: HTTPRequest, _ rest: Substring
  ) throws(ProblemDocument) {
    let parts = rest.split(separator: "/", omittingEmptySubsequences: false)
    let session = SessionID(String(parts.first ?? ""))
    switch parts.count {
    case 1 where request.method == .delete: delete(id, request, session)
    case 1:
      try allow(request, .get, .delete)
      read(id, request, session)
    case 2 where parts[1] == "log":
      try allow(request, .get)
      try log(id, request, session)
    case 2 where parts[1] == "events":
      try allow(request, .get)
      try events(id, request, session)
    case 2 where parts[1] == "members":
      try allow(request, .post)
      try addMember(id, request, session)
    case 2 where parts[1] == "commands":
      try allow(request, .post)
      try command(id, request, session)
    case 3 where parts[1] == "months" && parts[2].hasSuffix(".svg"):
      try allow(request, .get)
      try drawMonth(id, request, session, parts[2].dropLast(".svg".count))
    default: throw notFound(request.path)
    }
  }

  private func create(_ id: RequestID, _ request: HTTPRequest) throws(ProblemDocument) {
    let body: CreateRequest
    do throws(BadMessage) {
      body = try CreateRequest(request.body)
    } catch {
      throw ProblemDocument(status: 400, code: "badRequest", detail: error.detail)
    }
    let isSecure = request.headers[.xForwardedProto] == "https"
    let base = "\(isSecure ? "wss" : "ws")://\(request.headers[.host] ?? "127.0.0.1")"
    hub.create(body, socketBase: base, at: transport.now) { [self] result in
      switch result {
      case .success(let created):
        transport.loop.answer(
          id,
          HTTPResponse(
            status: 201,
            headers: [
              ("Content-Type", "application/json"), ("Location", "/v1/sessions/\(created.id)"),
              ("Cache-Control", "no-store"),
            ], body: created.body))
      case .failure(let problem): answer(id, ProblemDocument(problem))
      }
    }
  }

  private func check(_ id: RequestID, _ request: HTTPRequest) throws(ProblemDocument) {
    let body: JSONTree
    do throws(BadMessage) {
      body = try parseBody(request.body, fields: ["definition"])
    } catch {
      throw ProblemDocument(status: 400, code: "badRequest", detail: error.detail)
    }
    guard let definition = body["definition"] else {
      throw ProblemDocument(
        status: 400, code: "badRequest", detail: "definition is missing: it says what to check")
    }
    do throws(DefinitionProblem) {
      answer(id, 200, "application/json", try hub.check(definition, at: transport.now))
    } catch {
      throw ProblemDocument(.badDefinition(error))
    }
  }

  private func setClock(_ id: RequestID, _ request: HTTPRequest) throws(ProblemDocument) {
    let body: JSONTree
    do throws(BadMessage) {
      body = try parseBody(request.body, fields: ["now"])
    } catch {
      throw ProblemDocument(status: 400, code: "badRequest", detail: error.detail)
    }
    guard let text = body["now"]?.string, let now = Instant(rfc3339: text.utf8) else {
      throw ProblemDocument(
        status: 400, code: "badRequest",
        detail: "now must be an RFC 3339 time, as 2026-11-20T10:00:00.000Z")
    }
    transport.clock.set(now)
    hub.clockSet(at: transport.now) { [self] in
      let document = JSONTree.object([.init("now", .string(now.rfc3339))])
      answer(id, 200, "application/json", document.serialized())
    }
  }

  private func read(_ id: RequestID, _ request: HTTPRequest, _ session: SessionID) {
    hub.read(
      session, token: token(of: request), locale: request.queryValue("locale"),
      isFull: request.queryValue("definition") == "full", at: transport.now
    ) { [self] in answer(id, "application/json", $0) }
  }

  private func log(
    _ id: RequestID, _ request: HTTPRequest, _ session: SessionID
  ) throws(ProblemDocument) {
    var after = 0
    if let text = request.queryValue("after") {
      guard let number = Int(text), number >= 0 else {
        throw ProblemDocument(
          status: 400, code: "badRequest", detail: "after must be a revision, 0 or greater")
      }
      after = number
    }
    hub.logLines(session, token: token(of: request), after: after, at: transport.now) { [self] in
      answer(id, "application/x-ndjson", $0)
    }
  }

  private func delete(_ id: RequestID, _ request: HTTPRequest, _ session: SessionID) {
    hub.delete(session, token: token(of: request), at: transport.now) { [self] result in
      switch result {
      case .success: transport.loop.answer(id, HTTPResponse(status: 204))
      case .failure(let problem): answer(id, ProblemDocument(problem))
      }
    }
  }

  private func sendFile(
    _ id: RequestID, _ request: HTTPRequest, at path: String
  ) throws(ProblemDocument) {
    guard
      let file = files.answer(
        method: request.method.rawValue, path: path,
        ifNoneMatch: request.headers[.ifNoneMatch])
    else { throw notFound(request.path) }
    if file.status == 405 { throw methodNotAllowed([.get]) }
    transport.loop.answer(
      id, HTTPResponse(status: file.status, headers: file.headers, body: file.body))
  }

  func token(of request: HTTPRequest) -> String? {
    HubTransport.bearer(request.headers[.authorization])
  }

  private func notFound(_ path: String) -> ProblemDocument {
    ProblemDocument(
      status: 404, code: "notFound", detail: "there is nothing at \(path.prefix(128))")
  }

  func answer(_ id: RequestID, _ status: Int, _ type: String, _ body: [UInt8]) {
    transport.loop.answer(
      id,
      HTTPResponse(
        status: status, headers: [("Content-Type", type), ("Cache-Control", "no-store")],
        body: body))
  }

  func answer(
    _ id: RequestID, _ type: String, _ result: Result<[UInt8], HubProblem>
  ) {
    switch result {
    case .success(let body): answer(id, 200, type, body)
    case .failure(let problem): answer(id, ProblemDocument(problem))
    }
  }

  func answer(_ id: RequestID, _ problem: ProblemDocument) {
    transport.loop.answer(id, problem.response)
  }
}
