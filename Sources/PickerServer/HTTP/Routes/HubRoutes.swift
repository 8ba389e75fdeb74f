import CivilTime
import JSONText
import PickerHub
import PickerModel
import PickerSession
import PickerWire
import WebSocketTransport

/// Answers the HTTP requests of a loop: finds a request's route and calls the hub.
/// - Source: web/guide/README.md, "HTTP API and server-sent events".
final class HubRoutes {
  let transport: HubTransport
  let files: StaticFiles
  let gate: RequestGate
  let store: ServerStore
  private let redirect: HTTPSRedirect

  let definitions: DefinitionMaker
  let mainRoutes: RouteTable
  /// The routes of the public listener: all, unless the backend has a listener of its own.
  let publicRoutes: RouteTable

  init(
    _ transport: HubTransport, files: StaticFiles, gate: RequestGate, store: ServerStore,
    redirect: HTTPSRedirect, definitions: DefinitionMaker
  ) {
    self.transport = transport
    self.files = files
    self.gate = gate
    self.store = store
    self.redirect = redirect
    self.definitions = definitions
    mainRoutes = .main(isClockManual: !transport.clock.runs)
    publicRoutes =
      gate.hasAPIListener ? mainRoutes.ofMembers(haveKeys: gate.keys != nil) : mainRoutes
  }

  var hub: Hub { transport.hub }

  func respond(_ caller: Caller, _ request: HTTPRequest) {
    var caller = caller
    caller.headers += crossOriginHeaders(for: request)
    do throws(ProblemDocument) {
      try gate.admitHost(of: request.head)
      if request.head.audience == .redirected {
        return try transport.answer(caller, redirect.response(to: request))
      }
      if request.target.lacksSlash, let url = gate.publicURL {
        let location = url.base + request.target.text
        return transport.answer(
          caller, HTTPResponse(status: 308, headers: [("Location", location)]))
      }
      if request.method != .get && request.method != .head {
        // CSRF protection: a page of another origin must not change anything.
        try gate.admitOrigin(of: request.head)
      }
      if !request.isAdmin, isPreflight(request) { return answerPreflight(caller) }
      if request.head.target.isServer { return answerServerOptions(caller, request) }
      try route(&caller, request)
    } catch {
      answer(caller, error)
    }
  }

  /// The routes of the listener that accepted a request.
  func table(for request: HTTPRequest) -> RouteTable {
    switch request.head.audience {
    case .operators: .admin
    case .backend: mainRoutes
    case .clients, .redirected: publicRoutes
    }
  }

  /// Counts a request with a large body against its rate limits, when its headers have been read.
  /// One without a route is refused.
  ///
  /// - Returns: The response that refuses the request, or `nil` to read the body.
  func refusal(of request: HTTPRequest, bodyByteCount: Int) -> HTTPResponse? {
    var pattern = "files"
    do throws(ProblemDocument) {
      switch table(for: request).match(request.method, request.target) {
      case .route(let route, let variables):
        pattern = route.pattern.text
        _ = try gate.admit(
          route.rate(bodyByteCount: bodyByteCount), request.head, bodyByteCount: bodyByteCount,
          for: route.access, session: variables["id"].map { SessionID($0) })
        return nil
      case .otherMethods(let methods): throw methodNotAllowed(methods)
      case .none: throw notFound(request.path)
      }
    } catch {
      var response = error.response
      transport.responses.count(pattern, request.method, status: response.status)
      response.headers += crossOriginHeaders(for: request)
      return response
    }
  }

  private func route(
    _ caller: inout Caller, _ request: HTTPRequest
  ) throws(ProblemDocument) {
    switch table(for: request).match(request.method, request.target) {
    case .route(let route, let variables):
      caller.route = route.pattern.text
      // A request with a large body has been counted before its body was read.
      let isCounted =
        request.body.count > HTTPBody.smallByteCountMax && !request.body.isUnread
      let credential = try gate.admit(
        isCounted ? nil : route.rate, request.head, for: route.access,
        session: variables["id"].map { SessionID($0) })
      let call = RoutedRequest(
        caller: caller, request: request, variables: variables, credential: credential)
      // A request with an API key is the host's own.
      let looksUp =
        variables["id"] != nil && credential?.isKey != true
        && hub.needsLookUp(call.session, at: transport.now)
      if looksUp { try gate.admitLookUp(request.head) }
      do throws(ProblemDocument) {
        if request.body.isUnread { throw tooLarge }
        try route.handle(self)(call)
      } catch {
        refuse(call, error, access: route.access)
      }
      if looksUp { hub.whenAbsent(call.session) { [gate] in gate.chargeLookUp(request.head) } }
    case .otherMethods(let methods): throw methodNotAllowed(methods)
    case .none where request.isAdmin || request.head.audience == .backend:
      throw notFound(request.path)
    case .none:
      caller.route = "files"
      try sendFile(caller, request, at: request.path)
    }
  }

  func setClock(_ call: RoutedRequest) throws(ProblemDocument) {
    let caller = call.caller
    try limitBody(of: call.request)
    let body: JSONTree
    do throws(BadMessage) {
      body = try parseBody(call.request.body.bytes, fields: ["now"])
    } catch {
      throw ProblemDocument(error)
    }
    guard let text = body["now"]?.string, let now = Instant(rfc3339: text.utf8) else {
      throw ProblemDocument(
        status: 400, code: "badRequest",
        detail: "now must be an RFC 3339 time such as 2026-11-20T10:00:00.000Z")
    }
    let document = JSONTree.object([.init("now", .string(now.rfc3339))]).serialized()
    transport.group.ask(for: transport) { transport, reply in
      transport.clock.set(now)
      transport.hub.clockSet(at: transport.now) { reply(()) }
    } completion: { [self] (_: [Void]) in
      answer(caller, 200, "application/json", document)
    }
  }

  func read(_ call: RoutedRequest) {
    let caller = call.caller
    hub.read(
      call.session, token: call.credential, locale: call.request.queryValue("locale"),
      timeZone: call.request.queryValue("timeZone"),
      isFull: call.request.queryValue("definition") == "full",
      eventLink: { [self] in eventLink(of: call.session, for: call.request) },
      at: transport.now
    ) { [self] in answer(caller, "application/json", $0) }
  }

  /// `GET /v1/sessions/by/{external}`
  func readByName(_ call: RoutedRequest) {
    let (caller, request, credential) = (call.caller, call.request, call.credential)
    // Only used on this loop's thread, except for the link, which needs the gate alone.
    nonisolated(unsafe) let routes = self
    let (home, group) = (transport.index, transport.group)
    hub.find(external: call["external"], namespace: credential?.namespace) { found in
      guard case .success(let id) = found else {
        if case .failure(let problem) = found { routes.answer(caller, ProblemDocument(problem)) }
        return
      }
      group.post(to: HubShard.index(of: id, among: group.transports.count)) { transport in
        transport.hub.read(
          id, token: credential, locale: request.queryValue("locale"),
          timeZone: request.queryValue("timeZone"),
          isFull: request.queryValue("definition") == "full", isByName: true,
          eventLink: { routes.eventLink(of: id, for: request) }, at: transport.now
        ) { result in
          group.post(to: home) { _ in routes.answer(caller, "application/json", result) }
        }
      }
    }
  }

  func delete(_ call: RoutedRequest) {
    let caller = call.caller
    hub.delete(call.session, token: call.credential, at: transport.now) { [self] result in
      switch result {
      case .success: transport.answer(caller, HTTPResponse(status: 204))
      case .failure(let problem): answer(caller, ProblemDocument(problem))
      }
    }
  }

  func openAPI(_ call: RoutedRequest) throws(ProblemDocument) {
    try sendFile(call.caller, call.request, at: "/client/api/openapi.json")
  }

  func asyncAPI(_ call: RoutedRequest) throws(ProblemDocument) {
    try sendFile(call.caller, call.request, at: "/client/api/asyncapi.json")
  }

  private func sendFile(
    _ caller: Caller, _ request: HTTPRequest, at path: String
  ) throws(ProblemDocument) {
    guard
      let file = files.answer(
        method: request.method.rawValue, path: path,
        ifNoneMatch: request.headers[.ifNoneMatch])
    else {
      guard let page = pageNotFound(request) else { throw notFound(request.path) }
      return transport.answer(caller, page)
    }
    if file.status == 405 { throw methodNotAllowed([.get]) }
    var response = HTTPResponse(status: file.status, headers: file.headers, body: file.body)
    response.hasTagOfContent = true
    transport.answer(caller, response)
  }

  func notFound(_ path: String) -> ProblemDocument {
    ProblemDocument(
      status: 404, code: "notFound", detail: "no resource at \(path.prefix(128))")
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
