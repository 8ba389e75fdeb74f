import WebSocketTransport

/// Judges requests by their headers and their peer, before anything is read or changed.
///
/// One for all loops.
struct RequestGate: Sendable {
  let hosts: HostPolicy
  /// Of the admin listener.
  let adminHosts: HostPolicy
  let origins: OriginPolicy

  init(_ configuration: ServerConfiguration) {
    hosts = HostPolicy(listen: configuration.listen, names: configuration.hosts)
    adminHosts = HostPolicy(
      listen: configuration.adminListen ?? .standard, names: configuration.hosts)
    origins = configuration.origins
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

  /// The answer that refuses an upgrade, or `nil`.
  func refusal(of upgrade: UpgradeRequest) -> HTTPResponse? {
    do throws(ProblemDocument) {
      try admitHost(of: upgrade.head)
      guard !upgrade.isAdmin else {
        throw ProblemDocument(
          status: 404, code: "notFound", detail: "WebSockets are not served by the admin listener")
      }
      try admitOrigin(of: upgrade.head)
      return nil
    } catch {
      return error.response
    }
  }
}
