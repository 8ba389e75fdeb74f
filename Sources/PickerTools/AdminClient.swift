/// Requests of the command line to a server's admin listener.
final class AdminClient {
  struct Answer: Sendable {
    let status: Int
    let body: [UInt8]
  }

  let url: String
  /// The URL of the requests, and the path of the Unix socket, if any, through which they go.
  private let base: String
  private let socketPath: String?
  private let key: String?
  private let exchange: HTTPExchange
  private var lastID: UInt64 = 0

  /// - Parameters:
  ///   - url: `http://127.0.0.1:7682` or `unix:/run/pickerd/admin`
  ///   - key: An API key, for a server with `--admin-keys` or `--auth keys`.
  /// - Throws: ``DeliveryProblem`` if libcurl cannot be loaded.
  init(url: String, key: String? = nil) throws(DeliveryProblem) {
    self.url = url.hasSuffix("/") ? String(url.dropLast()) : url
    socketPath = url.hasPrefix("unix:") ? String(url.dropFirst("unix:".count)) : nil
    base = socketPath == nil ? self.url : "http://localhost"
    self.key = key
    exchange = try HTTPExchange(AddressPolicy(allowed: []))
  }

  /// Sends a request and waits `milliseconds` at most for its answer.
  ///
  /// - Throws: ``DeliveryProblem`` if there is none, or it has another status than `statuses`.
  func request(
    _ method: String, _ path: String, expecting statuses: Set<Int> = [200],
    milliseconds: Int = 15_000
  ) throws(DeliveryProblem) -> Answer {
    lastID += 1
    var request = HTTPExchange.Request(id: lastID, url: base + path)
    request.milliseconds = milliseconds
    request.method = method
    request.socketPath = socketPath
    request.headers = key.map { ["Authorization: Bearer \($0)"] } ?? []
    request.responseMax = 67_108_864
    request.allowsHTTP = true
    request.isChecked = false
    guard exchange.start(request) else {
      throw DeliveryProblem(description: "\(url) is not a URL such as http://127.0.0.1:7682")
    }
    while true {
      guard let answer = exchange.responses(within: 1_000).first(where: { $0.id == lastID }) else {
        continue
      }
      guard statuses.contains(answer.status) else {
        let place = socketPath == nil ? url + path : "\(path) at \(url)"
        throw DeliveryProblem(description: "\(method) \(place): \(answer.summary)")
      }
      return Answer(status: answer.status, body: answer.body)
    }
  }
}
