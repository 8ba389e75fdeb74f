import CWebSocketLoop

/// The rules of opening handshakes: libwebsockets 4.1.6 accepts any key, version and method.
enum Handshake {
  /// The response that refuses a handshake; `nil` if it is valid. - Source: RFC 6455, section 4.2.1
  static func refusal(of request: inout wsl_request) -> HTTPResponse? {
    if let detail = error(in: &request) { return .problem(400, "badRequest", detail) }
    if bytes(of: WSL_VERSION, &request).elementsEqual("13".utf8) { return nil }
    var refusal = HTTPResponse.problem(426, "badRequest", "Sec-WebSocket-Version must be 13")
    refusal.headers += [("Upgrade", "websocket"), ("Sec-WebSocket-Version", "13")]
    return refusal
  }

  private static func error(in request: inout wsl_request) -> String? {
    guard request.method == WSL_GET else {
      return "the method of a WebSocket handshake must be GET"
    }
    guard request.is_1_1 else { return "the HTTP version of a WebSocket handshake must be 1.1" }
    let tokens = bytes(of: WSL_CONNECTION, &request).split { " \t,".utf8.contains($0) }
    guard tokens.contains(where: { String(decoding: $0, as: UTF8.self).lowercased() == "upgrade" })
    else { return "the Connection header must contain Upgrade" }
    guard isKey(bytes(of: WSL_KEY, &request)) else {
      return "Sec-WebSocket-Key must be 16 bytes in base64"
    }
    return request.unread > 0 ? "a WebSocket handshake must not have a body" : nil
  }

  /// Whether a key is the base64 encoding of 16 bytes. - Source: RFC 6455, section 4.1
  private static func isKey(_ key: UnsafeRawBufferPointer) -> Bool {
    key.count == 24 && key[22...].elementsEqual("==".utf8)
      && key[..<22].allSatisfy {
        switch $0 {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "+"), UInt8(ascii: "/"): true
        default: false
        }
      }
  }

  private static func bytes(
    of header: wsl_header, _ request: inout wsl_request
  ) -> UnsafeRawBufferPointer {
    let text = request.value(of: Int(header.rawValue))
    return UnsafeRawBufferPointer(start: text.bytes, count: text.count)
  }
}

extension HTTPResponse {
  /// A problem document of the transport, which closes the connection. - Source: RFC 9457
  static func problem(_ status: Int, _ code: String, _ detail: String) -> HTTPResponse {
    let title = reasonPhrase(of: status)
    let body =
      #"{"type":"about:blank","title":"\#(title)","status":\#(status),"code":"\#(code)","#
      + #""detail":"\#(detail)"}"#
    var response = HTTPResponse(
      status: status, contentType: "application/problem+json", body: Array(body.utf8))
    response.keepAlive = false
    return response
  }
}
