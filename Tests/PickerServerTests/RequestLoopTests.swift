import PickerSession
import Testing
import WebSocketTransport

@Suite struct RequestLoopTests {
  @Test(arguments: [
    "/v1/sessions/abc", "/v1/sessions/abc/log", "/v1/sessions/abc/months/2026-11.svg",
    "/v1/sessions/abc/",
  ])
  func `requests of a session go to its loop`(path: String) {
    for method in [HTTPMethod.get, .post, .delete, .put] {
      #expect(RequestLoop(method: method, path: path) == .session(SessionID("abc")))
    }
  }

  @Test func `requests of operators about a session go to its loop`() {
    #expect(
      RequestLoop(method: .delete, path: "/v1/admin/sessions/abc") == .session(SessionID("abc")))
  }

  @Test func `new sessions are distributed round robin`() {
    #expect(RequestLoop(method: .post, path: "/v1/sessions") == .roundRobin)
    #expect(RequestLoop(method: .put, path: "/v1/sessions/by/order/1") == .roundRobin)
    #expect(RequestLoop(method: .get, path: "/v1/sessions") == .receiving)
  }

  @Test func `the clock is set by the first loop`() {
    #expect(RequestLoop(method: .post, path: "/v1/clock") == .first)
  }

  @Test(arguments: ["/", "/healthz", "/readyz", "/v1/definitions/check", "/client/index.mjs"])
  func `other requests stay on the loop that accepted them`(path: String) {
    #expect(RequestLoop(method: .get, path: path) == .receiving)
    #expect(RequestLoop(method: .post, path: path) == .receiving)
  }

  @Test(arguments: [
    "GET /v1/sessions/abc HTTP/1.1\r\n", "GET /v1/sessions/abc HTTP/1.1\r\nHost: a\r\n\r\n",
    "DELETE /v1/sessions/abc?x=1 HTTP/1.1", "GET /v1/sessions/abc/events ",
  ])
  func `the first bytes of a connection may identify its session`(received: String) {
    #expect(guess(received) == .session(SessionID("abc")))
  }

  @Test(arguments: ["", "G", "GET /v1/sessions/ab", "GET  HTTP", "\u{0}\u{1}", "PRI * HTTP/2.0"])
  func `incomplete and other first bytes identify no session`(received: String) {
    if case .session? = guess(received) { Issue.record("a session in \(received)") }
  }

  private func guess(_ received: String) -> RequestLoop? {
    Array(received.utf8).withUnsafeBytes { RequestLoop(guessedFrom: $0) }
  }
}
