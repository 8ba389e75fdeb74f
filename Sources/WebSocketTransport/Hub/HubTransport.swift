import BackgroundWork
package import PickerHub
package import PickerSession

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
  /// Checks a request with a large body by its headers, before the body is read. Returns the
  /// response that refuses it, or `nil` to read the body. Default: reads all bodies.
  package var bodyRefusal: (HTTPRequest, _ byteCount: Int) -> HTTPResponse? = { _, _ in nil }
  /// Checks an upgrade whose session must be looked up, like ``refusal``. Default: accepts all.
  package var lookUpRefusal: (RequestHead) -> HTTPResponse? = { _ in nil }
  /// Receives the heads of upgrades whose session was looked up and does not exist.
  package var noSession: (RequestHead) -> Void = { _ in }
  /// Receives what happens to connections. Default: ignores it.
  package var connectionLog: (ConnectionID, ConnectionEvent) -> Void = { _, _ in }
  /// All loops of the server, including this one.
  package let group: LoopGroup
  /// This loop's index in the group.
  package internal(set) var index = 0
  /// The index of the loop that received the last new connection, for round robin.
  var lastConnectionLoop = 0
  let refusal: (UpgradeRequest) -> HTTPResponse?
  let client: (RequestHead) -> PeerNetwork?
  package internal(set) var latencies = TransportLatencies()
  package var responses = ResponseCounts()
  let problem: (_ status: Int, _ code: String, _ detail: String) -> HTTPResponse
  private var timerDue: Int64?
  /// Connections that are event streams, not WebSockets.
  var streams: [ConnectionID: EventStream] = [:]
  var lastEvent: EncodedEvent?
  var requests: RequestShares<(caller: Caller, request: HTTPRequest)>
  /// Responses that are being written part by part.
  var downloads: [RequestID: Download] = [:]
  var keepAliveDue: Int64?
  /// Serial and shared by all loops, so that expensive work never occupies more than one core.
  static let parsing = BackgroundQueue(name: "parsing")
  static let compressing = BackgroundQueue(name: "compressing")
  /// A separate queue, so that long logs do not delay other responses.
  static let compressingLong = BackgroundQueue(name: "compressing long")
  static let background = BackgroundQueue(name: "background")
  /// A separate queue: what waits to be freed never waits for other work, so there is little of it.
  static let freeing = BackgroundQueue(name: "freeing")

  /// - Parameters:
  ///   - refusal: Checks an upgrade by its headers and peer. Returns the response that refuses it,
  ///     or `nil` to continue.
  ///   - client: The network of the client that has sent a request, itself or through a trusted
  ///     proxy; `nil` if it is not known.
  ///   - problem: Creates a problem document as the response to a refused handshake.
  package init(
    _ loop: SocketLoop, in group: LoopGroup, clock: SessionClock,
    refusal: @escaping (UpgradeRequest) -> HTTPResponse?,
    client: @escaping (RequestHead) -> PeerNetwork?,
    problem: @escaping (_ status: Int, _ code: String, _ detail: String) -> HTTPResponse
  ) {
    self.loop = loop
    self.group = group
    self.clock = clock
    self.refusal = refusal
    self.client = client
    self.problem = problem
    requests = RequestShares(heldMax: loop.configuration.addressConnectionsMax)
    group.add(self)
  }

  package var now: HubTime {
    HubTime(session: clock.now, machineNanoseconds: SocketLoop.monotonicNanoseconds())
  }

  package func timer() {
    timerDue = nil
    hub.timer(at: now)
    keepAlive()
    rearm()
  }

  /// Sets the loop's timer to the hub's next due time. Must follow every call of the hub that can
  /// change that time.
  package func rearm() { rearm(at: now) }

  func rearm(at now: HubTime) {
    var due = hub.nextTimer(at: now, clockRuns: clock.runs)
    if let keepAliveDue { due = min(due ?? .max, keepAliveDue) }
    // A timer that is too early is set again when it fires.
    if due == timerDue || timerDue ?? .max <= due ?? .max { return }
    timerDue = due
    loop.setTimer(atMonotonicMilliseconds: due)
  }
}
