import Testing

@testable import PickerServer

@Suite struct ForwardedProtocolTests {
  @Test(arguments: ["https", "HTTPS", "https, http", "Https,  http", " https ,http"])
  func `the outermost proxy was asked over TLS`(header: String) {
    #expect(HubRoutes.isSecure(forwardedAs: header))
  }

  @Test(arguments: [nil, "", "http", "http, https", "httpsx", ",https"])
  func `or not`(header: String?) {
    #expect(!HubRoutes.isSecure(forwardedAs: header))
  }
}
