import Testing
import WebSocketTransport

struct PeerNetworkTests {
  @Test func `an IPv4 address is its own network, also when mapped to IPv6`() throws {
    let one = try #require(PeerNetwork("192.0.2.1"))
    #expect(PeerNetwork("192.0.2.2") != one)
    #expect(PeerNetwork("::ffff:192.0.2.1") == one)
    #expect(PeerNetwork("::ffff:c000:201") == one)
  }

  @Test func `an IPv6 network has 64 bits`() throws {
    let one = try #require(PeerNetwork("2001:db8:1:2::1"))
    #expect(PeerNetwork("2001:db8:1:2:ffff:ffff:ffff:ffff") == one)
    #expect(PeerNetwork("2001:db8:1:3::1") != one)
    #expect(PeerNetwork("::1") != PeerNetwork("127.0.0.1"))
  }

  @Test func `only numeric addresses have a network`() {
    for text in ["", "localhost", "192.0.2", "192.0.2.1:80", "[::1]", "::1%lo", "1.2.3.4.5"] {
      #expect(PeerNetwork(text) == nil)
    }
  }
}
