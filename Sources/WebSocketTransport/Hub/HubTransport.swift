import BackgroundWork
import CMachine
package import PickerHub
package import PickerModel
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
  let shares: AddressShares<Received>
  /// What is being read of a connection.
  private var reading: Reading?
  /// The messages that are held, of which a connection has one at most.
  var heldMessages: [ConnectionID: [UInt8]] = [:]
  /// The messages that were posted to connections so far, and their bytes.
  var postedCount = 0
  var postedBytes = 0
  /// Responses that are being written part by part.
  var downloads: [RequestID: Download] = [:]
  var keepAliveDue: Int64?
  /// Serial and shared by all loops, so that expensive work never occupies more than one core.
  static let parsing = BackgroundQueue(name: "parsing")
  static let compressing = BackgroundQueue(name: "compressing")
  /// A separate queue, so that long logs do not delay other responses.
  static let compressingLong = BackgroundQueue(name: "compressing long")
  static let background = BackgroundQueue(name: "background")

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
    shares = AddressShares(heldMax: loop.configuration.addressConnectionsMax)
    group.add(self)
  }

  package var now: HubTime {
    HubTime(session: clock.now, machineNanoseconds: machine_monotonic_ns())
  }

  package func timer() {
    timerDue = nil
    hub.timer(at: now)
    keepAlive()
  }

  /// Sets the loop's timer to the hub's next due time.
  package func iterationEnded(at nanoseconds: Int64) {
    let now = HubTime(session: clock.now, machineNanoseconds: nanoseconds)
    var due = hub.nextTimer(at: now, clockRuns: clock.runs)
    if let keepAliveDue { due = min(due ?? .max, keepAliveDue) }
    // A timer that is too early is set again when it fires.
    if due == timerDue || timerDue ?? .max <= due ?? .max { return }
    timerDue = due
    loop.setTimer(atMonotonicMilliseconds: due)
  }
}

/// A part of a response body, with a function that produces the next one.
package struct BodyPart {
  package typealias Rest = (_ answer: @escaping (BodyPart?) -> Void) -> Void

  package let bytes: [UInt8]
  /// Produces the next part; `nil` if this is the last one. Calls `answer` with `nil` if the body
  /// cannot be completed.
  package let rest: Rest?

  package init(_ bytes: [UInt8], rest: Rest?) {
    self.bytes = bytes
    self.rest = rest
  }
}

/// Responses that are written part by part, with chunked transfer coding unless the request is
/// HTTP/1.0. A response that cannot be completed ends without the last chunk, so that the client
/// detects the truncation.
/// - Source: RFC 9112, section 7.1.
extension HubTransport {
  /// Answers a request with 200 and a body in parts. Must be called on the loop that produces the
  /// parts, which can differ from the loop of the connection.
  package func answer(
    _ caller: Caller, headers: [HTTPResponse.Header], parts first: BodyPart
  ) {
    var response = HTTPResponse(status: 200, headers: headers, body: first.bytes)
    guard let rest = first.rest else { return answer(caller, response) }
    let memory = reserve(first)
    if memory == nil { return answer(caller, tooManyUnsent) }
    responses.count(caller.route, caller.method, status: 200)
    let loops = group.transports.map(\.loop)
    guard let index = loops.firstIndex(where: { $0 === caller.loop }) else { return }
    response.headers += caller.headers
    response.vary(by: "Accept-Encoding")
    if caller.acceptsGzip { response.headers.append(("Content-Encoding", "gzip")) }
    if caller.acceptsChunks { response.headers.append(("Transfer-Encoding", "chunked")) }
    let download = Download(caller, home: self, rest)
    group.post(to: index) { [headers = response.headers] transport in
      guard transport.loop.startStream(download.id, headers: headers) else { return }
      if download.id.isHead { return transport.loop.streamEnd(download.id) }
      transport.downloads[download.id] = download
    }
    encode(first.bytes, isLast: false, download, memory, for: index)
  }

  /// Reserves the memory of a part until it is written; `nil` if there is none.
  private func reserve(_ part: BodyPart) -> PartMemory? {
    guard let unsent = loop.configuration.unsent else { return PartMemory(reservation: nil) }
    return unsent.reserve(part.bytes.count).map { PartMemory(reservation: $0) }
  }

  /// Requests the next part. Must be called on the loop of the connection.
  func requestNextPart(_ download: Download) {
    let writer = index
    group.post(to: download.home.index) { home in
      guard let rest = download.rest else { return }
      rest { part in
        download.rest = part?.rest
        let memory = part.flatMap(home.reserve)
        let bytes = memory == nil ? nil : part?.bytes
        home.encode(bytes, isLast: part?.rest == nil, download, memory, for: writer)
      }
    }
  }

  /// Encodes a part on another thread, then writes it on the loop with the index `writer`.
  ///
  /// - Parameter bytes: `nil` if the body cannot be completed.
  private func encode(
    _ bytes: [UInt8]?, isLast: Bool, _ download: Download, _ memory: PartMemory?, for writer: Int
  ) {
    let group = self.group
    HubTransport.compressingLong.async {
      let encoded = bytes.flatMap { download.encode($0, isLast: isLast) }
      group.post(to: writer) { transport in
        // The loop counts what the kernel does not take.
        memory?.reservation?.shrink(to: 0)
        transport.write(encoded, isLast: isLast, download)
      }
    }
  }

  private func write(_ bytes: [UInt8]?, isLast: Bool, _ download: Download) {
    guard downloads[download.id] === download else { return }
    var outcome = PickerHub.SendOutcome.sent
    if let bytes, !bytes.isEmpty {
      outcome = bytes.withUnsafeBytes { loop.streamWrite(download.id, $0) }
    }
    if bytes == nil || isLast || outcome == .gone {
      downloads[download.id] = nil
      if outcome != .gone { loop.streamEnd(download.id) }
    } else if outcome == .sent {
      requestNextPart(download)
    }
  }
}

/// The memory of a part that is being encoded.
private struct PartMemory: Sendable {
  /// `nil` if it is not counted.
  let reservation: UnsentReservation?
}

/// The interval of comments that keep idle streams alive.
private let keepAliveMilliseconds: Int64 = 15_000

/// Streams of server-sent events. To the hub they are connections that never send a message.
extension HubTransport {
  struct EventStream {
    let request: RequestID
    let epochMark: String
    /// When the server ends the stream, by ``HubTime/machine``; `nil` if it has no time limit.
    let endsAt: Int64?
    /// Whether the key that opened the stream is still valid; `nil` if no key did.
    let isAdmitted: (() -> Bool)?
    var isFull = false
  }

  /// The last frame, encoded as an event. Streams that receive the same frame share the encoding.
  struct EncodedEvent {
    let frame: Frame
    let bytes: [UInt8]
  }

  package static let eventHeaders: [(name: String, value: String)] = [
    ("Content-Type", "text/event-stream"), ("Cache-Control", "no-store"),
    // Otherwise nginx would buffer the stream.
    ("X-Accel-Buffering", "no"),
  ]

  /// Answers a request with a stream of events.
  ///
  /// - Parameters:
  ///   - session: The session and the head of the request, for the log.
  ///   - lifetime: Milliseconds after which the server ends the stream, if any.
  ///   - isAdmitted: Checked before each event and each comment; if it is false, the stream ends.
  /// - Returns: The id under which the hub addresses the stream; `nil` if the request has ended, or
  ///   was answered with 429.
  package func openEvents(
    _ caller: Caller, of session: (id: SessionID, head: RequestHead), epoch: String,
    lifetime: Int64? = nil, isAdmitted: (() -> Bool)? = nil
  ) -> ConnectionID? {
    // `loop(forOpening:isWebSocket:)` has moved the connection to this loop before.
    let id = caller.id
    let headers = HubTransport.eventHeaders + caller.headers
    guard caller.loop === loop else { return nil }
    if let client = client(session.head), !loop.count(id, of: client) {
      answer(caller, SocketLoop.tooManyOfAddress)
      return nil
    }
    guard loop.startStream(id, headers: headers) else { return nil }
    responses.count(caller.route, caller.method, status: 200)
    let connection = ConnectionID(raw: id.raw)
    connectionLog(connection, .opened(session.id, head: session.head, isStream: true))
    streams[connection] = EventStream(
      request: id, epochMark: ServerSentEvent.epochMark(of: epoch),
      endsAt: lifetime.map { now.machine + $0 }, isAdmitted: isAdmitted)
    let due = now.machine + min(keepAliveMilliseconds, lifetime ?? .max)
    keepAliveDue = min(keepAliveDue ?? .max, due)
    return connection
  }

  func sendEvent(_ frame: Frame, to connection: ConnectionID) -> PickerHub.SendOutcome {
    guard let stream = streams[connection] else { return .gone }
    guard stream.isAdmitted?() ?? true else {
      closeEvents(connection, last: nil)
      return .gone
    }
    if lastEvent?.frame !== frame {
      let bytes = ServerSentEvent.bytes(frame, epochMark: stream.epochMark)
      lastEvent = EncodedEvent(frame: frame, bytes: bytes)
    }
    return write(lastEvent?.bytes ?? [], to: connection, stream)
  }

  private func write(
    _ bytes: [UInt8], to connection: ConnectionID, _ stream: EventStream
  ) -> PickerHub.SendOutcome {
    switch bytes.withUnsafeBytes({ loop.streamWrite(stream.request, $0) }) {
    case .sent: return .sent
    case .writeBlocked:
      streams[connection]?.isFull = true
      return .writeBlocked
    case .gone: return .gone
    }
  }

  /// Sends `last` as the final event and ends a stream.
  func closeEvents(_ connection: ConnectionID, last: Frame?) {
    if let last { _ = sendEvent(last, to: connection) }
    guard let stream = streams.removeValue(forKey: connection) else { return }
    loop.streamEnd(stream.request)
    // Safe: used in a later event-loop iteration on the same thread.
    nonisolated(unsafe) let transport = self
    loop.post { transport.closed(connection) }
  }

  package func streamWritable(_ id: RequestID) {
    if let download = downloads[id] { return requestNextPart(download) }
    let connection = ConnectionID(raw: id.raw)
    guard streams[connection] != nil else { return }
    streams[connection]?.isFull = false
    writable(connection)
  }

  package func streamClosed(_ id: RequestID) {
    if downloads.removeValue(forKey: id) != nil { return }
    let connection = ConnectionID(raw: id.raw)
    guard streams.removeValue(forKey: connection) != nil else { return }
    closed(connection)
  }

  /// When `keepAliveDue` has passed, ends the streams that have reached their time limit or whose
  /// key was revoked, and sends a comment on all others that are not write-blocked.
  func keepAlive() {
    let now = now.machine
    guard let due = keepAliveDue, due <= now else { return }
    for (connection, stream) in streams {
      let hasEnded = stream.endsAt.map { $0 <= now } ?? false
      if hasEnded || stream.isAdmitted?() == false { closeEvents(connection, last: nil) }
    }
    for (connection, stream) in streams where !stream.isFull {
      _ = write(ServerSentEvent.comment, to: connection, stream)
    }
    let nextEnd = streams.values.compactMap(\.endsAt).min() ?? .max
    keepAliveDue = streams.isEmpty ? nil : min(now + keepAliveMilliseconds, nextEnd)
  }
}

/// Large request bodies.
extension HubTransport {
  /// Counts a body that is needed after its request has been read towards `bodiesBytesMax`.
  ///
  /// - Parameter byteCount: Negative when the body is needed no more.
  package func countBody(_ byteCount: Int) {
    loop.bodies.add(byteCount)
  }

  /// Parses a request's body on another thread, then calls `then` on this one.
  ///
  /// Bodies of all loops are parsed one at a time. The body counts towards `bodiesBytesMax` until
  /// it is parsed, which bounds the queue.
  package func parseInBackground<Parsed: Sendable>(
    _ body: HTTPBody, _ parse: @escaping @Sendable ([UInt8]) -> Parsed,
    then: @escaping (Parsed) -> Void
  ) {
    // Safe: passed through the other thread, but only used on the loop's.
    nonisolated(unsafe) let then = then
    HubTransport.parsing.async { [loop] in
      let parsed = parse(body.bytes)
      loop.post { then(parsed) }
    }
  }
}

/// The hub's actions on its connections: WebSockets, which the loop serves, and event streams.
extension HubTransport {
  package func send(_ frame: Frame, to connection: ConnectionID) -> PickerHub.SendOutcome {
    if !streams.isEmpty, streams[connection] != nil { return sendEvent(frame, to: connection) }
    return loop.send(frame, to: connection)
  }

  package func post(
    _ frame: Frame, to connection: ConnectionID, isOneToMany: Bool
  ) -> PickerHub.SendOutcome {
    postedCount &+= 1
    postedBytes &+= frame.count
    if !streams.isEmpty, streams[connection] != nil { return sendEvent(frame, to: connection) }
    return loop.post(frame, to: connection, isOneToMany: isOneToMany)
  }

  package func post(
    _ message: UnsafeRawBufferPointer, _ kind: FrameKind, to connection: ConnectionID
  ) -> PickerHub.SendOutcome {
    postedCount &+= 1
    postedBytes &+= message.count
    if !streams.isEmpty, streams[connection] != nil {
      return sendEvent(Frame(message, kind), to: connection)
    }
    return loop.post(message, kind, to: connection)
  }

  package func post(
    _ frame: Frame, toAll connections: [ConnectionID], isOneToMany: Bool
  ) -> [Int] {
    if streams.isEmpty {
      postedCount &+= connections.count
      postedBytes &+= connections.count &* frame.count
      return loop.post(frame, toAll: connections, isOneToMany: isOneToMany)
    }
    return connections.indices.filter {
      post(frame, to: connections[$0], isOneToMany: isOneToMany) == .writeBlocked
    }
  }

  package func joined(_ connection: ConnectionID, as member: MemberID) {
    connectionLog(connection, .joined(member))
  }

  package func close(_ connection: ConnectionID, code: UInt16, reason: String, last: Frame?) {
    connectionLog(connection, .closing(code: code))
    if streams[connection] != nil { return closeEvents(connection, last: last) }
    loop.close(connection, code: code, reason: reason, last: last)
  }

  package func pause(_ connection: ConnectionID) { loop.pause(connection) }

  package func resume(_ connection: ConnectionID) { loop.resume(connection) }

  package func inBackground<Value: Sendable>(
    _ work: @escaping @Sendable () -> Value, then: @escaping (Value) -> Void
  ) {
    // Safe: passed through the other thread, but only used on the loop's.
    nonisolated(unsafe) let (then, transport) = (then, self)
    HubTransport.background.async { [loop] in
      let value = work()
      loop.post {
        transport.hub.seam.begin(at: transport.now)
        then(value)
      }
    }
  }

  package func delivered(commandOf arrival: Int64) { latencies.delivered(commandOf: arrival) }

  package func written() { latencies.written() }

  /// Covers deltas that were written without being posted, such as stream events. What is held is
  /// handled now, so that what arrives until the next iteration need not wait for it.
  package func wroteBatch(at nanoseconds: Int64) {
    latencies.wroteBatch(at: nanoseconds)
    guard handleHeld() else { return }
    loop.wake()
  }
}

/// What an address may cost in an event-loop iteration; see ``AddressShares``.
extension HubTransport {
  typealias Share = AddressShares<Received>.Share

  /// What was received of an address.
  enum Received {
    /// One of ``heldMessages``.
    case message(ConnectionID)
    /// What the loop has not read, of a TLS handshake or a request.
    case unread(ConnectionID)
    /// A request of another loop's connection, or of a trusted proxy's.
    case request(Caller, HTTPRequest)
  }

  private struct Reading {
    let connection: ConnectionID
    /// Where it counts. `nil` if its address has no share: that of a proxy's client is known when
    /// the head was read.
    var share: Share?
  }

  package func holds(_ connection: ConnectionID) -> Bool { heldMessages[connection] != nil }

  package func waits(_ connection: ConnectionID, listenerCount: Int) -> (() -> Void)? {
    guard let address = loop.network(of: connection) else { return nil }
    return shares.wait(shares[address], listenerCount: listenerCount)
  }

  package var heldMessageCount: Int { heldMessages.count }

  package func received(_ connection: ConnectionID, _ message: UnsafeRawBufferPointer) {
    let text = Span<UInt8>(_unsafeElements: message.assumingMemoryBound(to: UInt8.self))
    let share = loop.network(of: connection).map { shares[$0] }
    if let share, share.mustHold, !hub.isDraining {
      return hold(Array(message), connection, share)
    }
    receive(text, connection, share)
  }

  private func receive(_ text: Span<UInt8>, _ connection: ConnectionID, _ share: Share?) {
    let (now, postedBefore, bytesBefore) = (now, postedCount, postedBytes)
    hub.received(connection, text, at: now)
    let nanoseconds = latencies.processed(messageOf: now.machineNanoseconds)
    share?.add(
      nanoseconds + AddressShares<Received>.nanosecondsEach,
      deliveryCount: postedCount &- postedBefore, byteCount: postedBytes &- bytesBefore)
  }

  /// Holds a message, and reads nothing more from its connection.
  private func hold(_ text: [UInt8], _ connection: ConnectionID, _ share: Share) {
    guard !holds(connection), shares.hold(.message(connection), of: share) else {
      return loop.drop(connection)
    }
    heldMessages[connection] = text
    loop.pause(connection)
  }

  package func readable(_ connection: ConnectionID, on loop: SocketLoop) -> Bool {
    let share = loop.network(of: connection).map { shares[$0] }
    if let share, share.mustHold, !hub.isDraining {
      if shares.hold(.unread(connection), of: share) { return false }
      loop.drop(connection)
    } else {
      read(connection, share)
    }
    return true
  }

  private func read(_ connection: ConnectionID, _ share: Share?) {
    let (begin, postedBefore) = (machine_monotonic_ns(), postedCount)
    reading = Reading(connection: connection, share: share)
    loop.read(connection)
    let nanoseconds = machine_monotonic_ns() - begin
    reading.take()?.share?.add(nanoseconds, deliveryCount: postedCount &- postedBefore)
  }

  /// The share of the client of a request; `nil` if it has none, or if what is being read counts in
  /// it already.
  private func shareToAsk(_ head: RequestHead) -> Share? {
    guard reading?.share == nil, let address = client(head) else { return nil }
    reading?.share = shares[address]
    return shares[address]
  }

  private var tooManyPending: HTTPResponse {
    var refusal = problem(429, "tooMany", "too many requests of this address are pending")
    refusal.headers.append(("Retry-After", "1"))
    return refusal
  }

  /// Holds an upgrade that a proxy has sent, or refuses it; `nil` if it need not wait.
  private func hold(_ upgrade: UpgradeRequest) -> UpgradeAnswer? {
    guard let connection = reading?.connection, let share = shareToAsk(upgrade.head),
      share.mustHold, !hub.isDraining
    else { return nil }
    return shares.hold(.unread(connection), of: share) ? .hold : .refuse(tooManyPending)
  }

  /// Passes a request to the routes, or holds it.
  private func serve(_ caller: Caller, _ request: HTTPRequest) {
    guard let share = shareToAsk(request.head) else { return routes(caller, request) }
    guard share.mustHold, !hub.isDraining else {
      return reading == nil ? serve(caller, request, share) : routes(caller, request)
    }
    if !shares.hold(.request(caller, request), of: share) { answer(caller, tooManyPending) }
  }

  private func serve(_ caller: Caller, _ request: HTTPRequest, _ share: Share) {
    let (postedBefore, bytesBefore) = (postedCount, postedBytes)
    let begin = machine_monotonic_ns()
    routes(caller, request)
    let nanoseconds = machine_monotonic_ns() - begin
    share.add(
      nanoseconds + AddressShares<Received>.nanosecondsEach,
      deliveryCount: postedCount &- postedBefore, byteCount: postedBytes &- bytesBefore)
  }

  /// Begins an iteration with what is held; while the server shuts down, with all of it.
  ///
  /// - Returns: Whether anything was handled.
  private func handleHeld() -> Bool {
    shares.beginIteration(all: hub.isDraining) { received, share in
      switch received {
      case .message(let connection):
        guard let text = heldMessages.removeValue(forKey: connection) else { return }
        loop.resume(connection)
        receive(text.span, connection, share)
      case .unread(let connection): read(connection, share)
      case .request(let caller, let request): serve(caller, request, share)
      }
    }
  }

  /// Stops reading from all connections, and handles all that they have sent, so that received
  /// commands can be stored and answered before the hub's `drain(isPatient:at:)`.
  package func finishCommands() {
    hub.finishCommands()
    _ = handleHeld()
  }
}

/// Routes requests to the loop that answers them, and responses back to the loop of the connection.
extension HubTransport {
  package func session(ofConnection received: UnsafeRawBufferPointer) -> FirstRequest {
    switch RequestLoop(guessedFrom: received, below: loop.configuration.pathPrefix) {
    case .session(let id): .session(id)
    case nil, .roundRobin, .first, .receiving: .other
    }
  }

  package func loop(for first: FirstRequest) -> SocketLoop? {
    if case .session(let id) = first {
      return other(HubShard.index(of: id, among: group.transports.count))
    }
    lastConnectionLoop = (lastConnectionLoop + 1) % group.transports.count
    return other(lastConnectionLoop)
  }

  private func other(_ index: Int) -> SocketLoop? {
    index == self.index ? nil : group.transports[index].loop
  }

  package func refusal(of request: HTTPRequest, bodyByteCount: Int) -> HTTPResponse? {
    bodyRefusal(request, bodyByteCount)
  }

  package func respond(to id: RequestID, _ request: HTTPRequest) {
    var caller = Caller(loop: loop, id: id, request.method)
    caller.acceptsGzip = AcceptEncoding.acceptsGzip(request.head.headers[.acceptEncoding])
    caller.acceptsChunks = request.head.acceptsChunks
    let target: RequestLoop =
      switch request.head.audience {
      case .clients, .backend, .operators: RequestLoop(method: request.method, request.head.target)
      case .redirected: .receiving
      }
    let index = group.index(of: target, receivedBy: self)
    if index == self.index {
      return serve(caller, request)
    }
    if !group.post(to: index, { [caller] in $0.serve(caller, request) }) {
      answer(caller, problem(503, "unavailable", "the server is shutting down"))
    }
  }

  /// Answers a request on the loop of its connection. Compresses the body if the client accepts it,
  /// long bodies on another thread.
  package func answer(_ caller: Caller, _ response: HTTPResponse) {
    guard let unsent = loop.configuration.unsent else { return answer(caller, response, nil) }
    guard let reservation = unsent.reserve(caller.id.isHead ? 0 : response.body.count) else {
      return answer(caller, withoutMemory(response), nil)
    }
    answer(caller, response, reservation)
  }

  /// The response in place of one for which there is no memory.
  private func withoutMemory(_ response: HTTPResponse) -> HTTPResponse {
    guard let body = response.shortBody else { return tooManyUnsent }
    var short = response
    short.body = body
    return short
  }

  /// The problem of a request whose response has no memory, if it has changed nothing.
  var tooManyUnsent: HTTPResponse {
    var response = problem(
      503, "full",
      "clients that read slowly use the memory for responses, the limit bufferBytes; retry later")
    response.headers.append(("Retry-After", "5"))
    return response
  }

  private func answer(
    _ caller: Caller, _ response: HTTPResponse, _ reservation: UnsentReservation?
  ) {
    responses.count(caller.route, caller.method, status: response.status)
    var response = response
    response.headers += caller.headers
    guard response.isNegotiated else { return send(caller, response, reservation) }
    response.vary(by: "Accept-Encoding")
    guard caller.acceptsGzip else { return send(caller, response, reservation) }
    response.weakenTag()
    guard response.body.count > HTTPResponse.compressedBytesOnLoop else {
      return send(caller, response.compressed(), reservation)
    }
    let isLong = response.body.count > HTTPResponse.longBytesMin
    let queue = isLong ? HubTransport.compressingLong : HubTransport.compressing
    let refusal = refusal(caller, response, reservation)
    queue.async { [response] in
      let compressed = response.compressed()
      reservation?.shrink(to: compressed.body.count)
      caller.loop.post { HubTransport.write(caller, compressed, reservation, refusal) }
    }
  }

  private func send(
    _ caller: Caller, _ response: HTTPResponse, _ reservation: UnsentReservation?
  ) {
    let refusal = refusal(caller, response, reservation)
    if caller.loop === loop {
      HubTransport.write(caller, response, reservation, refusal)
    } else {
      caller.loop.post { [response] in
        HubTransport.write(caller, response, reservation, refusal)
      }
    }
  }

  /// The response in place of one that exceeds the share of the client's network.
  private func refusal(
    _ caller: Caller, _ response: HTTPResponse, _ reservation: UnsentReservation?
  ) -> HTTPResponse? {
    guard let reservation, reservation.isCounted else { return nil }
    // It has the caller's headers already.
    if response.shortBody != nil { return withoutMemory(response) }
    var refusal = tooManyUnsent
    refusal.headers += caller.headers
    return refusal
  }

  /// Writes a response on the loop of its connection.
  private static func write(
    _ caller: Caller, _ response: HTTPResponse, _ reservation: UnsentReservation?,
    _ refusal: HTTPResponse?
  ) {
    if !caller.loop.answer(caller.id, response, reservation), let refusal {
      caller.loop.answer(caller.id, refusal)
    }
  }
}

/// The events of WebSockets, passed to the hub.
extension HubTransport {
  package static let subprotocol = "pickerd.v1"

  package func admit(_ request: UpgradeRequest) -> UpgradeAnswer {
    let answer = answer(request)
    switch answer {
    case .accept: responses.count("websocket", .get, status: 101)
    case .hold: break
    case .refuse(let refusal): responses.count("websocket", .get, status: refusal.status)
    }
    return answer
  }

  private func answer(_ request: UpgradeRequest) -> UpgradeAnswer {
    if let pending = hold(request) { return pending }
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
      connection, session: session, bearer: HubTransport.bearer(request.authorization), at: now)
    if looksUp { hub.whenAbsent(session) { [noSession] in noSession(request.head) } }
  }

  package func writeBlocked(_ connection: ConnectionID) { hub.writeBlocked(connection) }

  package func writable(_ connection: ConnectionID) {
    hub.writable(connection, at: now)
  }

  package func closed(_ connection: ConnectionID) {
    connectionLog(connection, .closed)
    // What a member has sent before, such as `leave`, is handled.
    if let text = heldMessages.removeValue(forKey: connection) {
      hub.received(connection, text.span, at: now)
    }
    hub.closed(connection, at: now)
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
