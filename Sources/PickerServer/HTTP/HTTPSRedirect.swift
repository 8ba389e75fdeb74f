import Synchronization
import WebSocketTransport

/// Answers the requests of the listener of `--redirect-http`.
/// - Source: RFC 9110, section 15.4.9
final class HTTPSRedirect: Sendable {
  private let port = Atomic(443)

  /// - Parameter port: The port of the public listener.
  func use(port: UInt16) { self.port.store(Int(port), ordering: .relaxed) }

  /// The redirect to the same resource over https.
  ///
  /// - Throws: 403 for requests that change something, which a client must not send unencrypted.
  func response(to request: HTTPRequest) throws(ProblemDocument) -> HTTPResponse {
    guard request.method == .get || request.method == .head else { throw HTTPSRedirect.refusal }
    return HTTPResponse(status: 308, headers: [("Location", location(of: request.head))])
  }

  static var refusal: ProblemDocument {
    ProblemDocument(
      status: 403, code: "notAllowed", detail: "this server accepts such requests over https only")
  }

  /// Must follow the check of the `Host` header.
  func location(of head: RequestHead) -> String {
    var host = head.headers[.host] ?? ""
    if let colon = host.lastIndex(of: ":"), !host.hasSuffix("]") { host = String(host[..<colon]) }
    let port = self.port.load(ordering: .relaxed)
    let authority = port == 443 ? host : "\(host):\(port)"
    let query = head.query.map { field in
      let name = HTTPSRedirect.encoded(field.name)
      return field.hasEqualsSign ? "\(name)=\(HTTPSRedirect.encoded(field.value))" : name
    }
    return "https://" + authority + HTTPSRedirect.encoded(head.path, keeping: UInt8(ascii: "/"))
      + (query.isEmpty ? "" : "?" + query.joined(separator: "&"))
  }

  /// Percent-encodes everything but unreserved characters.
  /// - Source: RFC 3986, section 2.3
  private static func encoded(_ text: String, keeping kept: UInt8 = UInt8(ascii: "-")) -> String {
    var bytes: [UInt8] = []
    let digits = Array("0123456789ABCDEF".utf8)
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
        UInt8(ascii: "_"), UInt8(ascii: "~"), kept:
        bytes.append(byte)
      default:
        bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
