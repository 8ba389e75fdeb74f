import Synchronization
import WebSocketTransport

/// Answers the requests of the listener of `--redirect-http`.
/// - Source: RFC 9110, section 15.4.9
final class HTTPSRedirect: Sendable {
  private let port = Atomic(443)
  private let publicURL: PublicURL?

  init(to publicURL: PublicURL? = nil) { self.publicURL = publicURL }

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
    if let publicURL { return publicURL.base + head.target.text }
    var host = head.headers[.host] ?? ""
    if let colon = host.lastIndex(of: ":"), !host.hasSuffix("]") { host = String(host[..<colon]) }
    let port = self.port.load(ordering: .relaxed)
    let authority = port == 443 ? host : "\(host):\(port)"
    return "https://" + authority + head.target.text
  }
}
