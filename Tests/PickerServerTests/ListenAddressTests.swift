import Testing

@testable import PickerServer

@Suite struct ListenAddressTests {
  @Test(arguments: [
    ("127.0.0.1:7681", "127.0.0.1", 7681), ("0.0.0.0:80", "0.0.0.0", 80),
    ("[::1]:7681", "::1", 7681),
    ("[2001:DB8:0::1]:1", "2001:db8::1", 1), (":0", "127.0.0.1", 0),
    (":65535", "127.0.0.1", 65_535),
  ])
  func `numeric addresses with a port are parsed`(text: String, host: String, port: Int) throws {
    let address = try ListenAddress(text)

    let tcp = TCPAddress(host: host, port: port, isIPv6: host.contains(":"))
    #expect(address.socket == .tcp(tcp))
    #expect(try ListenAddress(address.description) == address)
  }

  @Test(arguments: [
    "", "7681", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536", "127.0.0.1:-1", "127.0.0.1:+1",
    "localhost:7681", "::1:7681", "[::1]", "[127.0.0.1]:1", "[::1%lo]:1", "256.0.0.1:1", "*:80",
    "127.0.0.1:٧", " 127.0.0.1:1", "127.1:80", "[]:1", ":000000",
  ])
  func `other addresses are refused with an example`(text: String) {
    let problem = #expect(throws: ConfigurationProblem.self) { try ListenAddress(text) }

    #expect(problem?.detail.contains("Write ADDRESS:PORT") == true)
    #expect(problem?.detail.contains("such as 127.0.0.1:7681") == true)
  }

  @Test func `the path of a Unix socket is absolute and fits into the kernel's structure`() throws {
    let longest = "unix:/" + String(repeating: "x", count: 106)

    #expect(try ListenAddress("unix:/run/web").socket == .unix(path: "/run/web"))
    #expect(try ListenAddress(longest).description == longest)
    for text in ["unix:", "unix:web", "unix:@web", longest + "x", "unix:/a\0b"] {
      #expect(throws: ConfigurationProblem.self, "\(text)") { try ListenAddress(text) }
    }
  }

  @Test func `a systemd socket has the standard name of its setting unless it is named`() throws {
    #expect(try ListenAddress("systemd").socket == .systemd(name: "public"))
    #expect(try ListenAddress("systemd", of: .adminListen).socket == .systemd(name: "admin"))
    #expect(try ListenAddress("systemd", of: .redirectHttp).socket == .systemd(name: "redirect"))
    #expect(try ListenAddress("systemd:web.socket").socket == .systemd(name: "web.socket"))
  }

  @Test func `each prefix belongs to one setting`() throws {
    for text in ["proxy:127.0.0.1:1", "proxy:unix:/run/web", "proxy:systemd:web"] {
      let address = try ListenAddress(text)
      #expect(address.isProxied && !address.hasTLS && address.description == text)
      #expect(throws: ConfigurationProblem.self) { try ListenAddress(text, of: .adminListen) }
      #expect(throws: ConfigurationProblem.self) { try ListenAddress(text, of: .redirectHttp) }
    }
    let admin = try ListenAddress("tls:10.0.0.1:1", of: .adminListen)
    #expect(admin.hasTLS && !admin.isProxied && admin.description == "tls:10.0.0.1:1")
    #expect(throws: ConfigurationProblem.self) { try ListenAddress("tls:10.0.0.1:1") }
    #expect(throws: ConfigurationProblem.self) {
      try ListenAddress("tls:proxy::1", of: .adminListen)
    }
  }

  @Test func `only loopback addresses are local`() throws {
    #expect(try ListenAddress("127.8.9.1:1").mayBeLoopback)
    #expect(try ListenAddress("[::1]:1").mayBeLoopback)
    #expect(try !ListenAddress("0.0.0.0:1").mayBeLoopback)
    #expect(try !ListenAddress("[::]:1").mayBeLoopback)
  }
}
