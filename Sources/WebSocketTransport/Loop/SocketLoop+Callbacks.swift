import CWebSocketLoop
import PickerSession

/// The C callbacks: each one finds its loop, copies borrowed memory into Swift values (except for
/// messages), and calls the handler.
extension SocketLoop {
  static let handlers = wsl_handlers(
    is_elsewhere: { owner, connection in SocketLoop.of(owner).isElsewhere(connection!.pointee) },
    moved: { owner, connection in SocketLoop.of(owner).move(connection) },
    is_exempt: { owner, address in
      SocketLoop.of(owner).configuration.isProxy(String(cString: address!))
    },
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
      if isWritten { loop.handler?.iterated() }
    },
    log: { owner, isError, line in
      SocketLoop.of(owner).configuration.log(isError, String(cString: line!))
    })

  private static func of(_ owner: UnsafeMutableRawPointer?) -> SocketLoop {
    Unmanaged<SocketLoop>.fromOpaque(owner!).takeUnretainedValue()
  }

  /// Asks the handler to admit an upgrade. Returns 0 to accept it.
  private func admit(_ id: wsl_id, _ request: OpaquePointer) -> CInt {
    let upgrade = UpgradeRequest(head: RequestHead(request, below: configuration.pathPrefix))
    let selected = upgrade.subprotocols.first(where: configuration.subprotocols.contains)
    guard let handler else { return 1 }
    switch handler.admit(upgrade) {
    case .accept(let subprotocol, let client) where subprotocol == selected:
      if let client, !wsl_count_client(loop, id, client.raw) {
        refuse(id, SocketLoop.tooManyOfAddress)
        return 1
      }
      admitted = upgrade
      return 0
    case .accept:
      return 1
    case .refuse(let response):
      refuse(id, response)
      return 1
    }
  }

  /// Asks the handler to admit a large body. Returns 0 to receive it.
  private func admitBody(of id: wsl_id, _ request: OpaquePointer, _ byteCount: Int) -> CInt {
    let announced = HTTPRequest(request, nil, below: configuration.pathPrefix)
    guard let refusal = handler?.refusal(of: announced, bodyByteCount: byteCount) else { return 0 }
    refuse(id, refusal)
    return 1
  }

  private func refuse(_ id: wsl_id, _ response: HTTPResponse) {
    let head = response.head(length: response.body.count, keepAlive: false)
    wsl_answer(loop, id, head, head.count, response.body, response.body.count, false, 0)
  }

  private func respond(_ id: wsl_id, _ request: OpaquePointer) {
    let whole = HTTPRequest(request, configuration.bodies, below: configuration.pathPrefix)
    let requestID = RequestID(raw: id, isHead: whole.method == .head)
    handler?.respond(to: requestID, whole)
  }
}
