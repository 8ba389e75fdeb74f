import CivilTime
import CMachine

/// The feed of the server, for requests.
struct DeliveryFeed {
  let url: String
  let headers: [String]

  /// - Parameter url: With or without `/v1/feed`.
  init(_ url: String, key: String?) {
    var base = url
    while base.hasSuffix("/") { base.removeLast() }
    self.url = base.hasSuffix("/v1/feed") ? base : base + "/v1/feed"
    headers = key.map { ["Authorization: Bearer \($0)"] } ?? []
  }
}

extension DeliveryLoop {
  /// Resumes the deliveries to an endpoint that has stopped.
  ///
  /// - Throws: ``DeliveryProblem`` if the server does not confirm it.
  static func resume(
    _ name: String, feed: String, key: String?
  ) throws(DeliveryProblem) {
    let exchange = try HTTPExchange(AddressPolicy())
    let server = DeliveryFeed(feed, key: key)
    let request = HTTPExchange.Request(
      id: 0, method: "DELETE", url: "\(server.url)/cursors/\(name).stopped",
      headers: server.headers, allowsHTTP: true, isChecked: false)
    guard exchange.start(request) else {
      throw DeliveryProblem(description: "\(feed) is not a URL")
    }
    while true {
      guard let response = exchange.responses(within: 1000).first else { continue }
      if response.status == 204 { return }
      throw DeliveryProblem(description: "cannot reach the server \(feed): \(response.summary)")
    }
  }

  /// Sends one event of the type `test`, which no session has caused. Its position is 0.
  ///
  /// - Returns: A line that says what the endpoint has answered.
  /// - Throws: ``DeliveryProblem`` if that is not `2xx`.
  static func test(
    _ endpoint: DeliverySettings.Endpoint, policy: AddressPolicy, allowsHTTP: Bool
  ) throws(DeliveryProblem) -> String {
    let exchange = try HTTPExchange(policy)
    let now = Instant(milliseconds: machine_wall_ms())
    let event = DeliveryEvent(
      position: 0, id: "test_\(now.milliseconds)", type: "test", session: "",
      content: "\"type\":\"test\",\"timestamp\":\"\(now.rfc3339)\",\"data\":{}")
    let attempt = DeliveryAttempt(event: event, number: 1, watermark: 0)
    guard exchange.start(endpoint.request(attempt, id: 0, allowsHTTP: allowsHTTP)) else {
      throw DeliveryProblem(description: "\(endpoint.url) is not a URL")
    }
    while true {
      guard let response = exchange.responses(within: 1000).first else { continue }
      guard (200...299).contains(response.status) else {
        throw DeliveryProblem(description: "\(endpoint.name): \(response.summary)")
      }
      return "\(endpoint.name) answered \(response.status)"
    }
  }
}
