import PickerSession
import Testing
import WebSocketTransport

@Suite struct RequestPlaceTests {
  @Test(arguments: [
    "/v1/sessions/abc", "/v1/sessions/abc/log", "/v1/sessions/abc/months/2026-11.svg",
    "/v1/sessions/abc/",
  ])
  func `requests of a session go to its loop`(path: String) {
    for method in [HTTPMethod.get, .post, .delete, .put] {
      #expect(RequestPlace(method: method, path: path) == .session(SessionID("abc")))
    }
  }

  @Test func `new sessions are distributed round robin`() {
    #expect(RequestPlace(method: .post, path: "/v1/sessions") == .inTurn)
    #expect(RequestPlace(method: .put, path: "/v1/sessions/by/order/1") == .inTurn)
    #expect(RequestPlace(method: .get, path: "/v1/sessions") == .here)
  }

  @Test func `the clock is set by the first loop`() {
    #expect(RequestPlace(method: .post, path: "/v1/clock") == .first)
  }

  @Test(arguments: ["/", "/healthz", "/readyz", "/v1/definitions/check", "/client/index.mjs"])
  func `other requests stay on the loop that accepted them`(path: String) {
    #expect(RequestPlace(method: .get, path: path) == .here)
    #expect(RequestPlace(method: .post, path: path) == .here)
  }

  @Test(arguments: [
    "GET /v1/sessions/abc HTTP/1.1\r\n", "GET /v1/sessions/abc HTTP/1.1\r\nHost: a\r\n\r\n",
    "DELETE /v1/sessions/abc?x=1 HTTP/1.1", "GET /v1/sessions/abc/events ",
  ])
  func `the first bytes of a connection may identify its session`(said: String) {
    #expect(guess(said) == .session(SessionID("abc")))
  }

  @Test(arguments: ["", "G", "GET /v1/sessions/ab", "GET  HTTP", "\u{0}\u{1}", "PRI * HTTP/2.0"])
  func `incomplete and other first bytes identify no session`(said: String) {
    if case .session? = guess(said) { Issue.record("a session in \(said)") }
  }

  private func guess(_ said: String) -> RequestPlace? {
    Array(said.utf8).withUnsafeBytes { RequestPlace(guessedFrom: $0) }
  }
}
