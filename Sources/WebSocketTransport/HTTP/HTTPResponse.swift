import CMachine
import Machine

/// An HTTP response. The loop adds `Content-Length`, `Date` and `Connection`.
package struct HTTPResponse: Sendable {
  package var status: Int
  package typealias Header = (name: String, value: String)

  package var headers: [Header]
  package var body: [UInt8]
  /// What is sent in place of ``body`` if there is no memory for it: the request has changed
  /// something, so that a problem would be wrong. Short; `nil` for other responses.
  package var shortBody: [UInt8]?
  /// Whether the `ETag` identifies the uncompressed body: if the loop compresses the body, it makes
  /// the tag weak.
  package var hasTagOfContent = false
  /// Whether the connection may serve another request. Default: true.
  package var keepAlive = true

  package init(status: Int, headers: [Header] = [], body: [UInt8] = []) {
    self.status = status
    self.headers = headers
    self.body = body
  }

  package init(status: Int, contentType: String, body: [UInt8]) {
    self.init(status: status, headers: [("Content-Type", contentType)], body: body)
  }

  /// The status line, the headers and the empty line.
  ///
  /// - Parameter length: The length of the body; `nil` if the body ends with the connection.
  func head(length: Int?, keepAlive: Bool) -> [UInt8] {
    let phrase = HTTPResponse.reasonPhrase(of: status)
    var text = "HTTP/1.1 \(status) \(phrase)\r\nDate: \(currentDate())\r\n"
    for (name, value) in headers {
      text += "\(oneLine(name)): \(oneLine(value))\r\n"
    }
    // RFC 9110, section 8.6: not permitted for 1xx and 204; for 304 it would be the length of the
    // 200 response.
    if let length, status >= 200, status != 204, status != 304 {
      text += "Content-Length: \(length)\r\n"
    }
    if !keepAlive { text += "Connection: close\r\n" }
    text += "\r\n"
    return Array(text.utf8)
  }

  /// Replaces control characters with spaces to prevent header injection.
  private func oneLine(_ text: String) -> String {
    guard text.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) else { return text }
    return String(
      decoding: text.utf8.map { $0 < 0x20 || $0 == 0x7F ? 0x20 : $0 }, as: UTF8.self)
  }

  /// The reason phrase of a status, such as `Not Found`.
  /// - Source: RFC 9110 section 15; RFC 6585 for 429 and 431.
  package static func reasonPhrase(of status: Int) -> String {
    switch status {
    case 200: "OK"
    case 201: "Created"
    case 202: "Accepted"
    case 204: "No Content"
    case 301: "Moved Permanently"
    case 302: "Found"
    case 303: "See Other"
    case 304: "Not Modified"
    case 307: "Temporary Redirect"
    case 308: "Permanent Redirect"
    case 400: "Bad Request"
    case 401: "Unauthorized"
    case 403: "Forbidden"
    case 404: "Not Found"
    case 405: "Method Not Allowed"
    case 406: "Not Acceptable"
    case 409: "Conflict"
    case 410: "Gone"
    case 411: "Length Required"
    case 412: "Precondition Failed"
    case 413: "Content Too Large"
    case 415: "Unsupported Media Type"
    case 421: "Misdirected Request"
    case 422: "Unprocessable Content"
    case 426: "Upgrade Required"
    case 429: "Too Many Requests"
    case 431: "Request Header Fields Too Large"
    case 500: "Internal Server Error"
    case 501: "Not Implemented"
    case 503: "Service Unavailable"
    default: status < 400 ? "Status" : status < 500 ? "Client Error" : "Server Error"
    }
  }
}

private func currentDate() -> String {
  withUnsafeTemporaryAllocation(of: CChar.self, capacity: 30) { text in
    machine_http_date(text.baseAddress)
    return String(cString: text.baseAddress!)
  }
}

/// Compression of responses with gzip.
/// - Source: RFC 9110, sections 8.4.1.3, 8.8.3.3 and 12.5.3.
extension HTTPResponse {
  /// Smaller bodies are not compressed.
  static let compressedBytesMin = 1_024
  /// Larger bodies are compressed on another thread. This many bytes take about 0.1 ms.
  static let compressedBytesOnLoop = 16_384

  /// Larger bodies are compressed on a queue of their own, so that they do not delay smaller ones.
  static let longBytesMin = 262_144

  /// Whether the response depends on `Accept-Encoding`.
  var isNegotiated: Bool {
    if status == 304 { return hasTagOfContent }
    return body.count >= HTTPResponse.compressedBytesMin && isText
  }

  /// Whether the content type is compressible.
  private var isText: Bool {
    guard let type = header("content-type")?.lowercased() else { return false }
    return ["text/", "application/", "image/svg+xml"].contains(where: type.hasPrefix)
  }

  /// Adds a field name to `Vary`.
  mutating func vary(by name: String) {
    if let index = headers.firstIndex(where: { $0.name.lowercased() == "vary" }) {
      headers[index].value += ", " + name
    } else {
      headers.append(("Vary", name))
    }
  }

  /// Makes an entity tag of the content weak, because it then identifies all encodings of it.
  mutating func weakenTag() {
    guard hasTagOfContent,
      let index = headers.firstIndex(where: { $0.name.lowercased() == "etag" }),
      !headers[index].value.hasPrefix("W/")
    else { return }
    headers[index].value = "W/" + headers[index].value
  }

  /// The response with a gzip body, or unchanged if gzip does not make the body shorter.
  func compressed() -> HTTPResponse {
    guard !body.isEmpty, let compressed = Gzip.compress(body) else { return self }
    var response = self
    response.body = compressed
    response.headers.append(("Content-Encoding", "gzip"))
    return response
  }

  private func header(_ name: String) -> String? {
    headers.first { $0.name.lowercased() == name }?.value
  }
}

enum AcceptEncoding {
  /// A longer header is ignored: nobody has as many encodings.
  private static let byteCountMax = 256

  /// Whether `Accept-Encoding` prefers gzip to no encoding.
  static func acceptsGzip(_ header: String?) -> Bool {
    guard let header, header.utf8.count <= byteCountMax else { return false }
    var weights: [String: Double] = [:]
    for entry in header.split(separator: ",") {
      let parts = entry.split(separator: ";").map { part in
        part.filter { $0 != " " && $0 != "\t" }.lowercased()
      }
      guard let coding = parts.first else { continue }
      let weight = parts.dropFirst().first { $0.hasPrefix("q=") }
      weights[coding] = weight.map { Double($0.dropFirst(2)) ?? 0 } ?? 1
    }
    let gzip = weights["gzip"] ?? weights["x-gzip"] ?? weights["*"] ?? 0
    return gzip > 0 && gzip >= weights["identity"] ?? 0
  }
}
