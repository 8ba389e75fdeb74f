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
      performOnHub { [self] in
        do throws(ProblemDocument) {
          guard let response = try await response(route, call) else { return }
          transport.answer(call.caller, response)
        } catch {
          answer(call.caller, error)
        }
      }
      if looksUp { hub.whenAbsent(call.session) { [gate] in gate.chargeLookUp(request.head) } }
    case .otherMethods(let methods): throw methodNotAllowed(methods)
    case .none where request.isAdmin || request.head.audience == .backend:
      throw notFound(request.path)
    case .none:
      caller.route = "files"
      transport.answer(caller, try file(request, at: request.path))
    }
  }

  private func response(
    _ route: Route, _ call: RoutedRequest
  ) async throws(ProblemDocument) -> HTTPResponse? {
    do throws(ProblemDocument) {
      if call.request.body.isUnread { throw tooLarge }
      try route.check(call.request.target.query)
      return try await route.handle(self)(call)
    } catch {
      try await checkSession(of: call, before: error, access: route.access)
      throw error
    }
  }

  /// Runs an operation of the host.
  func host<Value>(
    _ operation: (HostOperations) async throws(HubProblem) -> Value
  ) async throws(ProblemDocument) -> Value {
    do throws(HubProblem) {
      return try await operation(hub.host)
    } catch {
      throw ProblemDocument(error)
    }
  }

  /// Runs an operation of the host at the hub that has a session.
  func atHub<Value: Sendable>(
    of id: SessionID,
    _ operation:
      @escaping @Sendable (HostOperations, HubTime) async throws(HubProblem) -> Value
  ) async throws(HubProblem) -> Value {
    let group = transport.group
    return try await fromAnyThread {
      (answer: @escaping @Sendable (Result<Value, HubProblem>) -> Void) in
      group.post(to: HubShard.index(of: id, among: group.transports.count)) { transport in
        transport.hub.begin(
          { host throws(HubProblem) in try await operation(host, transport.now) }, answer: answer)
      }
    }.get()
  }

  /// Waits for an answer that comes on any thread.
  func fromAnyThread<Value: Sendable>(
    _ begin: (@escaping @Sendable (Value) -> Void) -> Void
  ) async -> Value {
    let (group, index) = (transport.group, transport.index)
    return await answered { answer in
      begin { value in
        group.post(to: index) { transport in
          transport.hub.seam.begin(at: transport.now)
          answer(value)
        }
      }
    }
  }

  /// The answers of all loops, without those of loops that have ended.
  func fromAllLoops<Value: Sendable>(
    _ question: @escaping @Sendable (HubTransport) async -> Value
  ) async -> [Value] {
    await answered { answer in
      transport.group.ask(for: transport) { transport, reply in
        performOnHub { reply(await question(transport)) }
      } completion: {
        answer($0)
      }
    }
  }

  func setClock(_ call: RoutedRequest) async throws(ProblemDocument) -> HTTPResponse? {
    let text = try body(of: call, fields: ["now"])["now"]?.string
    guard let now = text.flatMap({ Instant(rfc3339: $0.utf8) }) else {
      throw .badRequest("now must be an RFC 3339 time such as 2026-11-20T10:00:00.000Z")
    }
    _ = await fromAllLoops { transport in
      transport.clock.set(now)
      await answered { answer in transport.hub.clockSet(at: transport.now) { answer(()) } }
    }
    store.clockSet(to: now.milliseconds)
    return HTTPResponse(json: JSONTree.object([.init("now", .string(now.rfc3339))]).serialized())
  }

  func read(_ call: RoutedRequest) async throws(ProblemDocument) -> HTTPResponse? {
    HTTPResponse(
      json: try await host { host throws(HubProblem) in
        try await host.read(
          call.session, token: call.credential, locale: call.locale,
          timeZone: call.request.queryValue("timeZone"),
          isFull: call.request.queryValue("definition") == "full",
          eventLink: { eventLink(of: call.session, locale: call.locale, for: call.request) },
          at: transport.now)
      })
  }

  /// `GET /v1/sessions/by/{external}`
  func readByName(_ call: RoutedRequest) async throws(ProblemDocument) -> HTTPResponse? {
    let (request, credential, locale) = (call.request, call.credential, call.locale)
    let id = try await host { host throws(HubProblem) in
      try await host.find(external: call["external"], namespace: credential?.namespace)
    }
    let link = eventLink(of: id, locale: locale, for: request)
    return HTTPResponse(
      json: try await host { _ throws(HubProblem) in
        try await atHub(of: id) { host, now throws(HubProblem) in
          try await host.read(
            id, token: credential, locale: locale, timeZone: request.queryValue("timeZone"),
            isFull: request.queryValue("definition") == "full", isByName: true,
            eventLink: { link }, at: now)
        }
      })
  }

  func delete(_ call: RoutedRequest) async throws(ProblemDocument) -> HTTPResponse? {
    let releasesBooking = try releasesBooking(call)
    try await host { host throws(HubProblem) in
      try await host.delete(
        call.session, releasesBooking: releasesBooking, token: call.credential, at: transport.now)
    }
    return HTTPResponse(status: 204)
  }

  func openAPI(_ call: RoutedRequest) async throws(ProblemDocument) -> HTTPResponse? {
    try file(call.request, at: "/client/api/openapi.json")
  }

  func asyncAPI(_ call: RoutedRequest) async throws(ProblemDocument) -> HTTPResponse? {
    try file(call.request, at: "/client/api/asyncapi.json")
  }

  private func file(
    _ request: HTTPRequest, at path: String
  ) throws(ProblemDocument) -> HTTPResponse {
    guard
      let file = files.answer(
        method: request.method.rawValue, path: path,
        ifNoneMatch: request.headers[.ifNoneMatch], base: httpBase(of: request))
    else { return try nowhere(request) }
    if file.status == 405 { throw methodNotAllowed([.get]) }
    var response = HTTPResponse(status: file.status, headers: file.headers, body: file.body)
    response.hasTagOfContent = true
    return response
  }

  func notFound(_ path: String) -> ProblemDocument {
    ProblemDocument(
      status: 404, code: "notFound", detail: "no resource at \(path.prefix(128))")
  }

  func answer(_ caller: Caller, _ problem: ProblemDocument) {
    transport.answer(caller, problem.response)
  }
}

extension HTTPResponse {
  /// An answer that no cache keeps.
  ///
  /// - Parameter shortBody: See ``HTTPResponse/shortBody``.
  init(_ type: String, _ body: [UInt8], status: Int = 200, shortBody: [UInt8]? = nil) {
    self.init(
      status: status, headers: [("Content-Type", type), ("Cache-Control", "no-store")], body: body)
    self.shortBody = shortBody
  }

  init(json body: [UInt8], status: Int = 200, shortBody: [UInt8]? = nil) {
    self.init("application/json", body, status: status, shortBody: shortBody)
  }
}

extension HTTPResponse {
  /// A representation with a hash of its content as entity tag, so that the tag changes exactly
  /// when the content does. A client that has it gets no body.
  init(tagged content: [UInt8], ifNoneMatch: String?, _ headers: [Header]) {
    let tag = EntityTag.of(content)
    let isKnown = ifNoneMatch.map { EntityTag.isNamed(tag, in: $0) } ?? false
    self.init(
      status: isKnown ? 304 : 200,
      headers: [("ETag", tag), ("Cache-Control", "private, no-cache")] + (isKnown ? [] : headers),
      body: isKnown ? [] : content)
    hasTagOfContent = true
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
  func alive(_ call: RoutedRequest) async throws(ProblemDocument) -> HTTPResponse? {
    HTTPResponse("text/plain; charset=utf-8", Array("alive\n".utf8))
  }

  /// `GET /readyz`
  ///
  /// - Throws: 503 if the server accepts no sessions now.
  func ready(_ call: RoutedRequest) async throws(ProblemDocument) -> HTTPResponse? {
    if let problem = unreadiness {
      throw ProblemDocument(status: 503, code: "unavailable", detail: problem)
    }
    return HTTPResponse("text/plain; charset=utf-8", Array("ready\n".utf8))
  }

  /// The reason why the server accepts no sessions now; `nil` if it does.
  private var unreadiness: String? {
    if transport.hub.isDraining { return "the server is shutting down" }
    return store.failure
      ?? transport.hub.creationProblem.map { ProblemDocument($0).detail }
  }

  /// `GET /metrics`, with the figures of every loop.
  func metrics(_ call: RoutedRequest) async throws(ProblemDocument) -> HTTPResponse? {
    let metrics = await answered { answer in
      ServerMetrics.collect(for: transport, store, gate) { answer($0) }
    }
    return HTTPResponse(MetricsText.contentType, Array(MetricsText(metrics).text.utf8))
  }
}

/// `GET /v1/sessions/{id}/log`.
extension HubRoutes {
  func log(_ call: RoutedRequest) async throws(ProblemDocument) -> HTTPResponse? {
    var after = 0
    if let text = call.request.queryValue("after") {
      guard let number = Int(text), number >= 0 else {
        throw .badRequest("after must be a revision, 0 or greater")
      }
      after = number
    }
    var limit: Int?
    if let text = call.request.queryValue("limit") {
      guard let number = Int(text), HubRoutes.logLimits.contains(number) else {
        throw .badRequest(
          "limit must be a number of lines from 1 to \(HubRoutes.logLimits.upperBound)")
      }
      limit = number
    }
    let page = try await host { _ throws(HubProblem) in
      try await answered { answer in
        hub.logLines(
          call.session, token: call.credential, after: after, limit: limit, at: transport.now
        ) { answer($0) }
      }.get()
    }
    let type = "application/x-ndjson"
    if page.next == nil { return HTTPResponse(type, page.lines) }
    // Several pages in chunks.
    transport.answer(
      call.caller, headers: [("Content-Type", type), ("Cache-Control", "no-store")],
      parts: part(page))
    return nil
  }

  /// The permitted values of the query parameter `limit`.
  private static let logLimits = 1...1_000_000

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
      throw .badRequest("\(name) must be a month such as 2026-11")
    }
    return month
  }

  /// Parses a body of at most `messageBytes`.
  func body<Body>(
    of call: RoutedRequest, as parse: ([UInt8]) throws(BadMessage) -> Body
  ) throws(ProblemDocument) -> Body {
    try limitBody(of: call.request)
    do throws(BadMessage) {
      return try parse(call.request.body.bytes)
    } catch {
      throw ProblemDocument(error)
    }
  }

  func body(of call: RoutedRequest, fields: [String]) throws(ProblemDocument) -> JSONTree {
    try body(of: call) { bytes throws(BadMessage) in try parseBody(bytes, fields: fields) }
  }

  var tooLarge: ProblemDocument {
    ProblemDocument(
      status: 413, code: "tooLarge",
      detail: "a body may have at most \(gate.limits[.bodyBytes]) bytes")
  }

  /// Before a problem of the request itself comes that of its session: that there is none, or that
  /// the caller may not do this.
  private func checkSession(
    of call: RoutedRequest, before problem: ProblemDocument, access: RouteAccess
  ) async throws(ProblemDocument) {
    // A ticket is not checked here: the answer must not show whether the session exists.
    let hasTicket =
      access == .ticketReader && call.credential == nil && call.request.queryValue("ticket") != nil
    guard [400, 413].contains(problem.status), call.variables["id"] != nil, !call.request.isAdmin,
      !hasTicket
    else { return }
    try await host { host throws(HubProblem) in
      try await host.admit(
        to: call.session, token: call.credential, needs: role(for: access), at: transport.now)
    }
  }

  private func role(for access: RouteAccess) -> Role {
    switch access {
    case .everyone, .sessionReader, .ticketReader, .member, .memberOrKey: .viewer
    case .key, .metrics, .sessionKey: .owner
    }
  }
}
