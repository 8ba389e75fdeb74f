import JSONText
import PickerDelivery
import WebSocketTransport

/// `pickerd deliver`: reads the feed and posts its events, on one thread.
package final class DeliveryLoop {
  private enum Purpose {
    case readCursor, readStop, storeCursor(Int), storeStop, readFeed
    case deliver(position: Int, attempt: Int)
  }

  private let feed: String
  private let key: String?
  private let allowsHTTP: Bool
  private let exchange: HTTPExchange
  private let log: (String) -> Void
  private var lines: [DeliveryLine]
  private var purposes: [UInt64: (line: Int, purpose: Purpose)] = [:]
  private var requestCount: UInt64 = 0

  /// - Parameters:
  ///   - feed: The URL of the server's feed, with or without `/v1/feed`.
  ///   - replay: Delivers only this part of the feed, again, and ends.
  /// - Throws: ``DeliveryProblem`` if libcurl cannot be loaded.
  package init(
    _ settings: DeliverySettings, feed: String, policy: AddressPolicy, allowsHTTP: Bool,
    replay: ClosedRange<Int>?, log: @escaping (String) -> Void
  ) throws(DeliveryProblem) {
    self.feed = DeliveryLoop.whole(feed)
    key = settings.key
    self.allowsHTTP = allowsHTTP
    exchange = try HTTPExchange(policy)
    self.log = log
    lines = settings.endpoints.map { DeliveryLine($0, replay: replay) }
  }

  private static func whole(_ feed: String) -> String {
    var base = feed
    while base.hasSuffix("/") { base.removeLast() }
    return base.hasSuffix("/v1/feed") ? base : base + "/v1/feed"
  }

  /// Lets a stopped endpoint go on.
  ///
  /// - Throws: ``DeliveryProblem`` if the server does not confirm it.
  package static func resume(
    _ name: String, feed: String, key: String?
  ) throws(DeliveryProblem) {
    let exchange = try HTTPExchange(AddressPolicy())
    let request = HTTPExchange.Request(
      id: 0, method: "DELETE", url: "\(whole(feed))/cursors/\(name).stopped",
      headers: authorization(key), allowsHTTP: true, isChecked: false)
    guard exchange.start(request) else {
      throw DeliveryProblem(description: "\(feed) is not a URL")
    }
    while true {
      guard let answer = exchange.answers(within: 1000).first else { continue }
      if answer.status == 204 { return }
      throw DeliveryProblem(description: "cannot reach the server \(feed): \(answer.summary)")
    }
  }

  private static func authorization(_ key: String?) -> [String] {
    key.map { ["Authorization: Bearer \($0)"] } ?? []
  }

  /// Delivers until the process is ended, or a replay is done.
  ///
  /// - Returns: Whether every event of the replay was delivered.
  package func run() -> Bool {
    while !lines.allSatisfy(\.isDone) {
      let now = SocketLoop.monotonicMilliseconds()
      for index in lines.indices { advance(index, at: now) }
      for answer in exchange.answers(within: wait(at: now)) {
        guard let (line, purpose) = purposes.removeValue(forKey: answer.id) else { continue }
        take(answer, purpose, line)
      }
    }
    return lines.allSatisfy { $0.delivery?.stop == nil }
  }

  private func wait(at now: Int64) -> Int {
    var due = now + 1000
    for line in lines {
      if let next = line.delivery?.nextDue, next > now { due = min(due, next) }
    }
    return Int(max(due - now, 1))
  }

  /// Starts the requests that an endpoint needs now.
  private func advance(_ index: Int, at now: Int64) {
    for attempt in lines[index].delivery?.attempts(at: now) ?? [] { send(attempt, index) }
    guard lines[index].asksAt <= now else { return }
    guard let delivery = lines[index].delivery else {
      // An answer to a request of before must not count for another event of its position.
      guard !purposes.values.contains(where: { $0.line == index }) else { return }
      lines[index].asksAt = .max
      return ask("GET", "/cursors/\(lines[index].endpoint.name)", .readCursor, index)
    }
    if lines[index].wantsEvents {
      lines[index].isReading = true
      ask(
        "GET",
        "?after=\(delivery.readPosition)&limit=200&waitSeconds=20"
          + (lines[index].epoch.map { "&epoch=\($0)" } ?? ""), .readFeed, index)
    }
    if lines[index].replay == nil { store(index, delivery, at: now) }
  }

  /// Stores how far an endpoint has come, and whether it has stopped.
  private func store(_ index: Int, _ delivery: EndpointDelivery, at now: Int64) {
    guard !lines[index].isStoring else { return }
    let line = lines[index]
    if delivery.watermark != line.storedPosition {
      lines[index].isStoring = true
      ask(
        "PUT", "/cursors/\(line.endpoint.name)", .storeCursor(delivery.watermark), index,
        body: line.cursor(delivery.watermark))
    } else if delivery.stop != nil {
      lines[index].isStoring = true
      if line.isStopStored {
        ask("GET", "/cursors/\(line.stopName)", .readStop, index)
      } else {
        ask(
          "PUT", "/cursors/\(line.stopName)", .storeStop, index,
          body: line.cursor(delivery.watermark))
      }
    }
  }

  private func ask(
    _ method: String, _ path: String, _ purpose: Purpose, _ line: Int, body: String? = nil
  ) {
    requestCount += 1
    purposes[requestCount] = (line, purpose)
    let request = HTTPExchange.Request(
      id: requestCount, method: method, url: feed + path,
      headers: DeliveryLoop.authorization(key) + ["Content-Type: application/json"],
      body: body.map { Array($0.utf8) }, answerMax: 4_194_304, milliseconds: 40_000,
      allowsHTTP: true, isChecked: false)
    if !exchange.start(request) { fatalError("\(feed) is not a URL") }
  }

  private func send(_ attempt: DeliveryAttempt, _ line: Int) {
    let endpoint = lines[line].endpoint
    let body = DeliveryLine.body(attempt)
    let timestamp = SocketLoop.wallMilliseconds() / 1000
    let signatures = endpoint.secrets.compactMap {
      $0.signature(id: attempt.event.id, timestamp: timestamp, body: body)
    }
    requestCount += 1
    purposes[requestCount] = (
      line, .deliver(position: attempt.event.position, attempt: attempt.number)
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
    purposes[requestCount] = nil
    delivered(attempt.event.position, attempt.number, .none("the URL cannot be used"), line)
  }

  private func take(_ answer: HTTPExchange.Answer, _ purpose: Purpose, _ line: Int) {
    let now = SocketLoop.monotonicMilliseconds()
    switch purpose {
    case .deliver(let position, let attempt):
      let result: DeliveryAnswer =
        answer.status == 0
        ? .none(answer.problem)
        : .status(answer.status, retryAfterSeconds: answer.retryAfterSeconds)
      delivered(position, attempt, result, line)
    case .readFeed:
      lines[line].isReading = false
      takePage(answer, line, now)
    case .readCursor:
      lines[line].asksAt = now
      takeCursor(answer, line, now)
    case .storeCursor(let position):
      lines[line].isStoring = false
      guard answer.status == 200 else { return fail(answer, line, now) }
      lines[line].storedPosition = position
    case .storeStop:
      lines[line].isStoring = false
      guard answer.status == 200 else { return fail(answer, line, now) }
      lines[line].isStopStored = true
    case .readStop:
      lines[line].isStoring = false
      takeStop(answer, line, now)
    }
  }

  private func delivered(_ position: Int, _ attempt: Int, _ answer: DeliveryAnswer, _ line: Int) {
    let now = SocketLoop.monotonicMilliseconds()
    lines[line].delivery?.answered(
      position, answer, jitter: .random(in: -0.1...0.1), at: now)
    let name = lines[line].endpoint.name
    switch answer {
    case .status(let status, _) where (200...299).contains(status): return
    case .status(let status, _): log("\(name): attempt \(attempt) at \(position): \(status)")
    case .none(let problem): log("\(name): attempt \(attempt) at \(position): \(problem)")
    }
    guard let stop = lines[line].delivery?.stop else { return }
    let reason = stop == .gone ? "it answered 410" : "all attempts at \(position) have failed"
    log("\(name) has stopped: \(reason). Continue with pickerd deliver --resume \(name)")
  }

  private func takePage(_ answer: HTTPExchange.Answer, _ line: Int, _ now: Int64) {
    if answer.status == 200 { return lines[line].add(answer.body, through: nil, at: now) }
    guard answer.status == 410, let tree = try? JSONTree.parse(answer.body) else {
      return fail(answer, line, now)
    }
    if let epoch = tree["epoch"]?.string { return takeEpoch(epoch, line) }
    guard let oldest = tree["oldest"]?.integer else { return fail(answer, line, now) }
    log("\(lines[line].endpoint.name): the feed begins at \(oldest) now; events were missed")
    lines[line].delivery = EndpointDelivery(
      types: lines[line].endpoint.types, watermark: oldest - 1)
  }

  /// A backup was restored: events after the cursor that it has are delivered.
  private func takeEpoch(_ epoch: String, _ line: Int) {
    log(
      "\(lines[line].endpoint.name): the feed has the new epoch \(epoch), as after a restored "
        + "backup; it continues from the stored cursor")
    lines[line].forgetPosition()
  }

  /// A new endpoint begins with the oldest event.
  private func takeCursor(_ answer: HTTPExchange.Answer, _ line: Int, _ now: Int64) {
    guard answer.status == 200 || answer.status == 404 else { return fail(answer, line, now) }
    let tree = try? JSONTree.parse(answer.body)
    let position = tree?["position"]?.integer ?? 0
    lines[line].epoch = tree?["epoch"]?.string
    lines[line].storedPosition = position
    lines[line].delivery = EndpointDelivery(
      types: lines[line].endpoint.types, watermark: position)
    // An endpoint that had stopped stays so.
    lines[line].isStopStored = true
    lines[line].isStoring = true
    lines[line].isReading = true
    ask("GET", "/cursors/\(lines[line].stopName)", .readStop, line)
  }

  private func takeStop(_ answer: HTTPExchange.Answer, _ line: Int, _ now: Int64) {
    lines[line].isReading = false
    switch answer.status {
    case 200:
      lines[line].delivery?.halt()
      lines[line].asksAt = now + 2000
    case 404:
      lines[line].isStopStored = false
      if lines[line].delivery?.stop != nil { log("\(lines[line].endpoint.name) goes on") }
      lines[line].delivery?.resume(at: now)
    default:
      // Without an answer it is not known whether the endpoint has stopped: asked from the start.
      if lines[line].delivery?.stop == nil { lines[line].delivery = nil }
      fail(answer, line, now)
    }
  }

  /// The server does not answer as it should: asked again after 2 s.
  private func fail(_ answer: HTTPExchange.Answer, _ line: Int, _ now: Int64) {
    lines[line].asksAt = now + 2000
    log("cannot read the feed \(feed): \(answer.summary)")
  }
}
