import CWebSocketLoop
import Dispatch
package import PickerHub
package import PickerSession
package import PickerWire

/// Performs the hub's actions on real connections, on the loop's thread.
///
/// Everything that comes from the loop goes to the hub with the time it came; requests other than
/// upgrades go to `routes`.
package final class HubTransport: SocketLoopHandler, HubPort {
  package let loop: SocketLoop
  package let clock: SessionClock
  /// Set before the loop runs.
  package var hub: Hub!
  /// Answers HTTP requests. Set before the loop runs.
  package var routes: ((Caller, HTTPRequest) -> Void)!
  /// The loops of the server, this one among them.
  package let group: LoopGroup
  /// This loop's number in the group.
  package internal(set) var index = 0
  /// Whose turn it is to have the next new connection.
  var connectionTurn = 0
  /// Judges an upgrade before the hub hears of it: the answer that refuses it, or `nil`.
  private let refusal: (UpgradeRequest) -> HTTPResponse?
  /// How long messages took on the loop's thread, from their arrival until what came of them was
  /// posted, or they were handed to the store.
  package private(set) var messageSeconds = Histogram.seconds
  /// How long commands took from their arrival until the first write of their delta.
  package private(set) var deliverySeconds = Histogram.seconds
  /// When the commands arrived whose delta has been posted since the last write.
  private var unwritten: [Int64] = []
  let problem: (_ status: Int, _ code: String, _ detail: String) -> HTTPResponse
  private var timerDue: Int64?
  /// Connections that are streams of events, not WebSockets.
  var streams: [ConnectionID: EventStream] = [:]
  var lastEvent: EncodedEvent?
  /// Responses of which more parts follow.
  var downloads: [RequestID: Download] = [:]
  var keepAliveDue: Int64?
  /// One at a time for all loops: what takes long must not take all cores from them.
  private static let parsing = DispatchQueue(label: "pickerd.parsing")
  static let compressing = DispatchQueue(label: "pickerd.compressing")
  /// Long logs have a queue of their own, so that no other response waits for one.
  static let compressingLong = DispatchQueue(label: "pickerd.compressing.long")
  private static let background = DispatchQueue(label: "pickerd.background")

  /// - Parameters:
  ///   - refusal: Judges an upgrade by its headers and peer: the answer that refuses it, or `nil`.
  ///   - problem: Makes the answer to a handshake that is refused.
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

  /// Now, by both clocks.
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
    let octets = message.assumingMemoryBound(to: UInt8.self)
    let now = now
    defer { messageSeconds.record(seconds(since: now.machineNanoseconds)) }
    hub.received(connection, Span(_unsafeElements: octets), at: now)
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

  /// Events of streams and long frames are not posted, but written before.
  package func iterated() { written() }

  private func seconds(since start: Int64) -> Double {
    Double(SocketLoop.monotonicNanoseconds() - start) / 1_000_000_000
  }

  package func pause(_ connection: ConnectionID) { loop.pause(connection) }

  package func resume(_ connection: ConnectionID) { loop.resume(connection) }

  package func inBackground(
    _ work: @escaping @Sendable () -> [UInt8], then: @escaping ([UInt8]) -> Void
  ) {
    // Only carried through the other thread: both are used on the loop's.
    nonisolated(unsafe) let then = then
    nonisolated(unsafe) let transport = self
    HubTransport.background.async { [loop] in
      let octets = work()
      loop.post {
        then(octets)
        transport.rearm()
      }
    }
  }

  /// Takes a request's body apart on another thread, and then calls `then` on this one.
  ///
  /// One body at a time for all loops. Its bytes are counted until then, so that bodies which wait
  /// have a maximum.
  package func parseInBackground<Parsed: Sendable>(
    _ body: [UInt8], _ parse: @escaping @Sendable ([UInt8]) -> Parsed,
    then: @escaping (Parsed) -> Void
  ) {
    // Only carried through the other thread: both are used on the loop's.
    nonisolated(unsafe) let then = then
    nonisolated(unsafe) let transport = self
    let bodies = loop.configuration.bodies
    if let bodies { wsl_count_body(bodies.count, Int64(body.count)) }
    HubTransport.parsing.async { [loop] in
      let parsed = parse(body)
      if let bodies { wsl_count_body(bodies.count, -Int64(body.count)) }
      loop.post {
        then(parsed)
        transport.rearm()
      }
    }
  }

  /// Sets the loop's timer to when the hub wants to be called next.
  package func rearm() { rearm(at: now) }

  private func rearm(at now: HubTime) {
    var due = hub.nextTimer(at: now, clockRuns: clock.runs)
    if let keepAliveDue { due = min(due ?? .max, keepAliveDue) }
    if due == timerDue { return }
    timerDue = due
    loop.setTimer(atMonotonicMilliseconds: due)
  }

  /// The session that a path names: `/v1/sessions/ID`.
  package static func session(in path: String) -> SessionID? {
    let prefix = "/v1/sessions/"
    guard path.hasPrefix(prefix) else { return nil }
    let id = path.dropFirst(prefix.count)
    guard !id.isEmpty, !id.contains("/") else { return nil }
    return SessionID(String(id))
  }

  /// The token of an `Authorization` header of the scheme `Bearer`.
  package static func bearer(_ authorization: String?) -> String? {
    guard let authorization else { return nil }
    let parts = authorization.split(separator: " ", maxSplits: 1)
    guard parts.count == 2, parts[0].lowercased() == "bearer" else { return nil }
    return String(parts[1])
  }
}
