import PickerHub
import PickerSession
import WebSocketTransport

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
      .wrongKey, from: client, of: [.sender], at: SocketLoop.monotonicMilliseconds())
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
