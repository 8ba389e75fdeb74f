import JSONText

/// An event of the feed, as far as its delivery depends on it.
struct DeliveryEvent: Hashable, Sendable {
  let position: Int
  /// The `webhook-id`, the same for every attempt.
  let id: String
  let type: String
  /// The session that it is of, or `definition ` and the name of a shared definition.
  let session: String
  /// The members `type`, `timestamp` and `data` of the body as JSON text, without braces.
  let content: String

  /// Whether the host has to act on the event within a given time.
  var hasDeadline: Bool { type == "session.confirming" }
}

/// What an endpoint answered.
enum DeliveryAnswer: Hashable, Sendable {
  /// - Parameter retryAfterSeconds: Of the header `Retry-After`; 0 if there was none.
  case status(Int, retryAfterSeconds: Int64)
  /// Nothing: no connection, a refused address, or no answer in time.
  case none(String)

  /// Whether the endpoint as a whole did not answer: nothing came, or a gateway answered for it.
  var isMissing: Bool {
    switch self {
    case .status(let status, _): [502, 503, 504].contains(status)
    case .none: true
    }
  }
}

/// One request to an endpoint.
struct DeliveryAttempt: Hashable, Sendable {
  let event: DeliveryEvent
  /// 1 for the first.
  let number: Int
  /// See ``EndpointDelivery/watermark``.
  let watermark: Int
}

/// Why nothing more is sent to an endpoint.
enum DeliveryStop: Hashable, Sendable {
  /// It answered `410`.
  case gone
  /// All attempts at this event have failed.
  case exhausted(position: Int)
  /// It has not answered for as long as all attempts at an event take.
  case unanswered
  /// It had stopped before this process was started.
  case before
}

extension DeliveryEvent {
  /// The host's own values have up to 127 levels, a few levels below the event.
  private static let depthMax = 160

  /// Parses a line of the feed; `nil` if it is not an event.
  init?(line: ArraySlice<UInt8>) {
    guard let tree = try? JSONTree.parse(Array(line), depthMax: Self.depthMax),
      let id = tree["id"]?.string, let position = tree["position"]?.integer,
      let type = tree["type"]?.string, let data = tree["data"],
      let session = data["session"]?.string ?? data["name"]?.string.map({ "definition \($0)" })
    else { return nil }
    // What follows is sent as it was written, with all digits of the host's numbers.
    let head = Array("{\"id\":\"\(id)\",\"position\":\(position),".utf8)
    guard line.starts(with: head) else { return nil }
    self.init(
      position: position, id: id, type: type, session: session,
      content: String(decoding: line.dropFirst(head.count).dropLast(), as: UTF8.self))
  }
}
