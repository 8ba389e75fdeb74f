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
      #expect(loop(method, path) == .session(SessionID("abc")))
    }
  }

  @Test func `the page of a session comes from its loop, which knows its title`() {
    #expect(loop(.get, "/s/abc") == .session(SessionID("abc")))
    #expect(loop(.get, "/s/abc/x") == .receiving)
  }

  @Test func `requests of operators about a session go to its loop`() {
    #expect(
      loop(.delete, "/v1/admin/sessions/abc") == .session(SessionID("abc")))
  }

  @Test func `new sessions are distributed round robin`() {
    #expect(loop(.post, "/v1/sessions") == .roundRobin)
    #expect(loop(.put, "/v1/sessions/by/order/1") == .roundRobin)
    #expect(loop(.get, "/v1/sessions") == .receiving)
  }

  @Test func `the clock is set by the first loop`() {
    #expect(loop(.post, "/v1/clock") == .first)
  }

  @Test(arguments: ["/", "/healthz", "/readyz", "/v1/definitions/check", "/client/index.mjs"])
  func `other requests stay on the loop that accepted them`(path: String) {
    #expect(loop(.get, path) == .receiving)
    #expect(loop(.post, path) == .receiving)
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

  @Test func `a path is complete before a query that is not`() {
    #expect(guess("GET /v1/sessions/abc?token=x") == .session(SessionID("abc")))
    #expect(guess("GET /v1/sessions/abc") == nil)
    #expect(guess("GET?") == nil)
  }

  @Test(arguments: [
    "/v1//./sessions/x/../abc", "/v1/sessions/%61bc/log", "/v1/sessions/%61%62%63?x=/y",
    "http://a/v1/sessions/abc", "/v1/sessions/by/../abc",
  ])
  func `requests are assigned by the segments of their path`(path: String) {
    let isName = path.contains("/by/")
    #expect(loop(.get, path) == (isName ? .roundRobin : .session(SessionID("abc"))))
  }

  @Test func `the loop of a new connection is guessed below a prefix, too`() {
    for target in ["/shared/v1/sessions/abc", "/v1/sessions/abc"] {
      let loop = Array("GET \(target) HTTP/1.1".utf8).withUnsafeBytes {
        RequestLoop(guessedFrom: $0, below: "/shared")
      }
      #expect(loop == .session(SessionID("abc")), "\(target)")
    }
  }

  private func loop(_ method: HTTPMethod, _ path: String) -> RequestLoop {
    RequestLoop(method: method, RequestTarget(path))
  }

  private func guess(_ received: String) -> RequestLoop? {
    Array(received.utf8).withUnsafeBytes { RequestLoop(guessedFrom: $0) }
  }
}
