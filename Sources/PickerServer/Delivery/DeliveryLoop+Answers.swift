import JSONText
import PickerDelivery
import WebSocketTransport

/// The answers of the server and of the endpoints.
extension DeliveryLoop {
  func handle(_ answer: HTTPExchange.Answer, _ purpose: Purpose, _ index: Int) {
    let now = SocketLoop.monotonicMilliseconds()
    switch purpose {
    case .deliver(let position, let attempt):
      let result: DeliveryAnswer =
        answer.status == 0
        ? .none(answer.problem)
        : .status(answer.status, retryAfterSeconds: answer.retryAfterSeconds)
      delivered(position, attempt, result, index)
    case .readFeed:
      endpoints[index].isReading = false
      receivedPage(answer, index, now)
    case .readCursor:
      endpoints[index].nextRequestAt = now
      receivedCursor(answer, index, now)
    case .storeCursor(let position):
      endpoints[index].isStoring = false
      guard answer.status == 200 else { return fail(answer, index, now) }
      endpoints[index].storedPosition = position
    case .storeStop:
      endpoints[index].isStoring = false
      guard answer.status == 200 else { return fail(answer, index, now) }
      endpoints[index].isStopStored = true
    case .readStop:
      endpoints[index].isStoring = false
      receivedStop(answer, index, now)
    }
  }

  func delivered(_ position: Int, _ attempt: Int, _ answer: DeliveryAnswer, _ index: Int) {
    let now = SocketLoop.monotonicMilliseconds()
    endpoints[index].delivery?.answered(
      position, answer, jitter: .random(in: -0.1...0.1), at: now)
    let name = endpoints[index].settings.name
    switch answer {
    case .status(let status, _) where (200...299).contains(status): return
    case .status(let status, _): log("\(name): attempt \(attempt) at \(position): \(status)")
    case .none(let problem): log("\(name): attempt \(attempt) at \(position): \(problem)")
    }
    guard let stop = endpoints[index].delivery?.stop else { return }
    let reason = stop == .gone ? "it answered 410" : "all attempts at \(position) have failed"
    log("\(name) has stopped: \(reason). Continue with pickerd deliver --resume \(name)")
  }

  private func receivedPage(_ answer: HTTPExchange.Answer, _ index: Int, _ now: Int64) {
    if answer.status == 200 { return endpoints[index].add(answer.body, through: nil, at: now) }
    guard answer.status == 410, let tree = try? JSONTree.parse(answer.body) else {
      return fail(answer, index, now)
    }
    if let epoch = tree["epoch"]?.string { return epochChanged(epoch, index) }
    guard let oldest = tree["oldest"]?.integer else { return fail(answer, index, now) }
    log("\(endpoints[index].settings.name): the feed begins at \(oldest) now; events were missed")
    endpoints[index].delivery = EndpointDelivery(
      types: endpoints[index].settings.types, watermark: oldest - 1)
  }

  /// A backup was restored. Delivery continues after the cursor that the backup has.
  private func epochChanged(_ epoch: String, _ index: Int) {
    log(
      "\(endpoints[index].settings.name): the feed has the new epoch \(epoch), as after a restored "
        + "backup; it continues from the stored cursor")
    endpoints[index].forgetPosition()
  }

  /// A new endpoint begins with the oldest event.
  private func receivedCursor(_ answer: HTTPExchange.Answer, _ index: Int, _ now: Int64) {
    guard answer.status == 200 || answer.status == 404 else { return fail(answer, index, now) }
    let tree = try? JSONTree.parse(answer.body)
    let position = tree?["position"]?.integer ?? 0
    endpoints[index].epoch = tree?["epoch"]?.string
    endpoints[index].storedPosition = position
    endpoints[index].delivery = EndpointDelivery(
      types: endpoints[index].settings.types, watermark: position)
    // Until the answer says otherwise, the endpoint is taken to have stopped.
    endpoints[index].isStopStored = true
    endpoints[index].isStoring = true
    endpoints[index].isReading = true
    ask("GET", "/cursors/\(endpoints[index].stopName)", .readStop, index)
  }

  private func receivedStop(_ answer: HTTPExchange.Answer, _ index: Int, _ now: Int64) {
    endpoints[index].isReading = false
    switch answer.status {
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
      fail(answer, index, now)
    }
  }

  /// Handles an unexpected answer of the server: the request is repeated after 2 s.
  private func fail(_ answer: HTTPExchange.Answer, _ index: Int, _ now: Int64) {
    endpoints[index].nextRequestAt = now + 2000
    log("cannot read the feed \(feed.url): \(answer.summary)")
  }
}
