import Testing

@testable import PickerServer

@Suite struct PeerAddressTests {
  @Test func `an IPv4 address is identified by 32 bits, an IPv6 address by 64 bits`() throws {
    let first = try #require(PeerAddress("192.0.2.1"))
    #expect(first.network != PeerAddress("192.0.2.2")?.network)
    #expect(first == PeerAddress("::ffff:192.0.2.1") && first == PeerAddress("::ffff:c000:201"))
    #expect(PeerAddress("::1")?.network != PeerAddress("127.0.0.1")?.network)

    let six = try #require(PeerAddress("2001:db8:1:2::1"))
    #expect(six.network == PeerAddress("2001:db8:1:2:ffff::2")?.network)
    #expect(six.network != PeerAddress("2001:db8:1:3::1")?.network)
  }

  @Test(arguments: ["", "localhost", "1.2.3", "1.2.3.4:80", "[::1]", "::g", "::1%lo", "1.2.3.4.5"])
  func `malformed addresses are refused`(text: String) {
    #expect(PeerAddress(text) == nil)
  }

  @Test(arguments: [
    ("10.0.0.0/8", "10.255.0.1", true), ("10.0.0.0/8", "11.0.0.1", false),
    ("10.1.2.3/8", "10.9.9.9", true), ("0.0.0.0/0", "203.0.113.9", true),
    ("0.0.0.0/0", "2001:db8::1", false), ("192.0.2.7", "192.0.2.7", true),
    ("192.0.2.7", "192.0.2.8", false), ("192.0.2.0/31", "192.0.2.1", true),
    ("192.0.2.0/31", "192.0.2.2", false), ("fd00::/8", "fdff::1", true),
    ("fd00::/8", "fe00::1", false), ("2001:db8::/65", "2001:db8::7fff:0:0:1", true),
    ("2001:db8::/65", "2001:db8::8000:0:0:1", false), ("::1", "::1", true), ("::1", "::2", false),
    ("::/0", "192.0.2.1", true),
  ])
  func `a range contains the addresses of its prefix`(
    range: String, address: String, isInside: Bool
  ) throws {
    let range = try #require(AddressRange(range))
    #expect(range.contains(try #require(PeerAddress(address))) == isInside)
  }

  @Test(arguments: ["", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/", "::/129", "10/8", "proxy", "/8"])
  func `malformed ranges are refused`(text: String) {
    #expect(AddressRange(text) == nil)
    let problems = #expect(throws: ConfigurationProblems.self) {
      try ServerConfiguration.reading([.trustedProxy: [text]])
    }
    #expect(problems?.all.map(\.place) == ["--trusted-proxy"])
  }

  @Test(arguments: [
    (nil, "10.0.0.1"), ("", "10.0.0.1"), ("192.0.2.1", "192.0.2.1"),
    ("192.0.2.1:4711", "192.0.2.1"), ("[2001:db8::1]:80", "2001:db8::1"),
    ("2001:db8::1", "2001:db8::1"),
    // Addresses that the client itself sent are on the left.
    ("198.51.100.9, 192.0.2.1", "192.0.2.1"), ("198.51.100.9,192.0.2.1 , 10.0.0.2", "192.0.2.1"),
    ("10.9.9.9, 10.0.0.3", "10.9.9.9"), ("192.0.2.1, unknown", "10.0.0.1"),
    ("192.0.2.1, evil, 10.0.0.2", "10.0.0.2"), ("192.0.2.1,", "10.0.0.1"),
  ])
  func `the client is the rightmost address that is not a trusted proxy`(
    header: String?, client: String
  ) throws {
    let proxies = TrustedProxies([try #require(AddressRange("10.0.0.0/8"))])
    #expect(proxies.client(peer: "10.0.0.1", forwardedFor: header) == PeerAddress(client))
  }

  @Test func `the header of an untrusted peer is ignored`() throws {
    let proxies = TrustedProxies.standard
    #expect(
      proxies.client(peer: "203.0.113.5", forwardedFor: "192.0.2.1") == PeerAddress("203.0.113.5"))
    #expect(
      TrustedProxies([]).client(peer: "127.0.0.1", forwardedFor: "192.0.2.1")
        == PeerAddress("127.0.0.1"))
  }

  @Test func `the peer of a Unix socket has no address, but a trusted one can forward others`() {
    let trusting = TrustedProxies([], trustsUnixSockets: true)
    for proxies in [trusting, TrustedProxies.standard] {
      #expect(proxies.contains("unix"))
      #expect(
        proxies.client(peer: "unix", forwardedFor: "192.0.2.1") == PeerAddress("192.0.2.1"))
      #expect(proxies.client(peer: "unix", forwardedFor: nil) == nil)
    }
    #expect(!TrustedProxies([]).contains("unix"))
    #expect(TrustedProxies([]).client(peer: "unix", forwardedFor: "192.0.2.1") == nil)
    #expect(
      trusting.client(peer: "unix", forwardedFor: "1.1.1.1, 2.2.2.2") == PeerAddress("2.2.2.2"))
  }
}
