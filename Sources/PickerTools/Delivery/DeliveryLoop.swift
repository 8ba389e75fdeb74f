import CMachine
import JSONText
import Logging

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
  let log: Logger
  var endpoints: [EndpointState]
  /// The requests that have not been answered, by their ids.
  var requests: [UInt64: (endpoint: Int, purpose: Purpose)] = [:]
  var requestCount: UInt64 = 0
  /// Why the feed cannot be read, as it was logged last; `nil` while it can.
  private var problem: String?

  /// - Parameters:
  ///   - feed: The URL of the server's feed, with or without `/v1/feed`.
  ///   - replay: Delivers only this part of the feed, again, and ends.
  /// - Throws: ``DeliveryProblem`` if libcurl cannot be loaded.
  init(
    _ settings: DeliverySettings, feed: String, policy: AddressPolicy, allowsHTTP: Bool,
    replay: ClosedRange<Int>?, log: Logger
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
    let names = endpoints.map(\.settings.name).joined(separator: ", ")
    log.notice("the feed \(feed.url) is delivered to \(names)")
    while !endpoints.allSatisfy(\.isDone) {
      let now = machine_monotonic_ms()
      for index in endpoints.indices { advance(index, at: now) }
      for response in exchange.responses(within: wait(at: now)) {
        guard let (index, purpose) = requests.removeValue(forKey: response.id) else { continue }
        handle(response, purpose, index)
      }
    }
    return endpoints.allSatisfy { $0.delivery?.stop == nil && !$0.hasMissed }
  }

  private func warn(_ sentence: String) { log.warning("\(sentence)") }

  private func wait(at now: Int64) -> Int {
    var due = now + 1000
    for endpoint in endpoints {
      for next in [endpoint.delivery?.nextDue, endpoint.storeDue] {
        if let next, next > now { due = min(due, next) }
      }
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
    warn(
      "\(endpoints[index].settings.name): no more of the feed is read until some of the "
        + "\(delivery.count) events that wait here are delivered")
  }

  /// Milliseconds between two positions that are stored.
  private static let storeInterval: Int64 = 200

  /// Stores the cursor of an endpoint, or that its deliveries have stopped.
  private func store(_ index: Int, _ delivery: EndpointDelivery, at now: Int64) {
    guard !endpoints[index].isStoring else { return }
    let endpoint = endpoints[index]
    if let due = endpoint.storeDue {
      guard due <= now else { return }
      endpoints[index].isStoring = true
      endpoints[index].nextStoreAt = now + DeliveryLoop.storeInterval
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
    requestCount += 1
    requests[requestCount] = (
      index, .deliver(position: attempt.event.position, attempt: attempt.number)
    )
    let request = endpoints[index].settings.request(
      attempt, id: requestCount, allowsHTTP: allowsHTTP)
    guard !exchange.start(request) else { return }
    requests[requestCount] = nil
    delivered(attempt.event.position, attempt.number, .none("the URL cannot be used"), index)
  }
}

/// The responses of the server and of the endpoints.
extension DeliveryLoop {
  func handle(_ response: HTTPExchange.Response, _ purpose: Purpose, _ index: Int) {
    let now = machine_monotonic_ms()
    noteSuccess(response, purpose)
    switch purpose {
    case .deliver(let position, let attempt):
      let result: DeliveryAnswer =
        response.status == 0
        ? .none(response.problem)
        : .status(response.status, retryAfterSeconds: response.retryAfterSeconds)
      delivered(position, attempt, result, index)
    case .readFeed:
      endpoints[index].isReading = false
      receivedPage(response, index, now)
    case .readCursor:
      endpoints[index].nextRequestAt = now
      receivedCursor(response, index, now)
    case .storeCursor(let position):
      endpoints[index].isStoring = false
      guard response.status == 200 else { return fail(response, index, now) }
      endpoints[index].storedPosition = position
    case .storeStop:
      endpoints[index].isStoring = false
      guard response.status == 200 else { return fail(response, index, now) }
      endpoints[index].isStopStored = true
    case .readStop:
      endpoints[index].isStoring = false
      receivedStop(response, index, now)
    }
  }

  func delivered(_ position: Int, _ attempt: Int, _ answer: DeliveryAnswer, _ index: Int) {
    let now = machine_monotonic_ms()
    let hadStopped = endpoints[index].delivery?.stop != nil
    let wasPaused = endpoints[index].delivery?.isPaused == true
    endpoints[index].delivery?.answered(
      position, answer, jitter: .random(in: -0.1...0.1), at: now)
    let name = endpoints[index].settings.name
    let isPaused = endpoints[index].delivery?.isPaused == true
    if wasPaused, !isPaused { log.notice("\(name) has answered: the pause ends") }
    // One line is enough for all requests that a paused endpoint does not answer.
    if let problem = answer.problem, !(wasPaused && isPaused && answer.isMissing) {
      let line = "attempt \(attempt) at \(position): \(problem)"
      warn(
        isPaused && !wasPaused
          ? "\(name) is paused: \(line); one event at a time is sent until it answers"
          : "\(name): \(line)")
    }
    guard !hadStopped, let stop = endpoints[index].delivery?.stop else { return }
    log.error(
      "\(name) has stopped: \(stop.reason). Continue with pickerd deliver --resume \(name)")
  }

  private func receivedPage(_ response: HTTPExchange.Response, _ index: Int, _ now: Int64) {
    if response.status == 200 {
      endpoints[index].failureCount = 0
      if !endpoints[index].add(response.body, at: now) { failToRead(index, now) }
      return
    }
    guard response.status == 410, let tree = try? JSONTree.parse(response.body) else {
      return fail(response, index, now)
    }
    if let epoch = tree["epoch"]?.string { return epochChanged(epoch, index) }
    guard let oldest = tree["oldest"]?.integer else { return fail(response, index, now) }
    let (name, position) = (
      endpoints[index].settings.name, endpoints[index].delivery?.readPosition ?? 0
    )
    if oldest - 1 > position {
      warn("\(name): the feed begins at \(oldest) now; events were missed")
      endpoints[index].hasMissed = true
      // What was read before is still delivered.
      endpoints[index].delivery?.skip(to: oldest - 1)
    } else if endpoints[index].replay != nil {
      warn("\(name): the feed has no events after position \(position) yet; nothing is sent")
      endpoints[index].delivery?.halt()
    } else {
      warn("\(name): the feed ends before position \(position); delivery begins at \(oldest)")
      endpoints[index].delivery = EndpointDelivery(
        types: endpoints[index].settings.types, watermark: oldest - 1)
    }
  }

  /// Handles a line that is not an event: what follows it is not sent, because the endpoint would
  /// not notice that one is missing. The line is read again after 2 s; a replay stops.
  private func failToRead(_ index: Int, _ now: Int64) {
    endpoints[index].nextRequestAt = now + 2000
    if endpoints[index].replay != nil { endpoints[index].delivery?.halt() }
    let position = endpoints[index].delivery?.readPosition ?? 0
    warn(
      "\(endpoints[index].settings.name): the line of the feed after position \(position) is not "
        + "an event; nothing after it is sent")
  }

  /// A backup was restored. Delivery continues after the cursor that the backup has.
  private func epochChanged(_ epoch: String, _ index: Int) {
    warn(
      "\(endpoints[index].settings.name): the feed has the new epoch \(epoch), as after a restored "
        + "backup; it continues from the stored cursor")
    endpoints[index].forgetPosition()
  }

  /// A new endpoint begins with the oldest event.
  private func receivedCursor(_ response: HTTPExchange.Response, _ index: Int, _ now: Int64) {
    guard response.status == 200 || response.status == 404 else {
      return fail(response, index, now)
    }
    let tree = try? JSONTree.parse(response.body)
    let position = tree?["position"]?.integer ?? 0
    endpoints[index].epoch = tree?["epoch"]?.string
    endpoints[index].storedPosition = position
    endpoints[index].delivery = EndpointDelivery(
      types: endpoints[index].settings.types, watermark: position)
    // Assume that the endpoint has stopped until the response to this request arrives.
    endpoints[index].isStopStored = true
    endpoints[index].isStoring = true
    endpoints[index].isReading = true
    ask("GET", "/cursors/\(endpoints[index].stopName)", .readStop, index)
  }

  private func receivedStop(_ response: HTTPExchange.Response, _ index: Int, _ now: Int64) {
    endpoints[index].isReading = false
    switch response.status {
    case 200:
      endpoints[index].delivery?.halt()
      endpoints[index].nextRequestAt = now + 2000
    case 404:
      endpoints[index].isStopStored = false
      if endpoints[index].delivery?.stop != nil {
        log.notice("\(endpoints[index].settings.name) has been resumed")
      }
      endpoints[index].delivery?.resume(at: now)
    default:
      // It is unknown whether the endpoint has stopped: start again with its cursor.
      if endpoints[index].delivery?.stop == nil { endpoints[index].delivery = nil }
      fail(response, index, now)
    }
  }

  /// Logs that the feed can be read again, once for all endpoints.
  private func noteSuccess(_ response: HTTPExchange.Response, _ purpose: Purpose) {
    let isExpected =
      switch purpose {
      case .deliver: false
      case .readCursor, .readStop: [200, 404].contains(response.status)
      case .readFeed, .storeCursor, .storeStop: response.status == 200
      }
    guard isExpected, problem != nil else { return }
    problem = nil
    log.notice("the feed \(feed.url) can be read again")
  }

  /// Handles an unexpected response of the server: the request is repeated after 2 s. A replay,
  /// for which somebody waits, ends if the server refuses it, or after some attempts.
  private func fail(_ response: HTTPExchange.Response, _ index: Int, _ now: Int64) {
    endpoints[index].nextRequestAt = now + 2000
    let summary = response.summary
    if problem != summary {
      problem = summary
      warn("cannot read the feed \(feed.url): \(summary); it is tried again every 2 s")
    }
    guard endpoints[index].replay != nil else { return }
    endpoints[index].failureCount += 1
    let isRefused = (400...499).contains(response.status) && response.status != 429
    if isRefused || endpoints[index].failureCount == DeliveryLoop.replayAttempts {
      warn("\(endpoints[index].settings.name): the replay ends here")
      endpoints[index].delivery?.halt()
    }
  }

  /// How often a replay tries to read the feed, with 2 s between the attempts.
  private static let replayAttempts = 5
}

extension DeliveryAnswer {
  /// Why an attempt has failed; `nil` if it has not.
  fileprivate var problem: String? {
    switch self {
    case .status(let status, _): (200...299).contains(status) ? nil : "\(status)"
    case .none(let problem): problem
    }
  }
}

extension DeliveryStop {
  fileprivate var reason: String {
    switch self {
    case .gone: "it answered 410"
    case .exhausted(let position): "all attempts at \(position) have failed"
    case .unanswered: "it has not answered for three days"
    case .before: "it had stopped before"
    }
  }
}
