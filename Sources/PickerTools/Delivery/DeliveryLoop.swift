import WebSocketTransport

/// `pickerd deliver`: reads the feed and posts its events, on one thread.
final class DeliveryLoop {
  /// What a request is for.
  enum Purpose {
    case readCursor, readStop, storeCursor(Int), storeStop, readFeed
    case deliver(position: Int, attempt: Int)
  }

  let feed: DeliveryFeed
  let allowsHTTP: Bool
  let exchange: HTTPExchange
  let log: (String) -> Void
  var endpoints: [EndpointState]
  /// The requests that have not been answered, by their ids.
  var requests: [UInt64: (endpoint: Int, purpose: Purpose)] = [:]
  var requestCount: UInt64 = 0

  /// - Parameters:
  ///   - feed: The URL of the server's feed, with or without `/v1/feed`.
  ///   - replay: Delivers only this part of the feed, again, and ends.
  /// - Throws: ``DeliveryProblem`` if libcurl cannot be loaded.
  init(
    _ settings: DeliverySettings, feed: String, policy: AddressPolicy, allowsHTTP: Bool,
    replay: ClosedRange<Int>?, log: @escaping (String) -> Void
  ) throws(DeliveryProblem) {
    self.feed = DeliveryFeed(feed, key: settings.key)
    self.allowsHTTP = allowsHTTP
    exchange = try HTTPExchange(policy)
    self.log = log
    endpoints = settings.endpoints.map { EndpointState($0, replay: replay) }
  }

  /// Delivers until the process is ended, or a replay is done.
  ///
  /// - Returns: Whether every event of the replay was delivered.
  func run() -> Bool {
    while !endpoints.allSatisfy(\.isDone) {
      let now = SocketLoop.monotonicMilliseconds()
      for index in endpoints.indices { advance(index, at: now) }
      for response in exchange.responses(within: wait(at: now)) {
        guard let (index, purpose) = requests.removeValue(forKey: response.id) else { continue }
        handle(response, purpose, index)
      }
    }
    return endpoints.allSatisfy { $0.delivery?.stop == nil && !$0.hasMissed }
  }

  private func wait(at now: Int64) -> Int {
    var due = now + 1000
    for endpoint in endpoints {
      if let next = endpoint.delivery?.nextDue, next > now { due = min(due, next) }
    }
    return Int(max(due - now, 1))
  }

  /// Starts the requests that are due for an endpoint.
  private func advance(_ index: Int, at now: Int64) {
    for attempt in endpoints[index].delivery?.attempts(at: now) ?? [] { send(attempt, index) }
    logMaximum(index)
    guard endpoints[index].nextRequestAt <= now else { return }
    guard let delivery = endpoints[index].delivery else {
      // After a change of the epoch, no response to an old request may count for a new event.
      guard !requests.values.contains(where: { $0.endpoint == index }) else { return }
      endpoints[index].nextRequestAt = .max
      return ask("GET", "/cursors/\(endpoints[index].settings.name)", .readCursor, index)
    }
    if endpoints[index].wantsEvents {
      endpoints[index].isReading = true
      ask(
        "GET",
        "?after=\(delivery.readPosition)&limit=200"
          + (endpoints[index].replay == nil ? "&waitSeconds=20" : "")
          + (endpoints[index].epoch.map { "&epoch=\($0)" } ?? ""), .readFeed, index)
    }
    if endpoints[index].replay == nil { store(index, delivery, at: now) }
  }

  /// Logs that no more is read from the feed, once until less than half of the maximum is held.
  private func logMaximum(_ index: Int) {
    guard let delivery = endpoints[index].delivery, delivery.stop == nil else { return }
    if delivery.fill < 0.5 { endpoints[index].hasLoggedMaximum = false }
    guard delivery.fill >= 1, !endpoints[index].hasLoggedMaximum else { return }
    endpoints[index].hasLoggedMaximum = true
    log(
      "\(endpoints[index].settings.name): no more of the feed is read until some of the "
        + "\(delivery.count) events that wait here are delivered")
  }

  /// Stores the cursor of an endpoint, or that its deliveries have stopped.
  private func store(_ index: Int, _ delivery: EndpointDelivery, at now: Int64) {
    guard !endpoints[index].isStoring else { return }
    let endpoint = endpoints[index]
    if delivery.watermark != endpoint.storedPosition {
      endpoints[index].isStoring = true
      ask(
        "PUT", "/cursors/\(endpoint.settings.name)", .storeCursor(delivery.watermark), index,
        body: endpoint.cursor(delivery.watermark))
    } else if delivery.stop != nil {
      endpoints[index].isStoring = true
      if endpoint.isStopStored {
        ask("GET", "/cursors/\(endpoint.stopName)", .readStop, index)
      } else {
        ask(
          "PUT", "/cursors/\(endpoint.stopName)", .storeStop, index,
          body: endpoint.cursor(delivery.watermark))
      }
    }
  }
}
