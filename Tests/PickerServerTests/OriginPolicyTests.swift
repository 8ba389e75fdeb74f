import Testing

@testable import PickerServer

@Suite struct OriginPolicyTests {
  @Test(arguments: [
    ("http://localhost:3000", "http://localhost:3000"),
    ("HTTPS://Example.ORG", "https://example.org"),
    ("https://example.org:443", "https://example.org"),
    ("http://example.org:80", "http://example.org"),
    ("https://example.org:80", "https://example.org:80"),
    ("http://[::1]:7681", "http://[::1]:7681"),
    ("http://[::1]", "http://[::1]"),
  ])
  func `an origin has a scheme, a host and a port`(text: String, normalized: String) {
    #expect(WebOrigin(text)?.description == normalized)
  }

  @Test(arguments: [
    "", "null", "*", "https://", "https://*", "https://a.org/", "https://a.org/x", "ftp://a.org",
    "https://a.org, https://b.org", "https://a.org:", "https://a.org:0", "https://a.org:65536",
    "https://a.org:+80", "https://a@b.org", "https://a.org?x", "//a.org", "a.org", "https://:80",
    "https://[::1", "https://a:b:80", "https://a.org\u{0}", "https://[]:80", "https://é.org",
  ])
  func `malformed origins are refused`(text: String) {
    #expect(WebOrigin(text) == nil)
  }

  @Test func `without configured origins only pages of the request's own host may connect`() {
    let policy = OriginPolicy(allowed: [])

    #expect(policy.allows(origin: "http://127.0.0.1:7681", host: "127.0.0.1:7681"))
    #expect(policy.allows(origin: "https://pick.example.org", host: "Pick.example.org"))
    #expect(policy.allows(origin: "https://pick.example.org", host: "pick.example.org:443"))
    #expect(!policy.allows(origin: "http://127.0.0.1:7682", host: "127.0.0.1:7681"))
    #expect(!policy.allows(origin: "https://evil.org", host: "pick.example.org"))
    #expect(!policy.allows(origin: "https://pick.example.org.evil.org", host: "pick.example.org"))
    #expect(!policy.allows(origin: "null", host: "pick.example.org"))
    #expect(!policy.allows(origin: "http://a.org, http://a.org", host: "a.org"))
    #expect(!policy.allows(origin: "http://a.org", host: nil))
    #expect(!policy.allows(origin: "", host: "a.org"))
  }

  /// Regression: the server's own page could not connect.
  @Test func `configured origins are allowed in addition to the own host`() throws {
    let policy = OriginPolicy(allowed: [try #require(WebOrigin("https://example.org"))])

    #expect(policy.allows(origin: "https://example.org", host: "pick.example.org"))
    #expect(policy.allows(origin: "https://pick.example.org", host: "pick.example.org"))
    #expect(!policy.allows(origin: "http://example.org", host: "pick.example.org"))
    #expect(!policy.allows(origin: "https://pick.example.org", host: nil))
    #expect(!policy.allows(origin: "https://example.org:8443", host: "pick.example.org"))
  }

  @Test func `requests without an origin are allowed`() {
    let listed = OriginPolicy(allowed: [WebOrigin("https://example.org")!])

    #expect(OriginPolicy(allowed: []).allows(origin: nil, host: "a.org"))
    #expect(listed.allows(origin: nil, host: nil))
  }
}
