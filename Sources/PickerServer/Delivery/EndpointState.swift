import JSONText
import PickerDelivery

/// The delivery to one endpoint with the requests that it has under way.
struct DeliveryLine {
  let endpoint: DeliverySettings.Endpoint
  /// `nil` until the cursor has been read.
  var delivery: EndpointDelivery?
  /// Delivers only this part of the feed again, and stores no cursor.
  let replay: ClosedRange<Int>?
  /// The epoch of the feed that positions are of; `nil` until the cursor has been read.
  var epoch: String?
  /// The position of the cursor in the server.
  var storedPosition = 0
  /// Whether the stop of the endpoint is stored in the server.
  var isStopStored = false
  var isReading = false
  var isStoring = false
  /// Nothing is asked of the server before this time.
  var asksAt: Int64 = 0

  init(_ endpoint: DeliverySettings.Endpoint, replay: ClosedRange<Int>?) {
    self.endpoint = endpoint
    self.replay = replay
    delivery = replay.map {
      EndpointDelivery(types: endpoint.types, watermark: $0.lowerBound - 1)
    }
  }

  /// The name of the cursor that exists while the endpoint has stopped.
  var stopName: String { endpoint.name + ".stopped" }

  /// Starts again from the cursor, when all requests have ended.
  mutating func forgetPosition() {
    delivery = nil
    asksAt = 0
  }

  /// Whether a replay has come to its end.
  var isDone: Bool {
    guard let replay, let delivery else { return false }
    return delivery.stop != nil || (delivery.readPosition >= replay.upperBound && delivery.isIdle)
  }

  var wantsEvents: Bool {
    guard let delivery, !isReading, delivery.needsEvents else { return false }
    return replay.map { delivery.readPosition < $0.upperBound } ?? true
  }

  /// Takes a page of the feed.
  ///
  /// - Parameter position: The page ends here if it has no events.
  mutating func add(_ body: [UInt8], through position: Int?, at now: Int64) {
    let last = replay?.upperBound ?? .max
    let events = body.split(separator: UInt8(ascii: "\n")).compactMap { DeliveryEvent(line: $0) }
    let through = events.last?.position ?? position ?? delivery?.readPosition ?? 0
    delivery?.add(events.filter { $0.position <= last }, through: min(through, last), at: now)
  }

  /// The body of a request that stores a cursor.
  func cursor(_ position: Int) -> String {
    "{\"position\":\(position)" + (epoch.map { ",\"epoch\":\"\($0)\"}" } ?? "}")
  }

  /// The body of a webhook.
  static func body(_ attempt: DeliveryAttempt) -> [UInt8] {
    Array(
      ("{\(attempt.event.content),\"position\":\(attempt.event.position),"
        + "\"watermark\":\(attempt.watermark)}").utf8)
  }
}

extension DeliveryEvent {
  /// Parses a line of the feed; `nil` if it is not an event.
  init?(line: ArraySlice<UInt8>) {
    guard let tree = try? JSONTree.parse(Array(line)), let id = tree["id"]?.string,
      let position = tree["position"]?.integer, let type = tree["type"]?.string,
      let session = tree["data"]?["session"]?.string
    else { return nil }
    // What follows is sent as it was written, with all digits of the host's numbers.
    let head = Array("{\"id\":\"\(id)\",\"position\":\(position),".utf8)
    guard line.starts(with: head) else { return nil }
    self.init(
      position: position, id: id, type: type, session: session,
      content: String(decoding: line.dropFirst(head.count).dropLast(), as: UTF8.self))
  }
}
