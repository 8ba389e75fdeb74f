import BackgroundWork
import CWebSocketLoop
package import PickerHub
package import PickerSession
package import PickerWire

/// Connects a hub to a ``SocketLoop``, on the loop's thread.
///
/// It passes every event of the loop to the hub, with the current time, and performs the hub's
/// actions on the connections. HTTP requests that are not upgrades go to `routes`.
package final class HubTransport: SocketLoopHandler, HubPort {
  package let loop: SocketLoop
  package let clock: SessionClock
  /// Must be set before the loop runs.
  package var hub: Hub!
  /// Answers HTTP requests. Must be set before the loop runs.
  package var routes: ((Caller, HTTPRequest) -> Void)!
  /// All loops of the server, including this one.
  package let group: LoopGroup
  /// This loop's index in the group.
  package internal(set) var index = 0
  /// The index of the loop that received the last new connection, for round robin.
  var connectionTurn = 0
  private let refusal: (UpgradeRequest) -> HTTPResponse?
  /// The time to process a message on the loop's thread, from its arrival until the resulting
  /// frames were posted or a store operation was started.
  package private(set) var messageSeconds = Histogram.seconds
  /// The time from the arrival of a command to the first write of its delta.
  package private(set) var deliverySeconds = Histogram.seconds
  /// The arrival times of commands whose deltas have been posted since the last write.
  private var unwritten: [Int64] = []
  let problem: (_ status: Int, _ code: String, _ detail: String) -> HTTPResponse
  private var timerDue: Int64?
  /// Connections that are event streams, not WebSockets.
  var streams: [ConnectionID: EventStream] = [:]
  var lastEvent: EncodedEvent?
  /// Responses that are being written part by part.
  var downloads: [RequestID: Download] = [:]
  var keepAliveDue: Int64?
  /// Serial and shared by all loops, so that expensive work never occupies more than one core.
  private static let parsing = BackgroundQueue(name: "parsing")
  static let compressing = BackgroundQueue(name: "compressing")
  /// A separate queue, so that long logs do not delay other responses.
  static let compressingLong = BackgroundQueue(name: "compressing long")
  private static let background = BackgroundQueue(name: "background")

  /// - Parameters:
  ///   - refusal: Checks an upgrade by its headers and peer. Returns the response that refuses it,
  ///     or `nil` to continue.
  ///   - problem: Creates a problem document as the response to a refused handshake.
  package init(
    _ loop: SocketLoop, in group: LoopGroup, clock: SessionClock,
    refusal: @escaping (UpgradeRequest) -> HTTPResponse?,
    problem: @escaping (_ status: Int, _ code: String, _ detail: String) -> HTTPResponse
  ) {
    self.loop = loop
    self.group = group
    self.clock = clock
    self.refusal = refusal
    self.problem = problem
    group.add(self)
  }

  package static let subprotocol = "pickerd.v1"

  package var now: HubTime {
    HubTime(session: clock.now, machineNanoseconds: SocketLoop.monotonicNanoseconds())
  }

  package func admit(_ request: UpgradeRequest) -> UpgradeAnswer {
    if let refusal = refusal(request) { return .refuse(refusal) }
    guard HubTransport.session(in: request.path) != nil else {
      return .refuse(problem(404, "notFound", "WebSockets are at /v1/sessions/ID"))
    }
    guard request.subprotocols.contains(HubTransport.subprotocol) else {
      let detail = "offer the subprotocol pickerd.v1 in Sec-WebSocket-Protocol"
      return .refuse(problem(400, "badRequest", detail))
    }
    return .accept(subprotocol: HubTransport.subprotocol)
  }

  package func opened(_ connection: ConnectionID, _ request: UpgradeRequest) {
    guard let session = HubTransport.session(in: request.path) else { return }
    hub.opened(
      connection, session: session, bearer: HubTransport.bearer(request.authorization), at: now)
    rearm()
  }

  package func received(_ connection: ConnectionID, _ message: UnsafeRawBufferPointer) {
    let bytes = message.assumingMemoryBound(to: UInt8.self)
    let now = now
    defer { messageSeconds.record(seconds(since: now.machineNanoseconds)) }
    hub.received(connection, Span(_unsafeElements: bytes), at: now)
    rearm(at: now)
  }

  package func full(_ connection: ConnectionID) { hub.full(connection) }

  package func writable(_ connection: ConnectionID) {
    hub.writable(connection, at: now)
    rearm()
  }

  package func closed(_ connection: ConnectionID) {
    hub.closed(connection, at: now)
    rearm()
  }

  package func timer() {
    timerDue = nil
    hub.timer(at: now)
    keepAlive()
    rearm()
  }

  package func send(_ frame: Frame, to connection: ConnectionID) -> PickerHub.SendOutcome {
    if !streams.isEmpty, streams[connection] != nil { return sendEvent(frame, to: connection) }
    return loop.send(frame, to: connection)
  }

  package func post(_ frame: Frame, to connection: ConnectionID) -> PickerHub.SendOutcome {
    if !streams.isEmpty, streams[connection] != nil { return sendEvent(frame, to: connection) }
    return loop.post(frame, to: connection)
  }

  package func post(_ frame: Frame, toAll connections: [ConnectionID]) -> [Int] {
    if streams.isEmpty { return loop.post(frame, toAll: connections) }
    return connections.indices.filter { post(frame, to: connections[$0]) == .full }
  }

  package func close(_ connection: ConnectionID, code: UInt16, reason: String, last: Frame?) {
    if streams[connection] != nil { return closeEvents(connection, last: last) }
    loop.close(connection, code: code, reason: reason, last: last)
  }

  package func delivered(commandOf arrival: Int64) { unwritten.append(arrival) }

  package func written() {
    guard !unwritten.isEmpty else { return }
    for arrival in unwritten { deliverySeconds.record(seconds(since: arrival)) }
    unwritten.removeAll(keepingCapacity: true)
  }

  /// Covers deltas that were written without being posted, such as stream events.
  package func iterated() { written() }

  private func seconds(since start: Int64) -> Double {
    Double(SocketLoop.monotonicNanoseconds() - start) / 1_000_000_000
  }

  package func pause(_ connection: ConnectionID) { loop.pause(connection) }

  package func resume(_ connection: ConnectionID) { loop.resume(connection) }

  package func inBackground<Value: Sendable>(
    _ work: @escaping @Sendable () -> Value, then: @escaping (Value) -> Void
  ) {
    // Safe: both are passed through the other thread, but only used on the loop's.
    nonisolated(unsafe) let then = then
    nonisolated(unsafe) let transport = self
    HubTransport.background.async { [loop] in
      let value = work()
      loop.post {
        then(value)
        transport.rearm()
      }
    }
  }

  /// Counts a body that is needed after its request has been read towards `bodiesBytesMax`.
  ///
  /// - Parameter byteCount: Negative when the body is needed no more.
  package func countBody(_ byteCount: Int) {
    if let bodies = loop.configuration.bodies { wsl_count_body(bodies.count, Int64(byteCount)) }
  }

  /// Parses a request's body on another thread, then calls `then` on this one.
  ///
  /// Bodies of all loops are parsed one at a time. The body counts towards `bodiesBytesMax` until
  /// it is parsed, which bounds the queue.
  package func parseInBackground<Parsed: Sendable>(
    _ body: HTTPBody, _ parse: @escaping @Sendable ([UInt8]) -> Parsed,
    then: @escaping (Parsed) -> Void
  ) {
    // Safe: both are passed through the other thread, but only used on the loop's.
    nonisolated(unsafe) let then = then
    nonisolated(unsafe) let transport = self
    HubTransport.parsing.async { [loop] in
      let parsed = parse(body.bytes)
      loop.post {
        then(parsed)
        transport.rearm()
      }
    }
  }

  /// Sets the loop's timer to the hub's next due time. Must follow every call of the hub that can
  /// change that time.
  package func rearm() { rearm(at: now) }

  private func rearm(at now: HubTime) {
    var due = hub.nextTimer(at: now, clockRuns: clock.runs)
    if let keepAliveDue { due = min(due ?? .max, keepAliveDue) }
    if due == timerDue { return }
    timerDue = due
    loop.setTimer(atMonotonicMilliseconds: due)
  }

  /// The session id in a path `/v1/sessions/ID`.
  package static func session(in path: String) -> SessionID? {
    let prefix = "/v1/sessions/"
    guard path.hasPrefix(prefix) else { return nil }
    let id = path.dropFirst(prefix.count)
    guard !id.isEmpty, !id.contains("/") else { return nil }
    return SessionID(String(id))
  }

  /// The token in an `Authorization` header with the scheme `Bearer`.
  package static func bearer(_ authorization: String?) -> String? {
    guard let authorization else { return nil }
    let parts = authorization.split(separator: " ", maxSplits: 1)
    guard parts.count == 2, parts[0].lowercased() == "bearer" else { return nil }
    return String(parts[1])
  }
}
