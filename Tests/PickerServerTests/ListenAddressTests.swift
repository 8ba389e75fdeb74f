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

    #expect(address.host == host)
    #expect(address.port == port)
    #expect(address.isIPv6 == host.contains(":"))
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

  @Test func `only loopback addresses are local`() throws {
    #expect(try ListenAddress("127.8.9.1:1").isLoopback)
    #expect(try ListenAddress("[::1]:1").isLoopback)
    #expect(try !ListenAddress("0.0.0.0:1").isLoopback)
    #expect(try !ListenAddress("[::]:1").isLoopback)
  }
}
