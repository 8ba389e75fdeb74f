import Testing
import WebSocketTransport

@testable import PickerServer

@Suite struct ForwardedProtocolTests {
  private let gate = RequestGate(ServerConfiguration())

  private func request(from peer: String, _ header: String?) -> RequestHead {
    var headers = RequestHeaders()
    if let header { headers[.xForwardedProto] = header }
    return RequestHead(target: RequestTarget("/"), headers: headers, remoteAddress: peer)
  }

  @Test(arguments: ["https", "HTTPS", "https, http", "Https,  http", " https ,http"])
  func `the client used TLS if the outermost proxy reports it`(header: String) {
    #expect(gate.isSecure(request(from: "127.0.0.1", header)))
    #expect(gate.isSecure(request(from: "::1", header)))
    #expect(gate.isSecure(request(from: "unix", header)))
  }

  @Test(arguments: [nil, "", "http", "http, https", "httpsx", ",https"])
  func `the client did not use TLS otherwise`(header: String?) {
    #expect(!gate.isSecure(request(from: "127.0.0.1", header)))
  }

  @Test(arguments: ["10.0.0.1", "192.0.2.1", "::2", "", "unix:"])
  func `the header of an untrusted peer is ignored`(peer: String) {
    #expect(!gate.isSecure(request(from: peer, "https")))
  }
}
