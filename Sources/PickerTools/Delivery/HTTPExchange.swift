import CHTTPClient
import Glibc
import JSONText
import PickerServer

/// The reason why `pickerd deliver` cannot run, as a sentence.
struct DeliveryProblem: Error, Hashable, Sendable, CustomStringConvertible {
  let description: String
}

/// Requests of `pickerd deliver`, many at a time on one thread.
final class HTTPExchange {
  struct Request {
    let id: UInt64
    var method = "GET"
    let url: String
    var headers: [String] = []
    var body: [UInt8]?
    var responseMax = 65_536
    var milliseconds = 15_000
    /// Whether `http:` is possible, too.
    var allowsHTTP = false
    /// Whether the address is checked.
    var isChecked = true
    /// The path of a Unix socket to connect to instead of the URL's address.
    var socketPath: String?
  }

  struct Response {
    let id: UInt64
    /// 0 if there was no response.
    let status: Int
    let retryAfterSeconds: Int64
    let body: [UInt8]
    let problem: String

    /// The status with the `detail` of a problem document, or why there is no response.
    var summary: String {
      guard status != 0 else { return problem }
      let detail = (try? JSONTree.parse(body))?["detail"]?.string
      return "it answered \(status)" + (detail.map { ": \($0)" } ?? "")
    }
  }

  private let client: OpaquePointer
  private let policy: AddressPolicy

  /// - Throws: ``DeliveryProblem`` if libcurl cannot be loaded.
  init(_ policy: AddressPolicy) throws(DeliveryProblem) {
    self.policy = policy
    var problem: UnsafePointer<CChar>?
    guard let client = http_new(&problem) else {
      throw DeliveryProblem(description: problem.map { String(cString: $0) } ?? "no HTTP client")
    }
    self.client = client
  }

  deinit { http_free(client) }

  /// - Returns: False if the URL cannot be used.
  func start(_ request: Request) -> Bool {
    let headers = request.headers.map { strdup($0) }
    defer { for header in headers { free(header) } }
    let pointers = headers.map { UnsafePointer($0) }
    let socketPath = request.socketPath.map { strdup($0) }
    defer { free(socketPath ?? nil) }
    return request.method.withCString { method in
      request.url.withCString { url in
        pointers.withUnsafeBufferPointer { list in
          (request.body ?? [0]).withUnsafeBufferPointer { body in
            var started = http_request()
            started.id = request.id
            started.method = method
            started.url = url
            started.headers = list.baseAddress
            started.header_count = list.count
            started.body = request.body == nil ? nil : body.baseAddress
            started.body_length = request.body?.count ?? 0
            started.response_max = request.responseMax
            started.milliseconds = request.milliseconds
            started.allows_http = request.allowsHTTP
            started.socket_path = UnsafePointer(socketPath ?? nil)
            started.admit = request.isChecked ? admitsAddress : nil
            // Requests end before this object does.
            started.context = Unmanaged.passUnretained(self).toOpaque()
            return http_start(client, &started)
          }
        }
      }
    }
  }

  /// The finished requests; waits at most `milliseconds` for something to happen.
  func responses(within milliseconds: Int) -> [Response] {
    http_wait(client, Int32(milliseconds))
    var responses: [Response] = []
    var result = http_result()
    while http_next(client, &result) {
      responses.append(
        Response(
          id: result.id, status: result.status, retryAfterSeconds: result.retry_after,
          body: Array(UnsafeBufferPointer(start: result.body, count: result.body_length)),
          problem: String(cString: result.problem)))
    }
    return responses
  }

  fileprivate func admits(_ address: UnsafePointer<sockaddr>) -> Bool {
    guard let text = addressText(address) else { return false }
    return PeerAddress(text).map(policy.admits(_:)) ?? false
  }
}

/// The address without its port; `nil` for other families than IPv4 and IPv6.
private func addressText(_ address: UnsafePointer<sockaddr>) -> String? {
  let raw = UnsafeRawPointer(address)
  return withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(INET6_ADDRSTRLEN)) { text in
    let size = socklen_t(text.count)
    switch Int32(address.pointee.sa_family) {
    case AF_INET:
      var bytes = raw.load(as: sockaddr_in.self).sin_addr
      return inet_ntop(AF_INET, &bytes, text.baseAddress, size).map { String(cString: $0) }
    case AF_INET6:
      var bytes = raw.load(as: sockaddr_in6.self).sin6_addr
      return inet_ntop(AF_INET6, &bytes, text.baseAddress, size).map { String(cString: $0) }
    default: return nil
    }
  }
}

/// Called by libcurl with the address that it is about to connect to.
private func admitsAddress(
  _ context: UnsafeMutableRawPointer?, _ address: UnsafePointer<sockaddr>?
) -> Bool {
  guard let context, let address else { return false }
  return Unmanaged<HTTPExchange>.fromOpaque(context).takeUnretainedValue().admits(address)
}
