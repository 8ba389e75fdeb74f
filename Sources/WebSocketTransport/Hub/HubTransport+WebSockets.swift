import PickerHub
package import PickerSession

/// The events of WebSockets, passed to the hub.
extension HubTransport {
  package static let subprotocol = "pickerd.v1"

  package func admit(_ request: UpgradeRequest) -> UpgradeAnswer {
    let answer = answer(request)
    switch answer {
    case .accept: responses.count("websocket", .get, status: 101)
    case .refuse(let refusal): responses.count("websocket", .get, status: refusal.status)
    }
    return answer
  }

  private func answer(_ request: UpgradeRequest) -> UpgradeAnswer {
    if let refusal = refusal(request) { return .refuse(refusal) }
    guard let session = HubTransport.session(in: request.target) else {
      return .refuse(problem(404, "notFound", "WebSockets are at /v1/sessions/ID"))
    }
    guard request.subprotocols.contains(HubTransport.subprotocol) else {
      let detail = "offer the subprotocol pickerd.v1 in Sec-WebSocket-Protocol"
      return .refuse(problem(400, "badRequest", detail))
    }
    if hub.needsLookUp(session, at: now), let refusal = lookUpRefusal(request.head) {
      return .refuse(refusal)
    }
    return .accept(subprotocol: HubTransport.subprotocol, client: client(request.head))
  }

  package func opened(_ connection: ConnectionID, _ request: UpgradeRequest) {
    guard let session = HubTransport.session(in: request.target) else { return }
    connectionLog(connection, .opened(session, head: request.head, isStream: false))
    let looksUp = hub.needsLookUp(session, at: now)
    hub.opened(
      connection, session: session, bearer: HubTransport.bearer(request.authorization),
      client: client(request.head).map { ClientID(raw: $0.raw) }, at: now)
    if looksUp { hub.whenAbsent(session) { [noSession] in noSession(request.head) } }
    rearm()
  }

  package func received(_ connection: ConnectionID, _ message: UnsafeRawBufferPointer) {
    let bytes = message.assumingMemoryBound(to: UInt8.self)
    let now = now
    defer { latencies.processed(messageOf: now.machineNanoseconds) }
    hub.received(connection, Span(_unsafeElements: bytes), at: now)
    rearm(at: now)
  }

  package func writeBlocked(_ connection: ConnectionID) { hub.writeBlocked(connection) }

  package func writable(_ connection: ConnectionID) {
    hub.writable(connection, at: now)
    rearm()
  }

  package func closed(_ connection: ConnectionID) {
    connectionLog(connection, .closed)
    hub.closed(connection, at: now)
    rearm()
  }

  /// The session id in a path `/v1/sessions/ID`.
  package static func session(in target: RequestTarget) -> SessionID? {
    guard target.begins(with: ["v1", "sessions"]), target.segments.count == 3,
      !target.segments[2].isEmpty
    else { return nil }
    return SessionID(target.segments[2])
  }

  /// The token in an `Authorization` header with the scheme `Bearer`.
  /// - Source: RFC 9110, section 11.4: one or more spaces follow the scheme.
  package static func bearer(_ authorization: String?) -> String? {
    guard let authorization else { return nil }
    let parts = authorization.split(separator: " ", maxSplits: 1)
    guard parts.count == 2, parts[0].lowercased() == "bearer" else { return nil }
    return String(parts[1].drop { $0 == " " })
  }
}
