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
  let gate: RequestGate
  let store: ServerStore

  let definitions: DefinitionMaker

  init(
    _ transport: HubTransport, files: StaticFiles, gate: RequestGate, store: ServerStore,
    definitions: DefinitionMaker
  ) {
    self.transport = transport
    self.files = files
    self.gate = gate
    self.store = store
    self.definitions = definitions
  }

  var hub: Hub { transport.hub }

  func respond(_ caller: Caller, _ request: HTTPRequest) {
    var caller = caller
    caller.headers += crossOriginHeaders(for: request)
    do throws(ProblemDocument) {
      try gate.admitHost(of: request.head)
      if request.isAdmin { return try routeAdmin(caller, request) }
      if request.method != .get && request.method != .head {
        // A page of another origin must not change anything here.
        try gate.admitOrigin(of: request.head)
      }
      if isPreflight(request) { return answerPreflight(caller) }
      try route(caller, request)
    } catch {
      answer(caller, error)
    }
  }

  private func route(_ caller: Caller, _ request: HTTPRequest) throws(ProblemDocument) {
    switch request.path {
    case "/v1/sessions":
      try allow(request, .post)
      try gate.admit(.create, request.head)
      try create(caller, request)
    case "/v1/definitions/check":
      try allow(request, .post)
      try gate.admit(.check, request.head)
      try check(caller, request)
    case "/v1/clock" where !transport.clock.runs:
      try allow(request, .post)
      try setClock(caller, request)
    case "/healthz", "/readyz": try health(caller, request)
    case let path where path.hasPrefix("/v1/sessions/"):
      try routeSession(caller, request, path.dropFirst("/v1/sessions/".count))
    case "/v1/openapi.json", "/v1/asyncapi.json":
      try sendFile(caller, request, at: "/client/api" + request.path.dropFirst("/v1".count))
    default: try sendFile(caller, request, at: request.path)
    }
  }

  private func routeSession(
    _ caller: Caller, _ request: HTTPRequest, _ rest: Substring
  ) throws(ProblemDocument) {
    let parts = rest.split(separator: "/", omittingEmptySubsequences: false)
    let session = SessionID(String(parts.first ?? ""))
    switch parts.count {
    case 1 where request.method == .delete: delete(caller, request, session)
    case 1:
      try allow(request, .get, .delete)
      read(caller, request, session)
    case 2 where parts[1] == "log":
      try allow(request, .get)
      try gate.admit(.log, request.head)
      try log(caller, request, session)
    case 2 where parts[1] == "definition":
      try allow(request, .get, .put, .patch)
      definition(caller, request, session)
    case 2 where parts[1] == "event.ics":
      try allow(request, .get)
      event(caller, request, session)
    case 2 where parts[1] == "notes":
      try allow(request, .get, .patch)
      notes(caller, request, session)
    case 2 where parts[1] == "events":
      try allow(request, .get)
      try gate.admit(.join, request.head)
      try events(caller, request, session)
    case 2 where parts[1] == "members":
      try allow(request, .post)
      try gate.admit(.join, request.head)
      try addMember(caller, request, session)
    case 2 where parts[1] == "commands":
      try allow(request, .post)
      try gate.admit(.command, request.head)
      try command(caller, request, session)
    case 2 where parts[1] == "tickets":
      try allow(request, .post)
      try gate.admit(.join, request.head)
      try createTicket(caller, request, session)
    case 3 where parts[1] == "months" && parts[2].hasSuffix(".svg"):
      try allow(request, .get)
      try gate.admit(.drawing, request.head)
      try drawMonth(caller, request, session, parts[2].dropLast(".svg".count))
    default: throw notFound(request.path)
    }
  }

  private func setClock(_ caller: Caller, _ request: HTTPRequest) throws(ProblemDocument) {
    try limitBody(of: request)
    let body: JSONTree
    do throws(BadMessage) {
      body = try parseBody(request.body.bytes, fields: ["now"])
    } catch {
      throw ProblemDocument(status: 400, code: "badRequest", detail: error.detail)
    }
    guard let text = body["now"]?.string, let now = Instant(rfc3339: text.utf8) else {
      throw ProblemDocument(
        status: 400, code: "badRequest",
        detail: "now must be an RFC 3339 time, as 2026-11-20T10:00:00.000Z")
    }
    let document = JSONTree.object([.init("now", .string(now.rfc3339))]).serialized()
    transport.group.ask(for: transport) { transport, reply in
      transport.clock.set(now)
      transport.hub.clockSet(at: transport.now) { reply(()) }
    } completion: { [self] (_: [Void]) in
      answer(caller, 200, "application/json", document)
    }
  }

  private func read(_ caller: Caller, _ request: HTTPRequest, _ session: SessionID) {
    hub.read(
      session, token: token(of: request), locale: request.queryValue("locale"),
      isFull: request.queryValue("definition") == "full", linkBase: httpBase(of: request),
      at: transport.now
    ) { [self] in answer(caller, "application/json", $0) }
  }

  private func delete(_ caller: Caller, _ request: HTTPRequest, _ session: SessionID) {
    hub.delete(session, token: token(of: request), at: transport.now) { [self] result in
      switch result {
      case .success: transport.answer(caller, HTTPResponse(status: 204))
      case .failure(let problem): answer(caller, ProblemDocument(problem))
      }
    }
  }

  private func sendFile(
    _ caller: Caller, _ request: HTTPRequest, at path: String
  ) throws(ProblemDocument) {
    guard
      let file = files.answer(
        method: request.method.rawValue, path: path,
        ifNoneMatch: request.headers[.ifNoneMatch])
    else { throw notFound(request.path) }
    if file.status == 405 { throw methodNotAllowed([.get]) }
    var response = HTTPResponse(status: file.status, headers: file.headers, body: file.body)
    response.hasTagOfContent = true
    transport.answer(caller, response)
  }

  func token(of request: HTTPRequest) -> String? {
    HubTransport.bearer(request.headers[.authorization])
  }

  func notFound(_ path: String) -> ProblemDocument {
    ProblemDocument(
      status: 404, code: "notFound", detail: "there is nothing at \(path.prefix(128))")
  }

  func answer(_ caller: Caller, _ status: Int, _ type: String, _ body: [UInt8]) {
    transport.answer(
      caller,
      HTTPResponse(
        status: status, headers: [("Content-Type", type), ("Cache-Control", "no-store")],
        body: body))
  }

  func answer(
    _ caller: Caller, _ type: String, _ result: Result<[UInt8], HubProblem>
  ) {
    switch result {
    case .success(let body): answer(caller, 200, type, body)
    case .failure(let problem): answer(caller, ProblemDocument(problem))
    }
  }

  func answer(_ caller: Caller, _ problem: ProblemDocument) {
    transport.answer(caller, problem.response)
  }
}
