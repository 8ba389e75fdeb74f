import CWebSocketLoop
import PickerSession

/// The C callbacks: each one finds its loop, copies borrowed memory into Swift values (except for
/// messages), and calls the handler.
extension SocketLoop {
  static let handlers = wsl_handlers(
    acceptable: { owner, listener in SocketLoop.of(owner).accept(listener) },
    proxied: { owner, connection, bytes, count in
      let bytes = UnsafeRawBufferPointer(start: bytes, count: min(count, ProxyHeader.storedCount))
      return SocketLoop.of(owner).proxied(&connection!.pointee, bytes, count: count)
    },
    uncount: { owner, audience, network in SocketLoop.of(owner).uncount(audience, network) },
    recount: { owner, from, to in SocketLoop.of(owner).counts.move(from: from, to: to) },
    counts_none: { owner in SocketLoop.of(owner).counts.isEmpty },
    hold: { owner, holding, network, count, held, whole in
      SocketLoop.of(owner).hold(count, holding, network, held: held, whole: whole)
    },
    release: { owner, holding, network, count in
      SocketLoop.of(owner).release(count, holding, network)
    },
    is_elsewhere: { owner, connection in SocketLoop.of(owner).isElsewhere(connection!.pointee) },
    moved: { owner, connection in SocketLoop.of(owner).move(connection) },
    admit: { owner, id, request in SocketLoop.of(owner).admit(id, request!) },
    opened: { owner, id in
      let loop = SocketLoop.of(owner)
      guard let request = loop.admitted.take() else { return }
      loop.handler?.opened(ConnectionID(raw: id), request)
    },
    received: { owner, id, bytes, count in
      SocketLoop.of(owner).handler?.received(
        ConnectionID(raw: id), UnsafeRawBufferPointer(start: bytes, count: count))
    },
    write_blocked: { owner, id in
      SocketLoop.of(owner).handler?.writeBlocked(ConnectionID(raw: id))
    },
    writable: { owner, id in SocketLoop.of(owner).handler?.writable(ConnectionID(raw: id)) },
    closed: { owner, id in SocketLoop.of(owner).handler?.closed(ConnectionID(raw: id)) },
    admit_body: { owner, id, request, byteCount in
      SocketLoop.of(owner).admitBody(of: id, request!, byteCount)
    },
    respond: { owner, id, request in
      SocketLoop.of(owner).respond(id, request!)
    },
    stream_writable: { owner, id in
      SocketLoop.of(owner).handler?.streamWritable(RequestID(raw: id, isHead: false))
    },
    stream_closed: { owner, id in
      SocketLoop.of(owner).handler?.streamClosed(RequestID(raw: id, isHead: false))
    },
    timer: { owner in SocketLoop.of(owner).handler?.timer() },
    woken: { owner in SocketLoop.of(owner).drainMailbox() },
    written: { owner in SocketLoop.of(owner).handler?.written() },
    iterated: { owner, nanoseconds, isWritten in
      let loop = SocketLoop.of(owner)
      loop.iterationSeconds.record(Double(nanoseconds) / 1_000_000_000)
      if !loop.held.isEmpty { loop.refuseHeld(until: SocketLoop.monotonicMilliseconds()) }
      if isWritten { loop.handler?.iterated() }
    },
    log: { owner, isError, line in SocketLoop.of(owner).log(isError, line!) })

  private static func of(_ owner: UnsafeMutableRawPointer?) -> SocketLoop {
    Unmanaged<SocketLoop>.fromOpaque(owner!).takeUnretainedValue()
  }

  /// Asks the handler to admit an upgrade. Returns -1 if it is refused; otherwise the number of the
  /// subprotocol, from 1, or 0 if none is offered.
  private func admit(_ id: wsl_id, _ request: UnsafeMutablePointer<wsl_request>) -> CInt {
    if refusesTarget(of: id, request) { return -1 }
    if let refusal = Handshake.refusal(of: &request.pointee) { return refuse(id, refusal) }
    let upgrade = UpgradeRequest(
      head: RequestHead(&request.pointee, below: configuration.pathPrefix))
    let selected = upgrade.subprotocols.first(where: configuration.subprotocols.contains)
    guard let handler else { return -1 }
    switch handler.admit(upgrade) {
    case .accept(let subprotocol, let client) where subprotocol == selected:
      if let client, !count(id, client) {
        return refuse(id, SocketLoop.tooManyOfAddress)
      }
      if selected == nil, upgrade.head.headers[.subprotocols] != nil {
        let detail = "none of the offered subprotocols is supported"
        return refuse(id, .problem(400, "badRequest", detail))
      }
      admitted = upgrade
      return CInt(selected.flatMap(configuration.subprotocols.firstIndex).map { $0 + 1 } ?? 0)
    case .accept:
      return -1
    case .refuse(let response):
      return refuse(id, response)
    }
  }

  /// Asks the handler to admit a large body. Returns 0 to receive it.
  private func admitBody(
    of id: wsl_id, _ request: UnsafeMutablePointer<wsl_request>, _ byteCount: Int
  ) -> CInt {
    if refusesTarget(of: id, request) { return 1 }
    let announced = HTTPRequest(&request.pointee, on: nil, below: configuration.pathPrefix)
    guard let refusal = handler?.refusal(of: announced, bodyByteCount: byteCount) else { return 0 }
    refuse(id, refusal)
    return 1
  }

  /// Refuses a request if its target is malformed.
  private func refusesTarget(of id: wsl_id, _ request: UnsafeMutablePointer<wsl_request>) -> Bool {
    let text = request.pointee.target
    let target = UnsafeRawBufferPointer(start: text.bytes, count: text.count)
    guard let detail = RequestTarget.error(in: target, of: HTTPMethod(request.pointee.method))
    else { return false }
    refuse(id, .problem(400, "badRequest", detail))
    return true
  }

  @discardableResult
  private func refuse(_ id: wsl_id, _ response: HTTPResponse) -> CInt {
    let head = response.head(length: response.body.count, keepAlive: false)
    wsl_answer(loop, id, head, head.count, response.body, response.body.count, false, 0)
    return -1
  }

  private func respond(_ id: wsl_id, _ request: UnsafeMutablePointer<wsl_request>) {
    if refusesTarget(of: id, request) { return }
    let whole = HTTPRequest(&request.pointee, on: self, below: configuration.pathPrefix)
    let requestID = RequestID(raw: id, isHead: whole.method == .head)
    handler?.respond(to: requestID, whole)
  }

  /// Reserves memory that a connection of a network holds, of which one network may use a quarter,
  /// or that of one body.
  func hold(
    _ byteCount: Int, _ holding: wsl_holding, _ network: UInt64, held: Int, whole: Int
  ) -> Bool {
    guard holding == WSL_BODIES else {
      guard unsent.grow(by: byteCount, held: held) else { return false }
      if holdUnsent(byteCount, network, held: held) { return true }
      unsent.release(byteCount)
      return false
    }
    let most = configuration.bodiesBytesMax
    guard bodies.reserve(byteCount, whole: whole, most: most) else { return false }
    let share = max(most / 4, configuration.bodyBytesMax)
    if counts.hold(byteCount, of: .bodies, network, held: held, most: share) { return true }
    bodies.release(byteCount)
    return false
  }

  /// Counts unsent bytes for a network, which are counted in total already.
  func holdUnsent(_ byteCount: Int, _ network: UInt64, held: Int = 0) -> Bool {
    counts.hold(byteCount, of: .unsent, network, held: held, most: unsent.byteCountMax / 4)
  }

  func release(_ byteCount: Int, _ holding: wsl_holding, _ network: UInt64) {
    if holding == WSL_BODIES {
      bodies.release(byteCount)
      counts.release(byteCount, of: .bodies, network)
    } else {
      unsent.release(byteCount)
      counts.release(byteCount, of: .unsent, network)
    }
  }
}
