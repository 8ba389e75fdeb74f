import WebSocketTransport

/// Judges requests by their headers and their peer, before anything is read or changed.
///
/// One for all loops.
struct RequestGate: Sendable {
  let hosts: HostPolicy
  /// Of the admin listener.
  let adminHosts: HostPolicy
  let origins: OriginPolicy
  let proxies: TrustedProxies
  let rates: RequestRates
  let tickets = TicketSigner()

  init(_ configuration: ServerConfiguration) {
    hosts = HostPolicy(listen: configuration.listen, names: configuration.hosts)
    adminHosts = HostPolicy(
      listen: configuration.adminListen ?? .standard, names: configuration.hosts)
    origins = configuration.origins
    proxies = configuration.trustedProxies
    rates = RequestRates(RateLimits(configuration.limits))
  }

  /// - Throws: 400 for a `Host` that is missing or malformed, 421 for one that is not accepted.
  func admitHost(of request: RequestHead) throws(ProblemDocument) {
    let policy = request.isAdmin ? adminHosts : hosts
    switch policy.verdict(on: request.headers[.host]) {
    case .accepted: return
    case .malformed:
      throw ProblemDocument(
        status: 400, code: "badRequest",
        detail: "Host must be one name or address, optionally with a port")
    case .misdirected:
      throw ProblemDocument(
        status: 421, code: "misdirected",
        detail: "this server does not serve the name in Host; --host lists the names that it serves"
      )
    }
  }

  /// - Throws: 403 for a page of another origin.
  func admitOrigin(of request: RequestHead) throws(ProblemDocument) {
    guard origins.allows(origin: request.headers[.origin], host: request.headers[.host]) else {
      throw ProblemDocument(
        status: 403, code: "notAllowed",
        detail: "pages of this origin may not do this; --origin lists those that may")
    }
  }

  /// Counts a request.
  ///
  /// - Throws: 429 if its address, or all addresses together, have sent too many of the kind.
  func admit(_ kind: RequestKind, _ request: RequestHead) throws(ProblemDocument) {
    let client = proxies.client(
      peer: request.remoteAddress, forwardedFor: request.headers[.xForwardedFor])
    let wait = rates.take(kind, from: client, at: SocketLoop.monotonicMilliseconds())
    guard let wait else { return }
    throw ProblemDocument(
      status: 429, code: "tooMany",
      detail: "too many requests of this kind; try again in \(wait) s",
      retryAfterSeconds: wait)
  }

  /// Whether the client came over TLS, by `X-Forwarded-Proto` of a trusted proxy, to which each
  /// proxy may have added its own: the first is the client's.
  func isSecure(_ request: RequestHead) -> Bool {
    guard proxies.contains(request.remoteAddress) else { return false }
    let header = request.headers[.xForwardedProto]
    let first = header?.split(separator: ",", omittingEmptySubsequences: false).first ?? ""
    return first.filter { !$0.isWhitespace }.lowercased() == "https"
  }

  /// The answer that refuses an upgrade, or `nil`.
  func refusal(of upgrade: UpgradeRequest) -> HTTPResponse? {
    do throws(ProblemDocument) {
      try admitHost(of: upgrade.head)
      guard !upgrade.isAdmin else {
        throw ProblemDocument(
          status: 404, code: "notFound", detail: "WebSockets are not served by the admin listener")
      }
      try admitOrigin(of: upgrade.head)
      if HubTransport.session(in: upgrade.path) != nil { try admit(.join, upgrade.head) }
      return nil
    } catch {
      return error.response
    }
  }
}
