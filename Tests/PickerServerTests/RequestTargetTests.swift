import Testing
import WebSocketTransport

@Suite struct RequestTargetTests {
  @Test(arguments: [
    ("/", [""]), ("/a/b", ["a", "b"]), ("/a/", ["a", ""]), ("/a//b/./c/../d", ["a", "b", "d"]),
    ("/a/..", [""]), ("/../a", ["a"]), ("/a/%2e%2E/%2f/b", ["a", "..", "/", "b"]),
    ("/a+b;c=d&e", ["a+b;c=d&e"]), ("/gr%C3%BC%c3%9fe%25", ["grüße%"]), ("*", ["*"]),
    ("/%252e%252e", ["%2e%2e"]),
  ])
  func `a path has decoded segments`(text: String, segments: [String]) {
    #expect(RequestTarget(text).segments == segments)
  }

  @Test(arguments: [
    ("a/../b//.", ["a", "..", "b", "", "."]), ("..", [".."]), ("%2e%2e/%2F", ["..", "/"]),
    ("", [""]),
  ])
  func `an external id is literal`(text: String, segments: [String]) {
    let expected = ["v1", "sessions", "by"] + segments
    #expect(RequestTarget("/v1/./sessions/by/" + text).segments == expected)
    #expect(RequestTarget("/v1//sessions/b%79/" + text).segments == expected)
  }

  @Test func `a query has decoded fields, separated by ampersands only`() {
    let target = RequestTarget("/p?a=b+c%2Bd;e&&%66=&g&h=i=j?k/l")
    #expect(target.query.map(\.name) == ["a", "f", "g", "h"])
    #expect(target.query.map(\.value) == ["b c+d;e", "", "", "i=j?k/l"])
  }

  @Test(arguments: [
    ("http://example.org/a?b", "example.org", "/a?b"), ("HTTPS://[::1]:80", "[::1]:80", "/"),
    ("http://h?q", "h", "/?q"),
  ])
  func `an absolute target has an authority`(text: String, authority: String, rest: String) {
    let target = RequestTarget(text)
    #expect(target.authority == authority)
    #expect(target.text == rest)
    let head = RequestHead(target: target, headers: RequestHeaders(), remoteAddress: "")
    #expect(head.headers[.host] == authority)
  }

  @Test(arguments: ["/http://a/b", "/a?b=http://c", "*"])
  func `other targets have no authority`(text: String) {
    #expect(RequestTarget(text).authority == nil)
    #expect(RequestTarget(text).text == text)
  }

  @Test(arguments: [
    ("/shared/", "/"), ("/shared/a?b", "/a?b"), ("/shared//a", "//a"), ("/shared/../a", "/../a"),
    ("http://h/shared/v1/sessions/x", "/v1/sessions/x"), ("/shared/shared/a", "/shared/a"),
    ("/", "/"), ("/a/shared/b", "/a/shared/b"), ("/sharedx/a", "/sharedx/a"),
    ("/shared%2Fa", "/shared%2Fa"), ("/Shared/a", "/Shared/a"), ("*", "*"),
  ])
  func `a prefix is removed from a path that begins with it`(text: String, rest: String) {
    let target = RequestTarget(text, below: "/shared")
    #expect(target.text == rest)
    #expect(target.segments == RequestTarget(rest).segments)
    #expect(!target.lacksSlash)
  }

  @Test func `the prefix without a slash is the root without a slash`() {
    for text in ["/shared", "/shared?a", "http://h/shared"] {
      let target = RequestTarget(text, below: "/shared")
      #expect(target.path == "/" && target.lacksSlash, "\(text)")
    }
    #expect(RequestTarget("/shared?a", below: "/shared").text == "/?a")
    #expect(!RequestTarget("http://h").lacksSlash)
  }

  @Test(arguments: ["/%", "/%4", "/%zz", "/a?%", "/%c3"])
  func `a target that was not checked can be parsed`(text: String) {
    #expect(RequestTarget(text).segments.count == 1)
  }
}
