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
}
