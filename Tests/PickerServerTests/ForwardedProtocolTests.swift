import Testing
import WebSocketTransport

@testable import PickerServer

@Suite struct ForwardedProtocolTests {
  private let gate = RequestGate(ServerConfiguration())

  private func request(from peer: String, _ header: String?) -> RequestHead {
    var headers = RequestHeaders()
    if let header { headers[.xForwardedProto] = header }
    return RequestHead(path: "/", query: [], headers: headers, remoteAddress: peer)
  }

  @Test(arguments: ["https", "HTTPS", "https, http", "Https,  http", " https ,http"])
  func `the outermost proxy was asked over TLS`(header: String) {
    #expect(gate.isSecure(request(from: "127.0.0.1", header)))
    #expect(gate.isSecure(request(from: "::1", header)))
  }

  @Test(arguments: [nil, "", "http", "http, https", "httpsx", ",https"])
  func `or not`(header: String?) {
    #expect(!gate.isSecure(request(from: "127.0.0.1", header)))
  }

  @Test(arguments: ["10.0.0.1", "192.0.2.1", "::2", "", "unix:"])
  func `a peer that is not a trusted proxy is not believed`(peer: String) {
    #expect(!gate.isSecure(request(from: peer, "https")))
  }
}
