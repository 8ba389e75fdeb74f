import CMachine
import JSONText

/// An endpoint of `pickerd deliver`: its deliveries, and its cursor at the server.
struct EndpointState {
  let settings: DeliverySettings.Endpoint
  /// `nil` until the cursor has been read.
  var delivery: EndpointDelivery?
  /// Delivers only this part of the feed again, and stores no cursor.
  let replay: ClosedRange<Int>?
  /// Whether the feed no longer has events of a replay.
  var hasMissed = false
  /// The epoch of the feed that the positions belong to; `nil` until the cursor has been read.
  var epoch: String?
  /// The position of the cursor at the server.
  var storedPosition = 0
  /// Whether the server has stored that the endpoint has stopped.
  var isStopStored = false
  /// Requests of a replay in succession that have failed.
  var failureCount = 0
  var isReading = false
  /// Whether the log says that no more events are read because too many are held.
  var hasLoggedMaximum = false
  var isStoring = false
  /// The earliest time to store the next position, so that many events share a request.
  var nextStoreAt: Int64 = 0
  /// The time of the next request to the server.
  var nextRequestAt: Int64 = 0

  init(_ endpoint: DeliverySettings.Endpoint, replay: ClosedRange<Int>?) {
    settings = endpoint
    self.replay = replay
    delivery = replay.map {
      EndpointDelivery(types: endpoint.types, watermark: $0.lowerBound - 1)
    }
  }

  /// The name of the cursor that exists while the endpoint has stopped.
  var stopName: String { settings.name + ".stopped" }

  /// Continues from the cursor at the server, once all requests have been answered.
  mutating func forgetPosition() {
    delivery = nil
    nextRequestAt = 0
  }

  /// When the position has to be stored that has changed; `nil` if it has not.
  var storeDue: Int64? {
    guard let delivery, replay == nil, !isStoring, delivery.watermark != storedPosition else {
      return nil
    }
    return nextStoreAt
  }

  /// Whether a replay has ended.
  var isDone: Bool {
    guard let replay, let delivery else { return false }
    return delivery.stop != nil || (delivery.readPosition >= replay.upperBound && delivery.isIdle)
  }

  var wantsEvents: Bool {
    guard let delivery, !isReading, delivery.needsEvents else { return false }
    return replay.map { delivery.readPosition < $0.upperBound } ?? true
  }

  /// Adds the events of a page of the feed, up to the first line that is not an event. A replay
  /// ends with the page that has no lines.
  ///
  /// - Returns: Whether all lines are events.
  mutating func add(_ body: [UInt8], at now: Int64) -> Bool {
    let last = replay?.upperBound ?? .max
    let lines = body.split(separator: UInt8(ascii: "\n"))
    let events = lines.map { DeliveryEvent(line: $0) }.prefix { $0 != nil }.compactMap(\.self)
    let isEnd = lines.isEmpty && replay != nil
    let through = isEnd ? last : events.last?.position ?? delivery?.readPosition ?? 0
    delivery?.add(events.filter { $0.position <= last }, through: min(through, last), at: now)
    return events.count == lines.count
  }

  /// The body of a request that stores a cursor.
  func cursor(_ position: Int) -> String {
    "{\"position\":\(position)" + (epoch.map { ",\"epoch\":\"\($0)\"}" } ?? "}")
  }
}

extension DeliverySettings.Endpoint {
  /// The signed request of an attempt.
  /// - Source: Standard Webhooks 1.0.
  func request(_ attempt: DeliveryAttempt, id: UInt64, allowsHTTP: Bool) -> HTTPExchange.Request {
    let event = attempt.event
    let body = Array(
      ("{\(event.content),\"position\":\(event.position),\"watermark\":\(attempt.watermark)}")
        .utf8)
    let timestamp = machine_wall_ms() / 1000
    let signatures = secrets.compactMap {
      $0.signature(id: event.id, timestamp: timestamp, body: body)
    }
    return HTTPExchange.Request(
      id: id, method: "POST", url: url,
      headers: [
        "Content-Type: application/json", "User-Agent: pickerd", "webhook-id: \(event.id)",
        "webhook-timestamp: \(timestamp)",
        "webhook-signature: \(signatures.joined(separator: " "))",
      ], body: body, allowsHTTP: allowsHTTP)
  }
}
