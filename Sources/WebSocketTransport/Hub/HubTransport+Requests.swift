import PickerHub

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
      serve(caller, request)
      return rearm()
    }
    if !group.post(to: index, { [caller] in $0.serve(caller, request) }) {
      answer(caller, problem(503, "unavailable", "the server is shutting down"))
    }
  }

  /// Passes a request to the routes, or holds it if its client has used up its share of the
  /// event-loop iteration.
  private func serve(_ caller: Caller, _ request: HTTPRequest) {
    guard let client = client(request.head), !hub.isDraining else {
      return routes(caller, request)
    }
    guard requests.mustHold(client) else { return serve(caller, request, of: client) }
    if requests.hold((caller, request), of: client) { return }
    var refusal = problem(429, "tooMany", "too many requests of this address are pending")
    refusal.headers.append(("Retry-After", "1"))
    answer(caller, refusal)
  }

  private func serve(_ caller: Caller, _ request: HTTPRequest, of client: PeerNetwork) {
    let begin = SocketLoop.monotonicNanoseconds()
    routes(caller, request)
    requests.add(SocketLoop.monotonicNanoseconds() - begin, to: client)
  }

  /// An iteration has ended: serves held requests.
  ///
  /// - Returns: Whether there were any.
  func serveHeld() -> Bool {
    requests.endIteration()
    guard requests.areHeld else { return false }
    while let (client, (caller, request)) = requests.next() {
      serve(caller, request, of: client)
    }
    return true
  }

  /// Answers a request on the loop of its connection. Compresses the body if the client accepts it,
  /// long bodies on another thread.
  package func answer(_ caller: Caller, _ response: HTTPResponse) {
    guard let unsent = loop.configuration.unsent else { return answer(caller, response, nil) }
    guard let reservation = unsent.reserve(caller.id.isHead ? 0 : response.body.count) else {
      return answer(caller, tooManyUnsent, nil)
    }
    answer(caller, response, reservation)
  }

  /// The response in place of one for which there is no memory.
  var tooManyUnsent: HTTPResponse {
    var response = problem(
      503, "full", "the memory for responses is in use, by clients that read slowly; retry later")
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
    let refusal = refusal(caller, reservation)
    queue.async { [response] in
      let compressed = response.compressed()
      reservation?.shrink(to: compressed.body.count)
      caller.loop.post { HubTransport.write(caller, compressed, reservation, refusal) }
    }
  }

  private func send(
    _ caller: Caller, _ response: HTTPResponse, _ reservation: UnsentReservation?
  ) {
    let refusal = refusal(caller, reservation)
    if caller.loop === loop {
      HubTransport.write(caller, response, reservation, refusal)
    } else {
      caller.loop.post { [response] in
        HubTransport.write(caller, response, reservation, refusal)
      }
    }
  }

  /// The response in place of one that exceeds the share of the client's network.
  private func refusal(_ caller: Caller, _ reservation: UnsentReservation?) -> HTTPResponse? {
    guard let reservation, reservation.isCounted else { return nil }
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
