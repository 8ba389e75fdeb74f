import CivilTime
import JSONText
import PickerHost
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

  let mainRoutes: RouteTable
  /// The routes of the public listener: all, unless the backend has a listener of its own.
  let publicRoutes: RouteTable

  init(
    _ transport: HubTransport, files: StaticFiles, gate: RequestGate, store: ServerStore,
    redirect: HTTPSRedirect
  ) {
    self.transport = transport
    self.files = files
    self.gate = gate
    self.store = store
    self.redirect = redirect
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
        try route.check(request.target.query)
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
    hub.host.read(
      call.session, token: call.credential, locale: call.locale,
      timeZone: call.request.queryValue("timeZone"),
      isFull: call.request.queryValue("definition") == "full",
      eventLink: { [self] in
        eventLink(of: call.session, locale: call.locale, for: call.request)
      },
      at: transport.now
    ) { [self] in answer(caller, "application/json", $0) }
  }

  /// `GET /v1/sessions/by/{external}`
  func readByName(_ call: RoutedRequest) {
    let (caller, request, credential) = (call.caller, call.request, call.credential)
    let locale = call.locale
    // Only used on this loop's thread, except for the link, which needs the gate alone.
    nonisolated(unsafe) let routes = self
    let (home, group) = (transport.index, transport.group)
    hub.host.find(external: call["external"], namespace: credential?.namespace) { found in
      guard case .success(let id) = found else {
        if case .failure(let problem) = found { routes.answer(caller, ProblemDocument(problem)) }
        return
      }
      group.post(to: HubShard.index(of: id, among: group.transports.count)) { transport in
        transport.hub.host.read(
          id, token: credential, locale: locale,
          timeZone: request.queryValue("timeZone"),
          isFull: request.queryValue("definition") == "full", isByName: true,
          eventLink: { routes.eventLink(of: id, locale: locale, for: request) },
          at: transport.now
        ) { result in
          group.post(to: home) { _ in routes.answer(caller, "application/json", result) }
        }
      }
    }
  }

  func delete(_ call: RoutedRequest) {
    let caller = call.caller
    hub.host.delete(call.session, token: call.credential, at: transport.now) { [self] result in
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
    else { return try answerNowhere(caller, request) }
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

  /// - Parameter result: A body, and the short one of a change; see ``HTTPResponse/shortBody``.
  func answer(
    _ caller: Caller, _ type: String,
    _ result: Result<(body: [UInt8], shortBody: [UInt8]?), HubProblem>
  ) {
    switch result {
    case .success(let (body, shortBody)):
      var response = HTTPResponse(
        status: 200, headers: [("Content-Type", type), ("Cache-Control", "no-store")], body: body)
      response.shortBody = shortBody
      transport.answer(caller, response)
    case .failure(let problem): answer(caller, ProblemDocument(problem))
    }
  }

  func answer(_ caller: Caller, _ problem: ProblemDocument) {
    transport.answer(caller, problem.response)
  }
}

/// CORS: lets pages of the origins in `--origin` read HTTP responses.
///
/// - Source: Fetch standard, section 3.2, "HTTP CORS protocol".
extension HubRoutes {
  /// Whether a request is a CORS preflight: a browser sends it before a page's request.
  func isPreflight(_ request: HTTPRequest) -> Bool {
    request.method == .options && isForOrigins(request)
      && request.headers[.accessControlRequestMethod] != nil
  }

  func answerPreflight(_ caller: Caller) {
    let methods = mainRoutes.methods
    transport.answer(
      caller,
      HTTPResponse(
        status: 204,
        headers: [
          ("Access-Control-Allow-Methods", allowedNames(methods).joined(separator: ", ")),
          (
            "Access-Control-Allow-Headers",
            "Authorization, Content-Type, Idempotency-Key, If-Match, Last-Event-ID"
          ),
          ("Access-Control-Max-Age", "600"),
        ]))
  }

  /// The headers that let a page of an allowed origin read the response.
  func crossOriginHeaders(for request: HTTPRequest) -> [HTTPResponse.Header] {
    guard !gate.origins.allowed.isEmpty, isForOrigins(request) else { return [] }
    guard let origin = request.headers[.origin],
      gate.origins.allows(origin: origin, host: request.headers[.host])
    else { return [("Vary", "Origin")] }
    return [
      ("Vary", "Origin"), ("Access-Control-Allow-Origin", origin),
      ("Access-Control-Expose-Headers", "Location, ETag, Retry-After"),
    ]
  }

  /// Whether `--origin` applies to a path: to sessions and definitions. The client's files and the
  /// API documents are public.
  private func isForOrigins(_ request: HTTPRequest) -> Bool {
    request.target.begins(with: ["v1", "sessions"])
      || request.target.begins(with: ["v1", "definitions"])
  }
}

/// The server's health and metrics, for operators.
extension HubRoutes {
  /// `GET /healthz`
  func alive(_ call: RoutedRequest) {
    answer(call.caller, 200, "text/plain; charset=utf-8", Array("alive\n".utf8))
  }

  /// `GET /readyz`
  ///
  /// - Throws: 503 if the server accepts no sessions now.
  func ready(_ call: RoutedRequest) throws(ProblemDocument) {
    if let problem = unreadiness {
      throw ProblemDocument(status: 503, code: "unavailable", detail: problem)
    }
    answer(call.caller, 200, "text/plain; charset=utf-8", Array("ready\n".utf8))
  }

  /// The reason why the server accepts no sessions now; `nil` if it does.
  private var unreadiness: String? {
    if transport.hub.isDraining { return "the server is shutting down" }
    return store.failure
      ?? transport.hub.creationProblem.map { ProblemDocument($0).detail }
  }

  /// `GET /metrics`, with the figures of every loop.
  func metrics(_ call: RoutedRequest) {
    let caller = call.caller
    ServerMetrics.collect(for: transport, store, gate) { [self] metrics in
      answer(caller, 200, MetricsText.contentType, Array(MetricsText(metrics).text.utf8))
    }
  }
}

/// `GET /v1/sessions/{id}/log`.
extension HubRoutes {
  func log(_ call: RoutedRequest) throws(ProblemDocument) {
    let caller = call.caller
    var after = 0
    if let text = call.request.queryValue("after") {
      guard let number = Int(text), number >= 0 else {
        throw ProblemDocument(
          status: 400, code: "badRequest", detail: "after must be a revision, 0 or greater")
      }
      after = number
    }
    var limit: Int?
    if let text = call.request.queryValue("limit") {
      guard let number = Int(text), HubRoutes.logLimits.contains(number) else {
        throw ProblemDocument(
          status: 400, code: "badRequest",
          detail: "limit must be a number of lines from 1 to \(HubRoutes.logLimits.upperBound)")
      }
      limit = number
    }
    hub.logLines(
      call.session, token: call.credential, after: after, limit: limit, at: transport.now
    ) { [self] in answer(caller, $0) }
  }

  /// The permitted values of the query parameter `limit`.
  private static let logLimits = 1...1_000_000

  /// Answers a log: one page with its length, several pages in chunks.
  private func answer(_ caller: Caller, _ result: Result<LogPage, HubProblem>) {
    let type = "application/x-ndjson"
    switch result {
    case .success(let page) where page.next == nil: answer(caller, 200, type, page.lines)
    case .success(let page):
      transport.answer(
        caller, headers: [("Content-Type", type), ("Cache-Control", "no-store")],
        parts: part(page))
    case .failure(let problem): answer(caller, ProblemDocument(problem))
    }
  }

  private func part(_ page: LogPage) -> BodyPart {
    guard let next = page.next else { return BodyPart(page.lines, rest: nil) }
    return BodyPart(page.lines) { [self] answer in
      hub.moreLogLines(next) { [self] in answer($0.map(part)) }
    }
  }
}

extension HubRoutes {
  func methodNotAllowed(_ methods: [HTTPMethod]) -> ProblemDocument {
    let names = allowedNames(methods)
    return ProblemDocument(
      status: 405, code: "methodNotAllowed",
      detail: "allowed methods are \(names.joined(separator: ", "))", allow: names)
  }

  /// Answers `OPTIONS *`. - Source: RFC 9110, section 9.3.7
  func answerServerOptions(_ caller: Caller, _ request: HTTPRequest) {
    let names = allowedNames(table(for: request).methods) + [HTTPMethod.options.rawValue]
    transport.answer(
      caller, HTTPResponse(status: 204, headers: [("Allow", names.joined(separator: ", "))]))
  }

  /// The names of methods for `Allow`; `HEAD` is allowed with `GET`.
  func allowedNames(_ methods: [HTTPMethod]) -> [String] {
    methods.map(\.rawValue) + (methods.contains(.get) ? [HTTPMethod.head.rawValue] : [])
  }
}

/// Checks that several routes share.
extension HubRoutes {
  /// - Throws: 413 for a body larger than the limit `messageBytes`.
  func limitBody(of request: HTTPRequest) throws(ProblemDocument) {
    let byteCountMax = hub.configuration.limits.messageBytes
    guard request.body.count <= byteCountMax else {
      throw ProblemDocument(
        status: 413, code: "tooLarge", detail: "this body may have at most \(byteCountMax) bytes")
    }
  }

  func month(
    _ text: String, named name: String
  ) throws(ProblemDocument) -> CivilMonth {
    guard let month = CivilMonth(iso: text.utf8) else {
      throw badRequest("\(name) must be a month such as 2026-11")
    }
    return month
  }

  func badRequest(_ detail: String) -> ProblemDocument {
    ProblemDocument(status: 400, code: "badRequest", detail: detail)
  }

  var tooLarge: ProblemDocument {
    ProblemDocument(
      status: 413, code: "tooLarge",
      detail: "a body may have at most \(gate.limits[.bodyBytes]) bytes")
  }

  /// Answers with a problem. Before one of the request itself comes that of its session: that there
  /// is none, or that the caller may not do this.
  func refuse(_ call: RoutedRequest, _ problem: ProblemDocument, access: RouteAccess) {
    let caller = call.caller
    // A ticket is not checked here: the answer must not show whether the session exists.
    let hasTicket =
      access == .ticketReader && call.credential == nil && call.request.queryValue("ticket") != nil
    guard [400, 413].contains(problem.status), call.variables["id"] != nil, !call.request.isAdmin,
      !hasTicket
    else { return answer(caller, problem) }
    hub.host.admit(
      to: call.session, token: call.credential, needs: role(for: access), at: transport.now
    ) { [self] result in
      switch result {
      case .success: answer(caller, problem)
      case .failure(let problem): answer(caller, ProblemDocument(problem))
      }
    }
  }

  private func role(for access: RouteAccess) -> Role {
    switch access {
    case .everyone, .sessionReader, .ticketReader, .member, .memberOrKey: .viewer
    case .key, .metrics, .sessionKey: .owner
    }
  }
}
