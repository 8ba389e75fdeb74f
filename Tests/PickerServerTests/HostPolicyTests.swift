import Testing
import WebSocketTransport

@testable import PickerServer

@Suite struct HostPolicyTests {
  private func policy(_ listen: String, _ names: String...) throws -> HostPolicy {
    HostPolicy(
      listen: try listen.split(separator: " ").map { try ListenAddress(String($0)) },
      names: names.compactMap { HostName($0) })
  }

  @Test(arguments: [
    "localhost", "LocalHost:7681", "127.0.0.1", "127.0.0.1:1", "127.255.255.254:65535", "[::1]",
    "[::1]:7681", "[0:0::1]:80", "localhost:",
  ])
  func `a loopback listener accepts loopback hosts with any port`(host: String) throws {
    #expect(try policy("127.0.0.1:7681").verdict(on: host) == .accepted)
    #expect(try policy("[::1]:7681").verdict(on: host) == .accepted)
  }

  @Test(arguments: [
    "evil.example", "evil.example:7681", "localhost.evil.example", "127.0.0.1.evil.example",
    "127.1", "128.0.0.1", "10.0.0.1:7681", "[::2]", "[::ffff:127.0.0.1]", "localhost.", "0.0.0.0",
    "evil.localhost",
  ])
  func `a loopback listener rejects other hosts`(host: String) throws {
    #expect(try policy("127.0.0.1:7681").verdict(on: host) == .misdirected)
  }

  @Test(arguments: [
    nil, "", ":80", "a b", "a,b", "localhost, localhost", "a@b", "localhost:x", "localhost:65536",
    "localhost:123456", "::1", "[::1", "[::1]x", "[]", "[evil]", "http://localhost", "localhost/",
    "é.example", "a\u{0}b",
  ])
  func `a malformed Host header is reported`(header: String?) throws {
    for listen in ["127.0.0.1:7681", "0.0.0.0:7681"] {
      #expect(try policy(listen).verdict(on: header) == .malformed)
    }
  }

  @Test func `hosts can be added to the loopback hosts`() throws {
    let policy = try policy("127.0.0.1:7681", "Pick.example.org", "2001:db8::1")

    for host in ["pick.example.org", "PICK.example.org:443", "[2001:DB8:0::1]:80", "localhost"] {
      #expect(policy.verdict(on: host) == .accepted, "\(host)")
    }
    #expect(policy.verdict(on: "example.org") == .misdirected)
    #expect(policy.verdict(on: "www.pick.example.org") == .misdirected)
  }

  /// Regression: with a `--host`, Prometheus and backends that use the address got 421.
  @Test func `the listeners of the backend and of operators accept addresses, but no other names`()
    throws
  {
    for listen in ["127.0.0.1:7682", "0.0.0.0:7682"] {
      let policy = HostPolicy(
        listen: [try ListenAddress(listen)], names: [try #require(HostName("pick.example.org"))],
        acceptsAddresses: true)
      for host in ["10.0.0.1:7682", "0.0.0.0", "[2001:db8::1]:7682", "pick.example.org"] {
        #expect(policy.verdict(on: host) == .accepted, "\(host)")
      }
      for host in ["evil.example", "10.0.0.1.evil.example", "127.1", "1.2.3.4.5"] {
        #expect(policy.verdict(on: host) == .misdirected, "\(host)")
      }
    }
  }

  @Test func `other listeners accept every host unless hosts are configured`() throws {
    #expect(try policy("0.0.0.0:80").verdict(on: "pick.example.org") == .accepted)
    #expect(try policy("[::]:80").verdict(on: "10.1.2.3:80") == .accepted)

    let listed = try policy("0.0.0.0:80", "pick.example.org")
    #expect(listed.verdict(on: "pick.example.org") == .accepted)
    #expect(listed.verdict(on: "127.0.0.1") == .accepted)
    #expect(listed.verdict(on: "evil.example") == .misdirected)
  }

  @Test func `one listener that may be loopback protects all`() throws {
    for listen in ["127.0.0.1:1 0.0.0.0:80", "unix:/run/web [::1]:1", "systemd", "proxy:systemd:a"]
    {
      #expect(try policy(listen).verdict(on: "pick.example.org") == .misdirected, "\(listen)")
      #expect(try policy(listen, "pick.example.org").verdict(on: "pick.example.org") == .accepted)
    }
    #expect(try policy("unix:/run/web").verdict(on: "pick.example.org") == .accepted)
    #expect(try policy("unix:/a 0.0.0.0:80").verdict(on: "pick.example.org") == .accepted)
  }

  @Test(arguments: ["", "a b", "https://a.org", "a.org:80", "a/b", "*", "*.a.org", "[a]"])
  func `an invalid host option is refused`(text: String) {
    let problems = #expect(throws: ConfigurationProblems.self) {
      try ServerConfiguration.reading([.host: [text]])
    }

    #expect(problems?.all.map(\.place) == ["--host"])
  }

  @Test func `the admin listener is off unless an address is given`() throws {
    func admin(_ texts: [String]) throws -> [String] {
      try ServerConfiguration.reading([.adminListen: texts]).adminListen.map(\.description)
    }
    #expect(try admin([]) == [])
    #expect(try admin(["off"]) == [])
    #expect(try admin(["127.0.0.1:7682"]) == ["127.0.0.1:7682"])
    #expect(try admin([":1", "unix:/run/admin"]) == ["127.0.0.1:1", "unix:/run/admin"])
    let problems = #expect(throws: ConfigurationProblems.self) { try admin(["on"]) }
    #expect(problems?.all.map(\.place) == ["--admin-listen"])
  }

  @Test func `other nodes connect to a numeric address with a port`() throws {
    func node(_ texts: [String], _ store: String = "postgres://a@b/c") throws -> String? {
      try ServerConfiguration.reading([.nodeListen: texts, .store: [store]]).nodeListen?.description
    }
    #expect(try node([]) == nil)
    #expect(try node(["off"], "memory:") == nil)
    #expect(try node(["10.0.0.1:7683"]) == "10.0.0.1:7683")
    #expect(try node(["[FD00::1]:1"]) == "[fd00::1]:1")
    for (text, store) in [
      ("10.0.0.1:0", "postgres://a@b/c"), ("0.0.0.0:7683", "postgres://a@b/c"),
      ("[::]:7683", "postgres://a@b/c"), ("unix:/a", "postgres://a@b/c"),
      ("node1:7683", "postgres://a@b/c"), ("10.0.0.1:7683", "sqlite:/a"),
      ("10.0.0.1:7683", "memory:"),
    ] {
      let problems = #expect(throws: ConfigurationProblems.self) { try node([text], store) }
      #expect(problems?.all.map(\.place) == ["--node-listen"], "\(text) \(store)")
    }
  }

  @Test func `the address of a node in the database is read as it was written`() throws {
    for (text, host) in [("10.0.0.1:7683", "10.0.0.1"), ("[fd00::1]:7683", "fd00::1")] {
      #expect(NodeAddress(text) == NodeAddress(host: host, port: 7683))
    }
    for text in ["", "10.0.0.1", "10.0.0.1:", "10.0.0.1:65536", "10.0.0.1:a"] {
      #expect(NodeAddress(text) == nil)
    }
  }
}
