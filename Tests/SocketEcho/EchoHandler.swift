import CMachine
import PickerHub
import PickerSession
import PickerWire
import WebSocketTransport

/// Echoes messages, executes them on the path /script, and serves a few HTTP routes.
final class EchoHandler: SocketLoopHandler {
  unowned let loop: SocketLoop
  /// The loop of connections whose first request has `?over`, and of WebSockets with it.
  var other: SocketLoop?
  var connections: [ConnectionID: Connection] = [:]
  var streams: [RequestID: Int] = [:]
  var waiting: [(id: RequestID, at: Int64)] = []
  var openedCount = 0, closedCount = 0, streamsClosedCount = 0
  /// Event-loop iterations after which everything was written.
  var iteratedCount = 0
  /// Bytes of messages that the loop has accepted.
  var takenCount = 0

  struct Connection {
    var path: String
    var isScripted: Bool { path == "/script" }
    var outbox: [Frame] = []
    var isFull = false
    var isClosed = false
  }

  init(_ loop: SocketLoop) { self.loop = loop }

  func session(ofConnection received: UnsafeRawBufferPointer) -> FirstRequest {
    let words = String(decoding: received, as: UTF8.self).split(separator: " ")
    guard words.count > 2 else { return .other }
    if words[1].contains("over") { return .session(SessionID("over")) }
    return words[1].contains("far") ? .session(SessionID("far")) : .other
  }

  func loop(for first: FirstRequest) -> SocketLoop? {
    if case .session = first { other } else { nil }
  }

  // MARK: WebSocket

  private let refusal = HTTPResponse(
    status: 403, contentType: "application/problem+json",
    body: Array(#"{"code":"notAllowed","status":403}"#.utf8))

  func refusal(of request: HTTPRequest, bodyByteCount: Int) -> HTTPResponse? {
    request.head.path == "/refused" ? refusal : nil
  }

  func admit(_ request: UpgradeRequest) -> UpgradeAnswer {
    if request.path == "/refused" { return .refuse(refusal) }
    let known = request.subprotocols.first { $0 == "echo.v1" || $0 == "echo.v2" }
    return .accept(subprotocol: known)
  }

  func opened(_ connection: ConnectionID, _ request: UpgradeRequest) {
    openedCount += 1
    connections[connection] = Connection(path: request.path)
    if request.path == "/greeting" { send(Frame("hello \(request.host ?? "")".utf8), connection) }
  }

  func received(_ connection: ConnectionID, _ message: UnsafeRawBufferPointer) {
    precondition(connections[connection]?.isClosed == false, "received after close")
    if connections[connection]?.isScripted == true {
      obey(String(decoding: message, as: UTF8.self), connection)
    } else {
      send(Frame(message), connection)
    }
  }

  func wroteBatch(at nanoseconds: Int64) { iteratedCount += 1 }

  func writeBlocked(_ connection: ConnectionID) { connections[connection]?.isFull = true }

  func writable(_ connection: ConnectionID) {
    connections[connection]?.isFull = false
    guard let outbox = connections[connection]?.outbox else { return }
    connections[connection]?.outbox = []
    for (place, frame) in outbox.enumerated() {
      guard loop.send(frame, to: connection) == .writeBlocked else { continue }
      connections[connection]?.isFull = true
      connections[connection]?.outbox = Array(outbox[(place + 1)...])
      break
    }
  }

  func closed(_ connection: ConnectionID) {
    precondition(connections.removeValue(forKey: connection) != nil, "closed without opened")
    closedCount += 1
  }

  private func send(_ frame: Frame, _ connection: ConnectionID) {
    if connections[connection]?.isFull == true {
      connections[connection]?.outbox.append(frame)
    } else {
      takenCount += frame.count
      if loop.post(frame, to: connection, isOneToMany: false) == .writeBlocked {
        connections[connection]?.isFull = true
      }
    }
  }

  /// Sends to all connections, or those of a path, in one call for those that are not
  /// write-blocked.
  private func sendAll(_ frame: Frame, path: String? = nil) {
    let chosen = connections.filter { path == nil || $0.value.path == path }
    let ready = chosen.filter { !$0.value.isFull && !$0.value.isClosed }.map(\.key)
    for connection in chosen.keys where connections[connection]?.isFull == true {
      connections[connection]?.outbox.append(frame)
    }
    takenCount += ready.count * frame.count
    for place in loop.post(frame, toAll: ready, isOneToMany: ready.count > 16) {
      connections[ready[place]]?.isFull = true
    }
  }

  private func close(_ connection: ConnectionID, _ code: UInt16, _ reason: String, _ last: Frame?) {
    connections[connection]?.isClosed = true
    loop.close(connection, code: code, reason: reason, last: last)
  }

  /// `close CODE REASON`, `last CODE REASON` (a message, then the close), `flood COUNT BYTES`,
  /// `flood-close COUNT BYTES CODE`, `all TEXT`, `each COUNT BYTES` (to all: COUNT messages, each
  /// BYTES bytes longer than the one before), `crowd` (to all of /script, then to those of /first,
  /// and in the next event-loop iteration to those of /second), `crowds COUNT` (to all of /script
  /// in each of COUNT iterations; then, how often everything was written meanwhile), `pause` (stops
  /// reading from this connection), `resume` (resumes all paused connections); any other text is
  /// echoed.
  private func obey(_ line: String, _ connection: ConnectionID) {
    let words = line.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
    func number(_ index: Int) -> Int { index < words.count ? Int(words[index]) ?? 0 : 0 }
    func code(_ index: Int) -> UInt16 { UInt16(exactly: number(index)) ?? 1000 }
    switch words[0] {
    case "close":
      close(connection, code(1), words.dropFirst(2).joined(separator: " "), nil)
    case "last":
      let last = Frame("last words".utf8)
      close(connection, code(1), words.dropFirst(2).joined(separator: " "), last)
    case "flood", "flood-close":
      let frame = Frame([UInt8](repeating: 0x78, count: max(0, number(2))))
      for _ in 0..<max(0, number(1)) { send(frame, connection) }
      if words[0] == "flood-close" { close(connection, code(3), "done", nil) }
    case "all":
      let frame = Frame(words.dropFirst().joined(separator: " ").utf8)
      sendAll(frame)
    case "each":
      for index in 0..<max(0, number(1)) {
        sendAll(Frame("\(index) \(String(repeating: "y", count: index * number(2)))".utf8))
      }
    case "crowd":
      sendAll(Frame("crowd".utf8), path: "/script")
      sendAll(Frame("first".utf8), path: "/first")
      // Safe: the loop runs it on this thread.
      nonisolated(unsafe) let handler = self
      loop.post { handler.sendAll(Frame("second".utf8), path: "/second") }
    case "crowds":
      sendCrowds(number(1), then: connection, from: iteratedCount)
    case "pause":
      send(Frame("paused".utf8), connection)
      loop.pause(connection)
    case "resume":
      for connection in connections.keys { loop.resume(connection) }
    default:
      send(Frame(line.utf8), connection)
    }
  }

  private func sendCrowds(_ count: Int, then connection: ConnectionID, from first: Int) {
    if count == 0 { return send(Frame("written \(iteratedCount - first)".utf8), connection) }
    sendAll(Frame("crowd".utf8), path: "/script")
    // Safe: the loop runs it on this thread.
    nonisolated(unsafe) let handler = self
    loop.post { handler.sendCrowds(count - 1, then: connection, from: first) }
  }

  func closeAll() {
    for connection in connections.keys { close(connection, 1001, "going away", nil) }
  }

  // MARK: HTTP

  func respond(to id: RequestID, _ request: HTTPRequest) {
    switch (request.method, path(of: request.head)) {
    case _ where request.body.isUnread:
      loop.answer(id, tooLarge)
    case (.get, "/hello"), (.head, "/hello"):
      loop.answer(id, text("hello"))
    case (_, "/request"):
      loop.answer(id, text(describe(request)))
    case (.post, "/echo"), (.put, "/echo"), (.patch, "/echo"):
      loop.answer(id, HTTPResponse(status: 200, body: request.body.bytes))
    case (.get, "/large"):
      let count = Int(request.queryValue("bytes") ?? "") ?? 0
      loop.answer(id, HTTPResponse(status: 200, body: [UInt8](repeating: 0x61, count: count)))
    case (_, "/later"):
      let delay = Int64(request.queryValue("milliseconds") ?? "") ?? 0
      waiting.append((id, machine_monotonic_ms() + delay))
      setTimer()
    case (.post, "/drain-other"):
      other?.post { [other] in other?.drain(withinMilliseconds: 2_000) }
      loop.answer(id, text("draining"))
    case (.get, "/never"):
      break
    case (.get, "/empty"):
      loop.answer(id, HTTPResponse(status: 204))
    case (.get, "/injected"):
      loop.answer(id, HTTPResponse(status: 200, headers: [("X-Name", "a\r\nX-Evil: b")]))
    case (.get, "/stream"):
      stream(id, request)
    case (.get, "/counters"):
      loop.answer(id, text(counters()))
    case (.get, "/echo"):
      loop.answer(id, text("POST here", status: 405))
    default:
      loop.answer(id, text("nothing here", status: 404))
    }
  }

  private func path(of head: RequestHead) -> String {
    "/" + head.target.segments.joined(separator: "/")
  }

  private var tooLarge: HTTPResponse {
    HTTPResponse(
      status: 413, contentType: "application/problem+json",
      body: Array(
        (#"{"type":"about:blank","title":"Content Too Large","status":413,"#
          + #""code":"tooLarge","detail":"the body is larger than the limit"}"#).utf8))
  }

  private func text(_ text: String, status: Int = 200) -> HTTPResponse {
    HTTPResponse(status: status, contentType: "text/plain; charset=utf-8", body: Array(text.utf8))
  }

  private func describe(_ request: HTTPRequest) -> String {
    let path = path(of: request.head)
    var lines = ["\(request.method.rawValue) \(path) from \(request.remoteAddress)"]
    lines += request.query.map { "query \($0.name)=\($0.value)" }
    for name in RequestHeader.allCases {
      if let value = request.headers[name] { lines.append("\(name): \(value)") }
    }
    lines.append("body \(request.body.count)")
    return lines.joined(separator: "\n")
  }

  private func counters() -> String {
    let counted = loop.counters
    return """
      connections \(counted.connections)
      webSockets \(counted.webSockets)
      accepted \(counted.accepted)
      refusedFull \(counted.refusedFull)
      refusedOfAddress \(counted.refusedOfAddress)
      failed \(counted.failed)
      timedOut \(counted.timedOut)
      relays \(counted.relays)
      relayed \(counted.relayed)
      relaysFailed \(counted.relaysFailed)
      bytesRelayedToNodes \(counted.bytesRelayedToNodes)
      bytesRelayedToClients \(counted.bytesRelayedToClients)
      opened \(openedCount)
      closed \(closedCount)
      streamsClosed \(streamsClosedCount)
      bytesTaken \(takenCount)
      """
  }

  func timer() {
    let now = machine_monotonic_ms()
    for entry in waiting where entry.at <= now { loop.answer(entry.id, text("at last")) }
    waiting.removeAll { $0.at <= now }
    setTimer()
  }

  private func setTimer() {
    loop.setTimer(atMonotonicMilliseconds: waiting.map(\.at).min())
  }

  // MARK: Streams

  /// `/stream?pieces=COUNT&bytes=COUNT`; `pieces=-1` has no end.
  private func stream(_ id: RequestID, _ request: HTTPRequest) {
    guard loop.startStream(id, headers: [("Content-Type", "text/event-stream")]) else { return }
    let pieces = Int(request.queryValue("pieces") ?? "") ?? 1
    streams[id] = pieces < 0 ? 0 : pieces
    if pieces >= 0 { streamWritable(id) }
  }

  func streamWritable(_ id: RequestID) {
    let piece = [UInt8](repeating: 0x2E, count: 10_000)
    while let left = streams[id], left > 0 {
      streams[id] = left - 1
      if piece.withUnsafeBytes({ loop.streamWrite(id, $0) }) != .sent { return }
    }
    streams[id] = nil
    loop.streamEnd(id)
  }

  func streamClosed(_ id: RequestID) {
    streams[id] = nil
    streamsClosedCount += 1
  }
}
