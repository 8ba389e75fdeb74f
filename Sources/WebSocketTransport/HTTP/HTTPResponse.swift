import CMachine

/// An HTTP response. The loop adds `Content-Length`, `Date` and `Connection`.
package struct HTTPResponse: Sendable {
  package var status: Int
  package typealias Header = (name: String, value: String)

  package var headers: [Header]
  package var body: [UInt8]
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
