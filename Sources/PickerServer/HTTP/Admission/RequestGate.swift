import CMachine
import PickerHub
import PickerSession
import Synchronization
import WebSocketTransport

/// Accepts or refuses requests by their headers and peer address before they are processed: host,
/// origin and rate checks. All loops share one gate.
struct RequestGate: Sendable {
  /// The policies of the public listener, the backend's and the admin listener.
  let hosts, apiHosts, adminHosts: HostPolicy
  let origins: OriginPolicy
  let proxies: TrustedProxies
  let rates: RequestRates
  private let inForce: InForce
  var tickets = TicketSigner()
  /// The URL by which members reach the server, if it is configured.
  let publicURL: PublicURL?
  /// Whether the public listener serves members only, because the backend has a listener.
  let hasAPIListener: Bool
  /// With `--auth keys`.
  let keys: KeyRing?
  /// With `--admin-keys`: the only keys that admin listeners accept.
  let adminKeys: KeyRing?

  init(_ configuration: ServerConfiguration, keys: KeyRing? = nil, adminKeys: KeyRing? = nil) {
    publicURL = configuration.publicURL
    hasAPIListener = !configuration.apiListen.isEmpty
    self.keys = keys
    self.adminKeys = adminKeys
    hosts = HostPolicy(
      listen: configuration.listen, names: configuration.hosts,
      publicName: configuration.publicURL?.name)
    apiHosts = HostPolicy(
      listen: configuration.apiListen, names: configuration.hosts, acceptsAddresses: true)
    adminHosts = HostPolicy(
      listen: configuration.adminListen, names: configuration.hosts, acceptsAddresses: true)
    origins = configuration.origins
    proxies = configuration.trustedProxies
    inForce = InForce(configuration.limits)
    rates = RequestRates(RateLimits(configuration.limits))
  }

  /// The keys that the listener of a request accepts; `nil` if it needs none.
  func keys(for request: RequestHead) -> KeyRing? {
    request.isAdmin ? adminKeys ?? keys : keys
  }

  private final class InForce: Sendable {
    let limits: Mutex<LimitSettings>

    init(_ limits: LimitSettings) { self.limits = Mutex(limits) }
  }

  /// The limits in force.
  var limits: LimitSettings { inForce.limits.withLock { $0 } }

  /// Replaces the rates.
  func change(_ limits: LimitSettings) {
    inForce.limits.withLock { $0 = limits }
    rates.change(RateLimits(limits))
  }

  /// How long a shared definition exists that no session uses, when anybody may create some; `nil`
  /// with keys, whose holders delete what they do not need.
  var unusedSeconds: Int? {
    keys == nil ? min(SharedDefinition.unusedSeconds, limits[.ttlSeconds]) : nil
  }

  /// - Throws: 400 if `Host` is missing or malformed, 421 if it is not accepted.
  func admitHost(of request: RequestHead) throws(ProblemDocument) {
    let policy =
      switch request.audience {
      case .operators: adminHosts
      case .backend: apiHosts
      case .clients, .redirected: hosts
      }
    switch policy.verdict(on: request.headers[.host]) {
    case .accepted: return
    case .malformed:
      throw .badRequest("Host must be a name or address, with an optional port")
    case .misdirected:
      throw ProblemDocument(
        status: 421, code: "misdirected",
        detail: "this server does not accept the name in Host; --host sets the accepted names")
    }
  }

  /// - Throws: 403 if the page's origin is not allowed. That of the public URL is, whatever `Host`
  ///   a proxy sends, except on the admin listener.
  func admitOrigin(of request: RequestHead) throws(ProblemDocument) {
    let origin = request.headers[.origin]
    if let publicURL, !request.isAdmin, origin.flatMap({ WebOrigin($0) }) == publicURL.origin {
      return
    }
    guard origins.allows(origin: origin, host: request.headers[.host]) else {
      throw ProblemDocument(
        status: 403, code: "notAllowed",
        detail: "pages of this origin are not allowed to connect; --origin sets the allowed origins"
      )
    }
  }

  /// The address of the client that sent a request; `nil` if it is not known, as behind a Unix
  /// socket whose proxy adds no `X-Forwarded-For`.
  func client(of request: RequestHead) -> PeerAddress? {
    proxies.client(peer: request.remoteAddress, forwardedFor: request.headers[.xForwardedFor])
  }

  /// The network of the client for which a trusted proxy has sent a request; `nil` if it is not
  /// known, or has no limit because it is a trusted proxy, too.
  func networkBehindProxy(of request: RequestHead) -> PeerNetwork? {
    guard let client = client(of: request), !proxies.isTrusted(client) else { return nil }
    return client.network
  }

  /// Checks the credential of a request, and counts the request against its rate limits.
  ///
  /// One with a right API key is counted for this key only, so that it is never refused because of
  /// what others send. Any other is counted for its address before its credential is checked, and
  /// for all addresses after that, so that requests without a credential do not use up the rate of
  /// those with one.
  ///
  /// - Parameters:
  ///   - kind: `nil` if the request is not counted.
  ///   - session: The session in the route's path, if it has one.
  /// - Throws: 401, 403, 404 or 429.
  func admit(
    _ kind: RequestKind?, _ request: RequestHead, bodyByteCount: Int = 0, for access: RouteAccess,
    session: SessionID?
  ) throws(ProblemDocument) -> Credential? {
    if let key = try apiKey(of: request, for: access) {
      if let kind {
        let wait = rates.take(
          kind, ofKey: key.id, bodyByteCount: bodyByteCount,
          at: machine_monotonic_ms())
        if let wait { throw .tooMany("requests of this kind", wait: wait) }
      }
      return key.namespace.map { .namespaceKey($0) } ?? .key
    }
    if let kind { try admit(kind, request, bodyByteCount: bodyByteCount, of: [.sender]) }
    let credential = try credential(request, for: access, session: session)
    if let kind { try admit(kind, request, bodyByteCount: bodyByteCount, of: [.total]) }
    return credential
  }

  /// Counts a request against its rate limits.
  ///
  /// - Throws: 429 if its address, or all addresses together, exceed the rate of this kind.
  func admit(
    _ kind: RequestKind, _ request: RequestHead, bodyByteCount: Int = 0,
    of scopes: [RateScope] = RateScope.allCases
  ) throws(ProblemDocument) {
    let client = client(of: request)
    let wait = rates.take(
      kind, from: client, bodyByteCount: bodyByteCount, of: scopes,
      at: machine_monotonic_ms())
    if let wait { throw .tooMany("requests of this kind", wait: wait) }
  }

  /// Whether the client uses TLS, to this server or, according to the `X-Forwarded-Proto` header,
  /// to a trusted proxy. If several proxies have added values, the first one concerns the client's
  /// connection.
  func isSecure(_ request: RequestHead) -> Bool {
    guard !request.isTLS else { return true }
    guard proxies.contains(request.remoteAddress) else { return false }
    let header = request.headers[.xForwardedProto]
    let first = header?.split(separator: ",", omittingEmptySubsequences: false).first ?? ""
    return first.filter { !$0.isWhitespace }.lowercased() == "https"
  }

  /// The response that refuses an upgrade, or `nil` to accept it.
  func refusal(of upgrade: UpgradeRequest) -> HTTPResponse? {
    do throws(ProblemDocument) {
      try admitHost(of: upgrade.head)
      guard upgrade.head.audience != .redirected else { throw HTTPSRedirect.refusal }
      guard !upgrade.isAdmin else {
        throw ProblemDocument(
          status: 404, code: "notFound", detail: "the admin listener does not serve WebSockets")
      }
      try admitOrigin(of: upgrade.head)
      if HubTransport.session(in: upgrade.target) != nil { try admit(.join, upgrade.head) }
      return nil
    } catch {
      return error.response
    }
  }
}

extension ProblemDocument {
  static func tooMany(_ what: String, wait: Int) -> ProblemDocument {
    ProblemDocument(
      status: 429, code: "tooMany", detail: "too many \(what); retry in \(wait) s",
      retryAfterSeconds: wait)
  }
}

/// Checks keys and member tokens of requests.
extension RequestGate {
  /// The keys that a request to such a route is checked against; `nil` if it needs none.
  private func keys(for request: RequestHead, _ access: RouteAccess) -> KeyRing? {
    if access == .everyone || (access == .metrics && adminKeys == nil) { return nil }
    return keys(for: request)
  }

  /// The right API key of a request, with the scope that the route needs; `nil` if it has none.
  ///
  /// A wrong one counts against the budget of its address. Right ones do not depend on that budget,
  /// because the address may be that of a proxy, which the host shares with strangers.
  /// - Throws: 401, 403, or 429 for a wrong key of an address that has sent too many.
  func apiKey(
    of request: RequestHead, for access: RouteAccess
  ) throws(ProblemDocument) -> HostKey? {
    guard let keys = keys(for: request, access),
      let bearer = HubTransport.bearer(request.headers[.authorization]),
      bearer.hasPrefix(PresentedKey.prefix)
    else { return nil }
    if hasAPIListener, request.audience == .clients {
      throw ProblemDocument(
        status: 401, code: "badToken",
        detail: "API keys are accepted by the backend's listener only (--api-listen)")
    }
    let client = client(of: request)
    if let key = PresentedKey(bearer).flatMap({ keys.find($0, from: client) }) {
      try check(key, for: access)
      return key
    }
    let wait = rates.take(
      .wrongKey, from: client, of: [.sender], at: machine_monotonic_ms())
    if let wait { throw .tooMany("wrong keys", wait: wait) }
    throw ProblemDocument(
      status: 401, code: "badToken",
      detail: "the key is unknown or has expired, or is not valid for this network")
  }

  /// What a request without an API key proves about its sender.
  ///
  /// On a listener with keys this decides everything that does not depend on the session's state,
  /// so that a session that a member may not see and one that does not exist get the same answer.
  /// - Parameter session: The session in the route's path, if it has one.
  /// - Throws: 401, 403 or 404.
  func credential(
    _ request: RequestHead, for access: RouteAccess, session: SessionID?
  ) throws(ProblemDocument) -> Credential? {
    let bearer = HubTransport.bearer(request.headers[.authorization])
    guard let keys = keys(for: request, access) else { return bearer.map { .token($0) } }
    guard let bearer else {
      // The route checks the ticket.
      if access == .ticketReader, request.queryValue("ticket") != nil { return nil }
      throw ProblemDocument(
        status: 401, code: "noToken",
        detail: "this request requires an API key or a member token in the header "
          + "Authorization: Bearer TOKEN")
    }
    let token: MemberToken
    do throws(TokenProblem) {
      token = try keys.verify(bearer)
    } catch {
      throw ProblemDocument(status: 401, code: "badToken", detail: error.detail)
    }
    switch access {
    case .everyone: return nil
    case .key(let scope): throw .needsScope(scope)
    case .metrics: throw .needsScope(.metrics)
    case .sessionKey, .sessionReader, .ticketReader, .member, .memberOrKey: break
    }
    guard let session, token.sessions.contains(session) else {
      throw ProblemDocument(.noSuchSession)
    }
    if case .sessionKey(let scope) = access {
      return .memberWithoutKey(token, scope: scope.rawValue)
    }
    return .member(token)
  }

  /// A check whether the key of an admitted request still is valid, for responses that take long:
  /// the key may be revoked or expire meanwhile. Called on any thread.
  func recheck(_ request: RequestHead, scope: KeyScope) -> @Sendable () -> Bool {
    guard let keys = keys(for: request) else { return { true } }
    let presented = HubTransport.bearer(request.headers[.authorization])
      .flatMap { PresentedKey($0) }
    let client = client(of: request)
    return {
      presented.flatMap { keys.find($0, from: client) }?.scopes.contains(scope) ?? false
    }
  }

  private func check(_ key: HostKey, for access: RouteAccess) throws(ProblemDocument) {
    let scope: KeyScope
    switch access {
    case .everyone: return
    case .key(let needed), .sessionKey(let needed): scope = needed
    case .metrics: scope = .metrics
    case .sessionReader, .ticketReader, .memberOrKey: scope = .sessions
    case .member:
      throw ProblemDocument(
        status: 403, code: "notAllowed",
        detail: "members join with a member token, not with an API key")
    }
    guard key.scopes.contains(scope) else { throw .needsScope(scope) }
  }
}

extension ProblemDocument {
  fileprivate static func needsScope(_ scope: KeyScope) -> ProblemDocument {
    ProblemDocument(
      status: 403, code: "notAllowed",
      detail: "this requires an API key with the scope \(scope.rawValue)")
  }
}

/// Limits how many session ids an address can look up in a store that nodes share, and that does
/// not have them: each one is a query of the database. Sessions that exist cost nothing, nor does
/// an absence that the hub has cached.
extension RequestGate {
  /// Called before a request that needs a look-up.
  ///
  /// - Throws: 429 if the address has looked up too many unknown sessions.
  func admitLookUp(_ request: RequestHead) throws(ProblemDocument) {
    let now = machine_monotonic_ms()
    guard let wait = rates.wait(.unknownSession, from: client(of: request), at: now) else { return }
    throw .tooMany("requests for sessions that do not exist", wait: wait)
  }

  /// The response that refuses an upgrade that needs a look-up, or `nil` to accept it.
  func lookUpRefusal(of upgrade: RequestHead) -> HTTPResponse? {
    do throws(ProblemDocument) {
      try admitLookUp(upgrade)
      return nil
    } catch {
      return error.response
    }
  }

  /// A look-up for a request has found no session.
  func chargeLookUp(_ request: RequestHead) {
    rates.charge(
      .unknownSession, to: client(of: request), at: machine_monotonic_ms())
  }
}
