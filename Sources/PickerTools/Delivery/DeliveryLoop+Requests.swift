import WebSocketTransport

/// The requests to the server and to the endpoints.
extension DeliveryLoop {
  /// Sends a request to the server; its response goes to ``handle(_:_:_:)``.
  func ask(
    _ method: String, _ path: String, _ purpose: Purpose, _ index: Int, body: String? = nil
  ) {
    requestCount += 1
    requests[requestCount] = (index, purpose)
    let request = HTTPExchange.Request(
      id: requestCount, method: method, url: feed.url + path,
      headers: feed.headers + ["Content-Type: application/json"],
      body: body.map { Array($0.utf8) }, responseMax: 4_194_304, milliseconds: 40_000,
      allowsHTTP: true, isChecked: false)
    if !exchange.start(request) { fatalError("\(feed.url) is not a URL") }
  }

  /// Posts an event to an endpoint.
  func send(_ attempt: DeliveryAttempt, _ index: Int) {
    let endpoint = endpoints[index].settings
    let body = EndpointState.body(attempt)
    let timestamp = SocketLoop.wallMilliseconds() / 1000
    let signatures = endpoint.secrets.compactMap {
      $0.signature(id: attempt.event.id, timestamp: timestamp, body: body)
    }
    requestCount += 1
    requests[requestCount] = (
      index, .deliver(position: attempt.event.position, attempt: attempt.number)
    )
    let isStarted = exchange.start(
      HTTPExchange.Request(
        id: requestCount, method: "POST", url: endpoint.url,
        headers: [
          "Content-Type: application/json", "User-Agent: pickerd",
          "webhook-id: \(attempt.event.id)", "webhook-timestamp: \(timestamp)",
          "webhook-signature: \(signatures.joined(separator: " "))",
        ], body: body, allowsHTTP: allowsHTTP))
    guard !isStarted else { return }
    requests[requestCount] = nil
    delivered(attempt.event.position, attempt.number, .none("the URL cannot be used"), index)
  }
}
