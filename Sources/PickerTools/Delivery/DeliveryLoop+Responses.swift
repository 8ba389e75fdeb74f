import JSONText

import WebSocketTransport

/// The responses of the server and of the endpoints.
extension DeliveryLoop {
  func handle(_ response: HTTPExchange.Response, _ purpose: Purpose, _ index: Int) {
    let now = SocketLoop.monotonicMilliseconds()
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
    let now = SocketLoop.monotonicMilliseconds()
    let hadStopped = endpoints[index].delivery?.stop != nil
    let wasPaused = endpoints[index].delivery?.isPaused == true
    endpoints[index].delivery?.answered(
      position, answer, jitter: .random(in: -0.1...0.1), at: now)
    let name = endpoints[index].settings.name
    let isPaused = endpoints[index].delivery?.isPaused == true
    if wasPaused, !isPaused { log("\(name) has answered: the pause ends") }
    // One line is enough for all requests that a paused endpoint does not answer.
    if let problem = answer.problem, !(wasPaused && isPaused && answer.isMissing) {
      let line = "attempt \(attempt) at \(position): \(problem)"
      log(
        isPaused && !wasPaused
          ? "\(name) is paused: \(line); one event at a time is sent until it answers"
          : "\(name): \(line)")
    }
    guard !hadStopped, let stop = endpoints[index].delivery?.stop else { return }
    log(
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
      log("\(name): the feed begins at \(oldest) now; events were missed")
      endpoints[index].hasMissed = true
      // What was read before is still delivered.
      endpoints[index].delivery?.skip(to: oldest - 1)
    } else if endpoints[index].replay != nil {
      log("\(name): the feed has no events after position \(position) yet; nothing is sent")
      endpoints[index].delivery?.halt()
    } else {
      log("\(name): the feed ends before position \(position); delivery begins at \(oldest)")
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
    log(
      "\(endpoints[index].settings.name): the line of the feed after position \(position) is not "
        + "an event; nothing after it is sent")
  }

  /// A backup was restored. Delivery continues after the cursor that the backup has.
  private func epochChanged(_ epoch: String, _ index: Int) {
    log(
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
        log("\(endpoints[index].settings.name) has been resumed")
      }
      endpoints[index].delivery?.resume(at: now)
    default:
      // It is unknown whether the endpoint has stopped: start again with its cursor.
      if endpoints[index].delivery?.stop == nil { endpoints[index].delivery = nil }
      fail(response, index, now)
    }
  }

  /// Handles an unexpected response of the server: the request is repeated after 2 s. A replay,
  /// for which somebody waits, ends if the server refuses it, or after some attempts.
  private func fail(_ response: HTTPExchange.Response, _ index: Int, _ now: Int64) {
    endpoints[index].nextRequestAt = now + 2000
    log("cannot read the feed \(feed.url): \(response.summary)")
    guard endpoints[index].replay != nil else { return }
    endpoints[index].failureCount += 1
    let isRefused = (400...499).contains(response.status) && response.status != 429
    if isRefused || endpoints[index].failureCount == DeliveryLoop.replayAttempts {
      log("\(endpoints[index].settings.name): the replay ends here")
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
