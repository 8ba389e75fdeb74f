import Testing
import WebSocketTransport

@testable import PickerServer

/// `--public-url`
@Suite struct PublicURLTests {
  @Test(arguments: [
    ("https://picker.example", "https://picker.example/", ""),
    ("https://picker.example/", "https://picker.example/", ""),
    ("HTTPS://Picker.example:443/Shared", "https://picker.example/Shared/", "/Shared"),
    ("http://picker.example:8080/a/b-c._~/", "http://picker.example:8080/a/b-c._~/", "/a/b-c._~"),
    ("https://[2001:db8::1]:8443/shared/", "https://[2001:db8::1]:8443/shared/", "/shared"),
    ("http://127.0.0.1:7681/clients/", "http://127.0.0.1:7681/clients/", "/clients"),
  ])
  func `a public URL has an origin and a path`(text: String, written: String, path: String) throws {
    let url = try PublicURL(text)

    #expect(url.description == written)
    #expect(url.path == path)
    #expect(url.base + "/" == written)
  }

  @Test(arguments: [
    "", "picker.example", "//picker.example/", "/shared/", "ftp://picker.example/",
    "ws://picker.example/", "https://", "https:///shared/", "https://picker.example?x",
    "https://picker.example/?x", "https://picker.example/shared?", "https://picker.example/#/",
    "https://picker.example#x", "https://ana@picker.example/", "https://ana:s3c@picker.example/",
    "https://picker.example:0/", "https://picker.example:x/", "https://picker.example//",
    "https://picker.example//shared/", "https://picker.example/a//b", "https://picker.example/../a",
    "https://picker.example/./", "https://picker.example/a%20b/", "https://picker.example/a b/",
    "https://picker.example/é/", "https://[::1/", "https://[zz]/", "https://*.example/",
    "https://a.example,https://b.example", " https://picker.example/", "https://picker.example/\"",
  ])
  func `any other text is refused with its place and an example`(text: String) {
    let problems = #expect(throws: ConfigurationProblems.self) {
      try ServerConfiguration.reading([.publicUrl: [text]])
    }

    #expect(problems?.all.map(\.place) == ["--public-url"])
    #expect(problems?.description.contains("https://example.org/pick/") == true)
    #expect(problems?.description.contains("s3c") == false)
  }

  @Test(arguments: ["v1", "s", "client", "demo/x", "healthz", "readyz/", "favicon.ico"])
  func `a path that begins like one of the server is refused`(path: String) {
    let problems = #expect(throws: ConfigurationProblems.self) {
      try ServerConfiguration.reading([.publicUrl: ["https://picker.example/" + path]])
    }

    #expect(problems?.description.contains("of its own") == true)
  }

  @Test func `a path has at most 200 bytes`() throws {
    let longest = "https://picker.example/" + String(repeating: "a", count: 199)

    #expect(try PublicURL(longest + "/").path.utf8.count == 200)
    #expect(throws: ConfigurationProblem.self) { try PublicURL(longest + "a") }
  }

  @Test func `a redirect to https needs an https URL`() {
    let problems = #expect(throws: ConfigurationProblems.self) {
      try ServerConfiguration.reading([
        .publicUrl: ["http://picker.example"], .redirectHttp: ["systemd"],
      ])
    }

    #expect(problems?.all.map(\.place) == ["--redirect-http", "--public-url"])
    #expect(problems?.all.last?.detail.contains("must begin with https://") == true)
  }

  @Test func `its name is accepted in Host, and others as without it`() throws {
    func policy(_ options: [Setting: [String]]) throws -> HostPolicy {
      let given = options.merging([.publicUrl: ["https://picker.example:8443/shared/"]]) { $1 }
      return RequestGate(try ServerConfiguration.reading(given)).hosts
    }
    let loopback = try policy([:])
    #expect(loopback.verdict(on: "picker.example:8443") == .accepted)
    #expect(loopback.verdict(on: "localhost") == .accepted)
    #expect(loopback.verdict(on: "other.example") == .misdirected)
    let everywhere = try policy([.listen: ["0.0.0.0:80"]])
    #expect(everywhere.verdict(on: "other.example") == .accepted)
    let named = try policy([.listen: ["0.0.0.0:80"], .host: ["a.example"]])
    #expect(named.verdict(on: "picker.example") == .accepted)
    #expect(named.verdict(on: "a.example") == .accepted)
    #expect(named.verdict(on: "other.example") == .misdirected)
  }

  @Test(arguments: [[], ["https://shop.example"]])
  func `its origin is allowed, except on the admin listener`(others: [String]) throws {
    let gate = RequestGate(
      try ServerConfiguration.reading([
        .publicUrl: ["https://picker.example/shared/"], .origin: others,
      ]))
    func isAllowed(_ origin: String, _ audience: Listening.Audience = .clients) -> Bool {
      var headers = RequestHeaders()
      headers[.host] = "127.0.0.1:7681"
      headers[.origin] = origin
      var request = RequestHead(target: RequestTarget("/"), headers: headers, remoteAddress: "")
      request.audience = audience
      return (try? gate.admitOrigin(of: request)) != nil
    }
    #expect(isAllowed("https://picker.example"))
    #expect(!isAllowed("https://picker.example", .operators))
    #expect(!isAllowed("http://picker.example"))
    #expect(!isAllowed("https://evil.example"))
    #expect(isAllowed("http://127.0.0.1:7681"))
    #expect(isAllowed("https://shop.example") == !others.isEmpty)
  }

  @Test(arguments: [
    ("/", "https://picker.example/shared/"), ("/a?b", "https://picker.example/shared/a?b"),
    ("/shared", "https://picker.example/shared/"),
    ("/shared/v1/sessions?x=1", "https://picker.example/shared/v1/sessions?x=1"),
  ])
  func `a redirect to https leads to the public URL`(target: String, location: String) throws {
    let redirect = HTTPSRedirect(to: try PublicURL("https://picker.example/shared/"))
    let head = RequestHead(
      target: RequestTarget(target, below: "/shared"), headers: RequestHeaders(),
      remoteAddress: "")

    #expect(redirect.location(of: head) == location)
  }

  @Test func `the API documents name the public URL`() throws {
    let folder = try TemporaryFolder()
    let (rest, socket) = ("client/api/openapi.json", "client/api/asyncapi.json")
    try folder.write(#"{"servers": [{"url": "/"}], "x": [{"url": "/"}]}"#, to: rest)
    try folder.write(#"{"host": "127.0.0.1:7681", "protocol": "ws", "x": "ws"}"#, to: socket)
    func document(_ path: String, _ url: String?) throws -> String {
      let files = StaticFiles(folder: folder.path, publicURL: try url.map { try PublicURL($0) })
      let answer = try #require(files.answer(method: "GET", path: "/" + path, ifNoneMatch: nil))
      return String(decoding: answer.body, as: UTF8.self)
    }
    #expect(try document(rest, nil) == #"{"servers": [{"url": "/"}], "x": [{"url": "/"}]}"#)
    #expect(
      try document(rest, "https://picker.example/shared/")
        == #"{"servers": [{"url": "https://picker.example/shared"}], "x": [{"url": "/"}]}"#)
    #expect(
      try document(socket, "https://picker.example/shared/")
        == #"{"host": "picker.example", "pathname": "/shared", "protocol": "wss", "x": "ws"}"#)
    #expect(
      try document(socket, "http://picker.example:81")
        == #"{"host": "picker.example:81", "protocol": "ws", "x": "ws"}"#)
  }
}
