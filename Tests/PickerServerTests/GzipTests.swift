import Machine
import Testing

@testable import WebSocketTransport

@Suite struct GzipTests {
  @Test(arguments: [
    "gzip", "GZIP", "deflate, gzip;q=0.5", "gzip ; q=1, identity;q=0.5", "*", "x-gzip",
    "br;q=1.0, gzip;q=0.8, *;q=0.1", "gzip, identity",
    "gzip" + String(repeating: ",a", count: 126),
  ])
  func `gzip is selected for a client that accepts it`(header: String) {
    #expect(AcceptEncoding.acceptsGzip(header))
  }

  @Test(arguments: [
    nil, "", "identity", "br", "gzip;q=0", "gzip; q=0.0", "*;q=0", "identity, gzip;q=0.5",
    "gzip;q=0, *", "gzip;q=x", "gzip" + String(repeating: ",a", count: 127),
  ])
  func `gzip is not selected for any other client`(header: String?) {
    #expect(!AcceptEncoding.acceptsGzip(header))
  }

  private func response(_ byteCount: Int, _ type: String = "application/json") -> HTTPResponse {
    HTTPResponse(status: 200, contentType: type, body: [UInt8](repeating: 0x20, count: byteCount))
  }

  @Test func `responses of at least 1,024 bytes are negotiated`() {
    #expect(!response(1_023).isNegotiated)
    #expect(response(1_024).isNegotiated)
    #expect(!response(5_000, "image/png").isNegotiated)
    #expect(response(5_000, "image/svg+xml").isNegotiated)
  }

  @Test func `a response that gzip does not shorten is not compressed`() {
    var random = SystemRandomNumberGenerator()
    var noise = response(2_000)
    noise.body = noise.body.map { _ in UInt8.random(in: 0...255, using: &random) }

    #expect(noise.compressed().body == noise.body)
    let blanks = response(2_000).compressed()
    #expect(blanks.body.count < 100)
    #expect(blanks.body.starts(with: [0x1F, 0x8B]))
    #expect(blanks.headers.contains { $0.name == "Content-Encoding" && $0.value == "gzip" })
  }

  @Test func `only an ETag of content is weakened, and only once`() {
    var response = response(2_000)
    response.headers.append(("ETag", "\"a\""))
    response.weakenTag()
    #expect(response.headers.last?.value == "\"a\"")
    response.hasTagOfContent = true
    response.weakenTag()
    response.weakenTag()
    #expect(response.headers.last?.value == "W/\"a\"")
  }

  @Test func `values of Vary are merged into one header`() {
    var response = response(2_000)
    response.headers.append(("Vary", "Origin"))
    response.vary(by: "Accept-Encoding")
    let values = response.headers.filter { $0.name == "Vary" }.map(\.value)
    #expect(values == ["Origin, Accept-Encoding"])
  }

  @Test func `an incompressible part fits into the reserved space`() {
    var random = SystemRandomNumberGenerator()
    var parts = GzipParts()
    for byteCount in [0, 1, 100_000, 16_384, 0] {
      let noise = (0..<byteCount).map { _ in UInt8.random(in: 0...255, using: &random) }
      #expect(parts.compress(noise, isLast: false) != nil)
    }
    // The file ends with its length, 116,385.
    #expect(parts.compress([], isLast: true)?.suffix(4) == [0xA1, 0xC6, 1, 0])
  }
}
