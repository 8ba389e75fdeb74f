import CMachine
import CWebSocketLoop
import Glibc
package import PickerHub
package import PickerSession
package import PickerWire
import Synchronization

/// A WebSocket and HTTP/1.1 server on one thread, built on libwebsockets.
///
/// The loop implements RFC 6455: it assembles messages, validates UTF-8, sends pings, and closes
/// connections that violate the RFC or a limit. The handler receives complete messages and the end
/// of each connection. Everything but ``post(_:)``, ``wake()`` and the static functions must be
/// called on the thread that calls ``run()``.
///
/// `@unchecked Sendable` because of these two only, whose state the mailbox's mutex protects.
package final class SocketLoop: @unchecked Sendable {
  /// Receives the loop's events. Must be set before ``run()``, which releases it when it returns.
  package var handler: (any SocketLoopHandler)?

  let configuration: SocketLoopConfiguration
  var loop: OpaquePointer?
  var admitted: UpgradeRequest?
  /// Who serves the connection whose head was received last, if this loop does not.
  var place: Place?
  /// Connections whose owner is looked up, by the number of the lookup.
  var lookups: [Int: OwnerLookup] = [:]
  var lookupCount = 0
  /// When those whose lookup takes too long are refused next.
  var lateDue: Int64 = 0
  private(set) var isDraining = false
  private(set) var listeners: [Listener] = []
  var operatorCount = 0
  /// Is closed to accept a connection when the process is out of descriptors.
  var spareDescriptor = open("/dev/null", O_RDONLY | O_CLOEXEC)
  var counted = SocketLoopCounters.Own()
  let counts: ConnectionCount
  let bodies: BodyBytes
  let unsent: UnsentBytes
  /// The connection limit in effect, which RLIMIT_NOFILE may have reduced.
  package let connectionsMax: Int
  /// The ``TLSCertificate/expirySeconds`` of the certificate in force; `nil` without one.
  package internal(set) var certificateExpirySeconds: Int64?
  private var log = TransportLog()
  /// The busy time of event-loop iterations.
  package internal(set) var iterationSeconds = Histogram.seconds
  private let mailbox = Mutex(Mailbox())
  /// What runs when this iteration ends.
  private var endWork: [() -> Void] = []

  private struct Mailbox {
    var work: [@Sendable () -> Void] = []
    var isOpen = true
  }

  /// - Throws: ``SocketLoopProblem`` if libwebsockets or its libuv plugin cannot be started.
  package init(_ configuration: SocketLoopConfiguration) throws(SocketLoopProblem) {
    self.configuration = configuration
    let descriptorsEach = configuration.hasTLS ? 3 : configuration.owners != nil ? 2 : 1
    let fitted = DescriptorLimit.fit(configuration.connectionsMax, each: descriptorsEach)
    connectionsMax = fitted.connections
    counts =
      configuration.connections
      ?? ConnectionCount(
        connectionsMax: fitted.connections,
        addressConnectionsMax: configuration.addressConnectionsMax,
        hasBackendListener: configuration.hasBackendListener)
    counts.limit(to: fitted.connections)
    bodies = configuration.bodies ?? BodyBytes()
    unsent = configuration.unsent ?? UnsentBytes(byteCountMax: .max)
    if let warning = fitted.warning { configuration.log(true, warning) }
    var limits = wsl_limits(configuration, connectionsMax: connectionsMax)
    var handlers = SocketLoop.handlers
    let names = configuration.subprotocols.map { Array($0.utf8CString) }
    let problem = ProblemBuffer()
    // C expects an array of pointers; the copies must live until wsl_create() returns.
    let pointers = names.map { name in
      let copy = UnsafeMutableBufferPointer<CChar>.allocate(capacity: name.count)
      _ = copy.initialize(from: name)
      return copy
    }
    defer { for pointer in pointers { pointer.deallocate() } }
    loop = wsl_create(
      &limits, pointers.map { UnsafePointer($0.baseAddress) }, names.count, &handlers,
      Unmanaged.passUnretained(self).toOpaque(), problem.text, ProblemBuffer.capacity)
    if loop == nil { throw problem.thrown() }
  }

  deinit {
    guard let loop else { return }
    wsl_destroy(loop)
    Glibc.close(spareDescriptor)
  }

  /// Listens on exactly one numeric IPv4 or IPv6 address, at most 16 times per loop.
  ///
  /// - Parameter port: 0 selects any free port.
  /// - Returns: The actual port.
  /// - Throws: ``SocketLoopProblem``. The loop is then unchanged.
  package func listen(
    host: String, port: UInt16, _ listening: Listening = Listening()
  ) throws(SocketLoopProblem) -> UInt16 {
    let (descriptor, bound) = try ListeningSocket.open(host: host, port: port)
    try listen(on: descriptor, listening)
    return bound
  }

  /// Accepts connections from a listening socket that the caller has opened. Counts as a call of
  /// ``listen(host:port:_:)``.
  ///
  /// - Parameter descriptor: A TCP or Unix socket. The loop owns it, also after an error.
  package func listen(on descriptor: CInt, _ listening: Listening) throws(SocketLoopProblem) {
    listeners.append(Listener(descriptor: descriptor, listening: listening))
    guard wsl_listen(loop, descriptor, listening.isInherited) else {
      throw SocketLoopProblem(description: "there are too many listeners")
    }
  }

  /// Runs the event loop until ``stop()`` or the end of a ``drain(withinMilliseconds:)``. Then ends
  /// all remaining connections, calls `closed` for each, and frees all resources. May be called
  /// once per loop.
  package func run() {
    wsl_run(loop)
    mailbox.withLock { mailbox in
      mailbox.isOpen = false
      mailbox.work = []
    }
    for lookup in lookups.values { discard(lookup.connection) }
    lookups = [:]
    wsl_destroy(loop)
    Glibc.close(spareDescriptor)
    loop = nil
    handler = nil
  }

  /// Closes the listening sockets, and HTTP connections as soon as their requests are answered.
  /// WebSockets and streams continue.
  package func stopListening() { wsl_stop_listening(loop) }

  /// Stops listening, and stops the loop when the last connection has ended, or after the given
  /// time at the latest. The handler must close the WebSockets (1001).
  package func drain(withinMilliseconds: Int) {
    isDraining = true
    refuseLate(until: .max)
    wsl_drain(loop, UInt32(clamping: withinMilliseconds))
  }

  /// Makes ``run()`` return after the current event-loop iteration.
  package func stop() { wsl_stop(loop) }

  /// Makes the next event-loop iteration begin without waiting for events. Safe on any thread; has
  /// no effect once the loop has ended.
  package func wake() {
    mailbox.withLock { mailbox in
      if mailbox.isOpen { wsl_wake(loop) }
    }
  }

  /// Schedules `work` on the loop's thread. Safe on any thread; work runs in the order of posting.
  ///
  /// - Returns: False if the loop has ended; `work` is then dropped.
  @discardableResult
  package func post(_ work: @escaping @Sendable () -> Void) -> Bool {
    mailbox.withLock { mailbox in
      guard mailbox.isOpen else { return false }
      mailbox.work.append(work)
      if mailbox.work.count == 1 { wsl_wake(loop) }
      return true
    }
  }

  /// Runs `work` when the calling thread's loop ends its iteration; at once on a thread that runs
  /// none.
  package static func afterIteration(_ work: @escaping @Sendable () -> Void) {
    if let owner = wsl_running() { of(owner).endWork.append(work) } else { work() }
  }

  private func runEndWork() {
    for work in endWork { work() }
    if !endWork.isEmpty { endWork.removeAll(keepingCapacity: true) }
  }

  func drainMailbox() {
    let work = mailbox.withLock { mailbox in
      defer { mailbox.work = [] }
      return mailbox.work
    }
    for piece in work { piece() }
  }

  /// Sets the loop's only timer to a time of `machine_monotonic_ms()`, replacing the previous one;
  /// `nil` clears it.
  package func setTimer(atMonotonicMilliseconds time: Int64?) { wsl_timer(loop, time ?? -1) }

  package var counters: SocketLoopCounters {
    counted.logLinesDropped = log.droppedCount
    return SocketLoopCounters(wsl_count(loop), adding: counted)
  }

  /// The bytes of all large request bodies in memory, of all loops that share the count.
  package var bodyBytes: Int { bodies.byteCount }

  /// The bytes of responses and messages that clients have not read; see ``UnsentBytes``.
  package var unsentBytes: Int { unsent.byteCount }

  /// Logs a line that may have any bytes.
  func log(_ isError: Bool, _ line: UnsafePointer<CChar>) {
    let now = machine_monotonic_ms()
    if let line = log.line(line, atMilliseconds: now) { configuration.log(isError, line) }
  }
}

/// The C callbacks: each one finds its loop, copies borrowed memory into Swift values (except for
/// messages), and calls the handler.
extension SocketLoop {
  static let handlers = wsl_handlers(
    acceptable: { owner, listener in SocketLoop.of(owner).accept(listener) },
    readable: { owner, id in
      let loop = SocketLoop.of(owner)
      return loop.handler?.readable(ConnectionID(raw: id), on: loop) ?? false
    },
    proxied: { owner, connection, bytes, count in
      let bytes = UnsafeRawBufferPointer(start: bytes, count: min(count, ProxyHeader.storedCount))
      return SocketLoop.of(owner).proxied(&connection!.pointee, bytes, count: count)
    },
    uncount: { owner, audience, network in SocketLoop.of(owner).uncount(audience, network) },
    recount: { owner, from, to in SocketLoop.of(owner).counts.move(from: from, to: to) },
    counts_none: { owner in SocketLoop.of(owner).counts.isEmpty },
    reserve: { owner, purpose, network, count, reserved, whole in
      SocketLoop.of(owner).reserve(count, purpose, network, reserved: reserved, whole: whole)
    },
    release: { owner, purpose, network, count in
      SocketLoop.of(owner).release(count, purpose, network)
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
      SocketLoop.use(owner) { loop in
        loop.handler?.received(
          ConnectionID(raw: id), UnsafeRawBufferPointer(start: bytes, count: count))
      }
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
    written: { owner in SocketLoop.use(owner) { $0.handler?.written() } },
    iterated: { owner, now, nanoseconds, isWritten in
      SocketLoop.use(owner) {
        $0.iterated(at: Int64(now), nanoseconds: nanoseconds, isWritten: isWritten)
      }
    },
    log: { owner, isError, line in SocketLoop.of(owner).log(isError, line!) })

  private func iterated(at now: Int64, nanoseconds: UInt64, isWritten: Bool) {
    iterationSeconds.record(Double(nanoseconds) / 1_000_000_000)
    if !lookups.isEmpty { refuseLateSoon() }
    if isWritten { handler?.wroteBatch(at: now) }
    runEndWork()
    handler?.iterationEnded(at: now)
  }

  /// Calls `body` with the loop of a C callback, which lives as long as it runs: for what happens
  /// with each message, without counting a reference.
  @inline(__always)
  private static func use(
    _ owner: UnsafeMutableRawPointer?, _ body: (SocketLoop) -> Void
  ) {
    Unmanaged<SocketLoop>.fromOpaque(owner!)._withUnsafeGuaranteedRef(body)
  }

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
    case .hold:
      return WSL_HELD
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

  /// Reserves memory for a connection of a network, of which one network may use a quarter, or that
  /// of one body.
  func reserve(
    _ byteCount: Int, _ purpose: wsl_memory, _ network: UInt64, reserved: Int, whole: Int
  ) -> Bool {
    guard purpose == WSL_BODIES else {
      guard unsent.grow(by: byteCount, reserved: reserved) else { return false }
      if reserveUnsent(byteCount, network, reserved: reserved) { return true }
      unsent.release(byteCount)
      return false
    }
    let most = configuration.bodiesBytesMax
    guard bodies.reserve(byteCount, whole: whole, most: most) else { return false }
    let share = max(most / 4, configuration.bodyBytesMax)
    if counts.reserve(byteCount, of: .bodies, network, reserved: reserved, most: share) {
      return true
    }
    bodies.release(byteCount)
    return false
  }

  /// Counts unsent bytes for a network, which are counted in total already.
  func reserveUnsent(_ byteCount: Int, _ network: UInt64, reserved: Int = 0) -> Bool {
    counts.reserve(
      byteCount, of: .unsent, network, reserved: reserved, most: unsent.byteCountMax / 4)
  }

  func release(_ byteCount: Int, _ purpose: wsl_memory, _ network: UInt64) {
    if purpose == WSL_BODIES {
      bodies.release(byteCount)
      counts.release(byteCount, of: .bodies, network)
    } else {
      unsent.release(byteCount)
      counts.release(byteCount, of: .unsent, network)
    }
  }
}

/// Gives connections to the loops of their sessions, and relays them to the nodes that own these.
extension SocketLoop {
  private static let lateMilliseconds: Int64 = 250
  private static let lookupMilliseconds: Int64 = 10_000

  /// Who serves a connection instead of this loop.
  enum Place {
    case loop(SocketLoop)
    /// The owner of a session, which is looked up on a loop.
    case owner(SessionID, SessionOwners, on: SocketLoop)
  }

  /// The response to a client that has too many connections through proxies.
  package static var tooManyOfAddress: HTTPResponse {
    var response = HTTPResponse.problem(
      429, "tooMany", "too many connections from this address")
    response.headers.append(("Retry-After", "5"))
    return response
  }

  /// Decides who serves a connection, a head of which was received: this loop, another one, or
  /// another node. A later request that is not for a session is served wherever its connection is.
  func isElsewhere(_ connection: wsl_connection) -> Bool {
    let owners = configuration.owners
    guard configuration.connections != nil || owners != nil, let handler else { return false }
    let first = handler.session(
      ofConnection: UnsafeRawBufferPointer(
        start: connection.head, count: Int(connection.head_count)))
    if connection.is_later, first == .other { return false }
    let other = handler.loop(for: first)
    // A relayed connection is not relayed again, and ends with its first response.
    if let owners, !connection.is_relayed, case .session(let id) = first, !owners.isHere(id) {
      place = .owner(id, owners, on: other ?? self)
    } else {
      place = other.map(Place.loop)
    }
    return place != nil
  }

  func move(_ connection: wsl_connection) {
    switch place.take() {
    case .loop(let other): give(connection, to: other)
    case .owner(let id, let owners, on: let other): other.find(id, owners, connection)
    case nil: break
    }
  }

  /// Asks for the owner of a session, then serves or relays its connection, or refuses it after
  /// 10 s. What its client sends stays in the kernel. Safe on any thread.
  private func find(_ session: SessionID, _ owners: SessionOwners, _ connection: wsl_connection) {
    // Safe: the connection has one owner at a time.
    nonisolated(unsafe) let connection = connection
    let isTaken = post {
      // A draining loop refuses it.
      if self.isDraining { return wsl_adopt(self.loop, connection) }
      guard self.lookups.count < self.configuration.lookupsMax else {
        self.counted.refusedFull += 1
        return wsl_refuse(self.loop, connection, "full", "too many connections")
      }
      self.lookupCount += 1
      let number = self.lookupCount
      let deadline = machine_monotonic_ms() + SocketLoop.lookupMilliseconds
      self.lookups[number] = OwnerLookup(connection: connection, deadline: deadline)
      owners.find(session) { owner in self.post { self.found(owner, number) } }
    }
    if !isTaken { discard(connection) }
  }

  private func found(_ owner: SessionOwner, _ number: Int) {
    guard let connection = lookups.removeValue(forKey: number)?.connection else { return }
    switch owner {
    case .here: wsl_adopt(loop, connection)
    case .node(let number, let address?):
      if let descriptor = ListeningSocket.connecting(to: address.host, port: address.port) {
        let header = ProxyHeader.bytes(for: connection)
        wsl_relay(loop, connection, number, descriptor, header, header.count)
      } else {
        refuse(connection)
      }
    case .node(_, nil), .unavailable: refuse(connection)
    }
  }

  /// Ends the connections that are relayed to nodes that have stopped: their clients then connect
  /// to the next owners.
  package func endRelays(to nodes: [Int64]) {
    for node in nodes { wsl_end_relays(loop, node) }
  }

  private func refuse(_ connection: wsl_connection) {
    counted.relaysFailed += 1
    wsl_refuse(
      loop, connection, "unavailable",
      "the server that has this session is not known, or cannot be reached; retry later")
  }

  /// Refuses those whose time is over, four times a second: there may be many.
  func refuseLateSoon() {
    let now = machine_monotonic_ms()
    guard now >= lateDue else { return }
    lateDue = now + SocketLoop.lateMilliseconds
    refuseLate(until: now)
  }

  /// Refuses the connections whose time for the lookup is over.
  func refuseLate(until now: Int64) {
    for (number, lookup) in lookups where lookup.deadline <= now {
      lookups[number] = nil
      refuse(lookup.connection)
    }
  }

  /// Passes a connection to another loop, which refuses it if it is draining.
  private func give(_ connection: wsl_connection, to other: SocketLoop) {
    // Safe: the connection has one owner at a time.
    nonisolated(unsafe) let connection = connection
    let isTaken = other.post { wsl_adopt(other.loop, connection) }
    if !isTaken { discard(connection) }
  }

  func discard(_ connection: wsl_connection) {
    counts.end(connection.network)
    wsl_discard(connection)
  }
}

/// A connection whose owner is looked up.
struct OwnerLookup {
  let connection: wsl_connection
  let deadline: Int64
}

/// Responses, complete or streamed.
extension SocketLoop {
  /// Answers a request. Has no effect if the request was already answered or has ended.
  package func answer(_ id: RequestID, _ response: HTTPResponse) {
    _ = answer(id, response, nil)
  }

  /// - Parameter reservation: The memory of the response until the client has read it.
  /// - Returns: False if the request has ended or was already answered, or if what the client's
  ///   network has not read uses its share of the memory.
  func answer(
    _ id: RequestID, _ response: HTTPResponse, _ reservation: UnsentReservation?
  ) -> Bool {
    let keepAlive = response.keepAlive && wsl_is_reusable(loop, id.raw)
    let head = response.head(length: response.body.count, keepAlive: keepAlive)
    let body = id.isHead || response.status == 204 || response.status == 304 ? [] : response.body
    let network = wsl_network_of(loop, id.raw)
    let byteCount = reservation?.take() ?? 0
    guard reserveUnsent(byteCount, network) else {
      unsent.release(byteCount)
      return false
    }
    let isSent = wsl_answer(
      loop, id.raw, head, head.count, body, body.count, keepAlive, byteCount)
    if !isSent { release(byteCount, WSL_UNSENT, network) }
    return isSent
  }

  /// Answers a request with 200 and `headers`. The body follows with ``streamWrite(_:_:)`` and ends
  /// with the connection.
  ///
  /// - Returns: False if the request was already answered or has ended.
  package func startStream(_ id: RequestID, headers: [(name: String, value: String)]) -> Bool {
    let head = HTTPResponse(status: 200, headers: headers).head(length: nil, keepAlive: false)
    return wsl_stream_start(loop, id.raw, head, head.count)
  }

  /// Counts a connection against the network of the client for which a proxy has opened it; see
  /// ``SocketLoopConfiguration/addressConnectionsMax``.
  ///
  /// - Returns: False if that network has too many connections.
  package func count(_ id: RequestID, of client: PeerNetwork) -> Bool {
    count(id.raw, client)
  }

  func count(_ id: wsl_id, _ client: PeerNetwork) -> Bool {
    if wsl_count_client(loop, id, client.raw) { return true }
    counted.refusedOfAddress += 1
    return false
  }

  /// Sends a part of a streamed body. After ``SendOutcome/writeBlocked`` the caller must wait for
  /// handler's `streamWritable`.
  package func streamWrite(_ id: RequestID, _ bytes: UnsafeRawBufferPointer) -> SendOutcome {
    SendOutcome(wsl_stream_write(loop, id.raw, bytes.baseAddress, bytes.count))
  }

  /// Ends a streamed response by closing the connection when everything has been written.
  package func streamEnd(_ id: RequestID) { wsl_stream_end(loop, id.raw) }
}

extension SocketLoop: HubPort {
  /// Sends a frame immediately as one text message. Its bytes must be valid UTF-8.
  ///
  /// The loop does not retain the frame; bytes that the kernel does not take are copied. Sending
  /// writes the frame header into the frame's headroom, so a frame must only be used by one loop at
  /// a time.
  package func send(_ frame: Frame, to connection: ConnectionID) -> SendOutcome {
    SendOutcome(wsl_send(loop, connection.raw, frame.base + Frame.headroom, frame.count))
  }

  /// Queues a frame like ``send(_:to:)``, but sends it together with the connection's other posted
  /// frames at the end of the event-loop iteration, or of one of the next 15 if it is one to many.
  package func post(
    _ frame: Frame, to connection: ConnectionID, isOneToMany: Bool
  ) -> SendOutcome {
    SendOutcome(
      wsl_post(loop, connection.raw, frame.base + Frame.headroom, frame.count, isOneToMany))
  }

  /// The same for a message without a frame, whose headroom is before it.
  package func post(
    _ message: UnsafeRawBufferPointer, _ kind: FrameKind, to connection: ConnectionID
  ) -> SendOutcome {
    let payload = UnsafeMutableRawPointer(mutating: message.baseAddress)
    return SendOutcome(wsl_post(loop, connection.raw, payload, message.count, false))
  }

  package func post(
    _ frame: Frame, toAll connections: [ConnectionID], isOneToMany: Bool
  ) -> [Int] {
    withUnsafeTemporaryAllocation(of: UInt32.self, capacity: connections.count) { blocked in
      let blockedCount = connections.withUnsafeBytes { ids in
        wsl_post_all(
          loop, ids.assumingMemoryBound(to: wsl_id.self).baseAddress, connections.count,
          frame.base + Frame.headroom, frame.count, isOneToMany, blocked.baseAddress)
      }
      return blocked.prefix(blockedCount).map(Int.init)
    }
  }

  /// Sends `last`, then a close frame with `code` and `reason`, and waits for the peer's close
  /// frame. The handler's `closed` is called after `closeMilliseconds` at the latest.
  ///
  /// - Parameter reason: Truncated to 123 bytes, never inside a character.
  package func close(_ connection: ConnectionID, code: UInt16, reason: String, last: Frame?) {
    if let last { _ = send(last, to: connection) }
    var text = reason
    while text.utf8.count > WSL_REASON_MAX { text.removeLast() }
    text.withUTF8 { bytes in
      bytes.withMemoryRebound(to: CChar.self) { bytes in
        wsl_close(loop, connection.raw, code, bytes.baseAddress, bytes.count)
      }
    }
  }

  /// Reads what a connection has received, see the handler's `readable`.
  package func read(_ connection: ConnectionID) { wsl_read(loop, connection.raw) }

  /// Ends a connection without a response or a close frame, as a lost network does; `closed` is
  /// called soon after.
  package func drop(_ connection: ConnectionID) { wsl_drop(loop, connection.raw) }

  /// Stops reading from a WebSocket: received data stays in the kernel's buffer until
  /// ``resume(_:)`` was called as often.
  package func pause(_ connection: ConnectionID) { wsl_pause(loop, connection.raw) }

  package func resume(_ connection: ConnectionID) { wsl_resume(loop, connection.raw) }

  /// The network that a connection counts against; `nil` if it is exempt from limits.
  func network(of connection: ConnectionID) -> PeerNetwork? {
    let network = wsl_network_of(loop, connection.raw)
    return network == WSL_EXEMPT_NETWORK ? nil : PeerNetwork(raw: network)
  }
}

extension SendOutcome {
  init(_ outcome: wsl_outcome) {
    switch outcome {
    case WSL_SENT: self = .sent
    case WSL_WRITE_BLOCKED: self = .writeBlocked
    default: self = .gone
    }
  }
}
