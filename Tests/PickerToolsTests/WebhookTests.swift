import JSONText
import PickerServer
import Testing

@testable import PickerTools

/// The signatures, addresses and settings of `pickerd deliver`.
@Suite struct WebhookTests {
  /// - Source: the test of the Standard Webhooks libraries, `sign works`.
  @Test func `a signature is that of the Standard Webhooks libraries`() throws {
    let secret = try #require(WebhookSecret("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"))
    let body = Array(#"{"test": 2432232314}"#.utf8)

    #expect(
      secret.signature(id: "msg_p5jXN8AQM9LWM0D4loKWxJek", timestamp: 1_614_265_330, body: body)
        == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=")
  }

  /// - Source: RFC 8032, section 7.1, test 1: the seed; the signature of another message.
  @Test func `an Ed25519 signature has 64 bytes and is the same each time`() throws {
    let seed = "nWGxne/9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A="
    let secret = try #require(WebhookSecret("whsk_" + seed))

    let first = secret.signature(id: "a", timestamp: 1, body: [])
    let second = secret.signature(id: "a", timestamp: 1, body: [])

    #expect(first == second)
    #expect(first?.hasPrefix("v1a,") == true)
    #expect(first?.count == 4 + 88)
  }

  @Test(arguments: ["", "whsec_", "whsec_!!", "whsec_YWJj", "whsk_YWJj", "whpk_MfKQ9r8GKYqrTwjU"])
  func `text that is no secret is refused`(text: String) {
    #expect(WebhookSecret(text) == nil)
  }

  @Test(arguments: [
    "127.0.0.1", "127.255.255.255", "::1", "::", "0.0.0.0", "10.0.0.1", "::ffff:10.0.0.1",
    "::ffff:127.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1", "169.254.169.254",
    "100.64.0.1", "224.0.0.1", "255.255.255.255", "fe80::1", "fc00::1", "fd00:ec2::254", "ff02::1",
    "64:ff9b::a00:1", "2002:a00:1::", "2001::1", "2001:db8::1", "192.0.2.1", "198.18.0.1",
  ])
  func `addresses that are not public are refused`(text: String) throws {
    #expect(!AddressPolicy().admits(try #require(PeerAddress(text))))
  }

  @Test(arguments: ["1.1.1.1", "172.32.0.1", "100.128.0.1", "2606:4700::1111", "::ffff:8.8.8.8"])
  func `public addresses are admitted`(text: String) throws {
    #expect(AddressPolicy().admits(try #require(PeerAddress(text))))
  }

  @Test func `a network can be allowed`() throws {
    let policy = AddressPolicy(allowed: [try #require(AddressRange("10.1.0.0/16"))])
    #expect(policy.admits(try #require(PeerAddress("10.1.2.3"))))
    #expect(policy.admits(try #require(PeerAddress("::ffff:10.1.2.3"))))
    #expect(!policy.admits(try #require(PeerAddress("10.2.0.1"))))
  }

  private func settings(_ endpoints: String) throws -> DeliverySettings {
    try DeliverySettings(content: Array(#"{"endpoints":[\#(endpoints)]}"#.utf8))
  }

  private let secret = #""whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw""#

  @Test func `endpoints have a name, a URL, up to 3 secrets, and types`() throws {
    let endpoint = try settings(
      #"{"name":"a","url":"https://a.example/","secrets":[\#(secret)],"types":["result.changed"]}"#
    ).endpoints[0]

    #expect(endpoint.types == ["result.changed"])
    #expect(endpoint.secrets.count == 1)
  }

  @Test func `settings that are not valid are refused`() {
    let url = #""url":"https://a.example/""#
    for text in [
      "", #"{"name":"a",\#(url)}"#, #"{"name":"a b",\#(url),"secrets":[\#(secret)]}"#,
      #"{"name":"a","url":"ftp://a","secrets":[\#(secret)]}"#,
      #"{"name":"a",\#(url),"secrets":["x"]}"#, #"{"name":"a",\#(url),"secrets":[]}"#,
      #"{"name":"a",\#(url),"secrets":[\#(secret),\#(secret),\#(secret),\#(secret)]}"#,
      #"{"name":"a",\#(url),"secrets":[\#(secret)],"types":["no"]}"#,
      #"{"name":"a",\#(url),"secrets":[\#(secret)],"typos":[]}"#,
    ] {
      #expect(throws: KeyFileProblem.self) { try settings(text) }
    }
  }

  @Test func `the body of a request is the bytes of the event in the feed`() throws {
    let line =
      #"{"id":"ev_1","position":7,"type":"t","timestamp":"x","data":{"session":"s","n":1.50}}"#
    let event = try #require(DeliveryEvent(line: ArraySlice(line.utf8)))
    let secret = try #require(WebhookSecret("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"))
    let endpoint = DeliverySettings.Endpoint(
      name: "shop", url: "https://shop.example", types: nil, secrets: [secret])
    let attempt = DeliveryAttempt(event: event, number: 1, watermark: 3)
    let request = endpoint.request(attempt, id: 1, allowsHTTP: false)
    #expect(
      String(decoding: request.body ?? [], as: UTF8.self)
        == #"{"type":"t","timestamp":"x","data":{"session":"s","n":1.50},"#
        + #""position":7,"watermark":3}"#)
  }

  @Test func `an event with the deepest meta of a session and of a token is delivered`() {
    let deep = String(repeating: "[", count: 127) + String(repeating: "]", count: 127)
    let line =
      #"{"id":"ev_1","position":7,"type":"t","timestamp":"x","data":{"session":"s","#
      + #""meta":\#(deep),"member":{"meta":\#(deep)}}}"#

    #expect(DeliveryEvent(line: ArraySlice(line.utf8))?.session == "s")
  }

  @Test func `an event of a shared definition is in the order of that definition`() {
    let line =
      #"{"id":"ev_1","position":7,"type":"definition.changed","timestamp":"x","#
      + #""data":{"name":"room","version":3}}"#

    #expect(DeliveryEvent(line: ArraySlice(line.utf8))?.session == "definition room")
  }
}
