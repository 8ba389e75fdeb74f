import Testing

@testable import PickerServer

@Suite struct StaticFilesTests {
  private let folder: TemporaryFolder
  private let files: StaticFiles

  init() throws {
    folder = try TemporaryFolder()
    try folder.write("<!doctype html>", to: "demo/index.html")
    try folder.write("icon", to: "demo/favicon.ico")
    try folder.write("body{}", to: "demo/style.css")
    try folder.write("documentation", to: "docs/index.html")
    try folder.write("run", to: "docs/start/run.html")
    try folder.write("pages", to: "docs/llms.txt")
    try folder.write("export {}", to: "client/pickerd.js")
    try folder.write("export {}", to: "client/pickerd.3f2a9c01.js")
    try folder.write("export {}", to: "client/core/socket.js")
    try folder.write("export {}", to: "client/v1/elements.js")
    try folder.write("export {}", to: "client/-/elements.ABCDEFGH.js")
    try folder.write("", to: "demo/worker.js")
    try folder.write("secret", to: "demo/.hidden.txt")
    try folder.write("secret", to: "demo/binary.exe")
    try folder.write("secret", to: "demo/noextension")
    try folder.write("secret", to: "secret.txt")
    try folder.write("secret", to: "other/secret.txt")
    files = StaticFiles(folder: folder.path)
  }

  private func get(_ path: String, method: String = "GET", ifNoneMatch: String? = nil)
    -> StaticAnswer?
  {
    files.answer(method: method, path: path, ifNoneMatch: ifNoneMatch)
  }

  @Test(arguments: [
    ("/", "text/html; charset=utf-8", "<!doctype html>"),
    ("/demo/style.css", "text/css; charset=utf-8", "body{}"),
    ("/client/pickerd.js", "text/javascript; charset=utf-8", "export {}"),
    ("/client/core/socket.js", "text/javascript; charset=utf-8", "export {}"),
    ("/favicon.ico", "image/x-icon", "icon"),
    ("/docs/", "text/html; charset=utf-8", "documentation"),
    ("/docs/start/run.html", "text/html; charset=utf-8", "run"),
    ("/docs/llms.txt", "text/plain; charset=utf-8", "pages"),
  ])
  func `a file is served with its content type`(path: String, type: String, body: String) throws {
    let answer = try #require(get(path))

    #expect(answer.status == 200)
    #expect(answer["content-type"] == type)
    #expect(answer["x-content-type-options"] == "nosniff")
    #expect(answer["referrer-policy"] == "no-referrer")
    #expect(answer["cache-control"] == "no-cache")
    #expect(answer.body == Array(body.utf8))
  }

  @Test(arguments: ["/demo/", "/demo/index.html"])
  func `other addresses of the page lead to that at which its relative URLs work`(path: String) {
    #expect(get(path)?.status == 308)
    #expect(get(path)?["location"] == "../")
    #expect(StaticFiles(folder: nil).answer(method: "GET", path: path, ifNoneMatch: nil) == nil)
  }

  @Test func `the address of the documentation without its slash leads to the one with it`() {
    #expect(get("/docs")?.status == 308)
    #expect(get("/docs")?["location"] == "docs/")
    #expect(get("/docs/start/") == nil)
    #expect(StaticFiles(folder: nil).answer(method: "GET", path: "/docs", ifNoneMatch: nil) == nil)
  }

  @Test(arguments: [("/x", "./"), ("/s/abc", "../"), ("/a/b/c", "../../")])
  func `at another address the page's URLs lead to the same files`(
    path: String, root: String
  ) throws {
    try folder.write(
      #"<meta charset="utf-8"><title>pickerd</title><a href="demo/a.css"><a href="x">"#
        + "\n" + #"<meta property="og:image" content="demo/screenshots/home.png">"#,
      to: "demo/index.html")

    let page = try #require(files.page(at: path, head: "<title>A &lt;b&gt;</title>"))

    let head = #"<meta charset="utf-8"><meta name="root" content="\#(root)">"#
    #expect(
      String(decoding: page.body, as: UTF8.self)
        == head + #"<title>A &lt;b&gt;</title><a href="\#(root)demo/a.css"><a href="x">"#)
  }

  @Test func `the page names its picture with the URL that the client has used`() throws {
    try folder.write(
      #"<meta property="og:image" content="demo/screenshots/home.png">"#, to: "demo/index.html")
    let answer = try #require(
      files.answer(method: "GET", path: "/", ifNoneMatch: nil, base: #"https://a.b/c?"<"#))
    #expect(
      String(decoding: answer.body, as: UTF8.self)
        == #"<meta property="og:image" content="https://a.b/c?&quot;&lt;/"#
          + #"demo/screenshots/home.png">"#
    )
    let tag = try #require(answer.headers.first { $0.name == "etag" }).value
    let again = files.answer(method: "GET", path: "/", ifNoneMatch: tag, base: #"https://a.b/c?"<"#)
    #expect(again?.status == 304)
    let other = files.answer(method: "GET", path: "/", ifNoneMatch: tag, base: "https://a.b")
    #expect(other?.status == 200)
  }

  @Test func `a preview is escaped, and has the month of the range, or else the nearest to now`() {
    func preview(_ document: String?, month: String) -> String {
      LinkPreview(document.map { Array($0.utf8) }, link: "http://a/b", month: month).html
    }
    let months = #""months":{"first":"2026-01","last":"2026-12"}"#
    let session = #"{"title":"<\"&'>","snapshot":{"calendar":{\#(months)}}}"#
    #expect(preview(session, month: "2026-11").contains("<title>&lt;&quot;&amp;&#39;&gt;</title>"))
    for (month, shown) in [("2025-01", "2026-01"), ("2026-11", "2026-11"), ("2027-05", "2026-12")] {
      #expect(preview(session, month: month).contains("/months/\(shown).svg"))
    }
    let range = #"{"snapshot":{"calendar":{\#(months),"range":{"start":"2026-03-04"}}}}"#
    #expect(preview(range, month: "2026-11").contains("http://a/b/months/2026-03.svg"))
    #expect(preview(nil, month: "2026-11") == preview("{}", month: "2026-11"))
  }

  @Test(arguments: [
    "", "/demo", "/client", "/client/", "/demo//index.html", "//demo/index.html",
    "/demo/./index.html",
    "/demo/../demo/index.html", "/demo/..", "/../demo/index.html", "/demo/%2e%2e/secret.txt",
    "/demo/%69ndex.html", "/demo/index.html/", "/demo\\index.html", "/demo/..\\secret.txt",
    "/demo/index.html\u{0}", "/demo/index.html\u{0}.css", "/demo/.hidden.txt", "/demo/binary.exe",
    "/demo/noextension", "/secret.txt", "/other/secret.txt", "/demo/absent.html",
    "/Demo/index.html",
    "/demo/index.html?x", "demo/index.html", "/demo/index.html ", "/demo/…html", "*",
    "/client/../secret.txt", "/demo/.../index.html", "http://a.org/demo/index.html",
  ])
  func `other paths than plain paths to known files are not found`(path: String) {
    #expect(get(path) == nil)
  }

  @Test func `an overlong path is rejected without a lookup`() {
    #expect(get("/demo/" + String(repeating: "a", count: 10_000) + ".html") == nil)
    #expect(get("/demo" + String(repeating: "/a", count: 200) + ".html") == nil)
  }

  @Test func `a symbolic link out of the folder is not followed`() throws {
    let outside = try TemporaryFolder()
    try outside.write("secret", to: "secret.txt")
    try folder.link("demo/out.txt", to: outside.path + "/secret.txt")
    try folder.link("demo/up.txt", to: "../secret.txt")
    try folder.link("client/all", to: outside.path)

    #expect(get("/demo/out.txt") == nil)
    #expect(get("/client/all/secret.txt") == nil)
    #expect(get("/demo/up.txt")?.body == Array("secret".utf8), "an internal link is followed")
  }

  @Test func `a matching ETag is answered with 304 without a body`() throws {
    let tag = try #require(get("/demo/style.css")?["etag"])

    for header in [tag, "W/" + tag, "\"x\", \(tag) , \"y\"", "*"] {
      let answer = get("/demo/style.css", ifNoneMatch: header)
      #expect(answer?.status == 304)
      #expect(answer?.body == [])
      #expect(answer?["etag"] == tag)
    }
    for header in ["", "\"x\"", tag + "x", String(tag.dropLast())] {
      #expect(get("/demo/style.css", ifNoneMatch: header)?.status == 200)
    }
  }

  @Test func `a changed file is served at the next request`() throws {
    let before = try #require(get("/demo/style.css"))
    try folder.write("body{color:red}", to: "demo/style.css")

    let after = try #require(get("/demo/style.css", ifNoneMatch: before["etag"]))

    #expect(after.status == 200)
    #expect(after.body == Array("body{color:red}".utf8))
    #expect(after["etag"] != before["etag"])
    try folder.remove("demo/style.css")
    #expect(get("/demo/style.css") == nil)
  }

  @Test func `a file with a hash in its name is cached forever`() {
    #expect(
      get("/client/pickerd.3f2a9c01.js")?["cache-control"]
        == "public, max-age=31536000, immutable")
    #expect(!StaticFiles.isHashed("client/pickerd.min.js"))
    #expect(!StaticFiles.isHashed("client/pickerd.deadbeef.js"), "could be a word")
    #expect(!StaticFiles.isHashed("client/3f2a9c01.js"), "the hash is the whole name")
  }

  @Test func `a bundle has files that are cached forever, and a stable address for an hour`() {
    #expect(
      get("/client/-/elements.ABCDEFGH.js")?["cache-control"]
        == "public, max-age=31536000, immutable")
    #expect(get("/client/v1/elements.js")?["cache-control"] == "public, max-age=3600")
    #expect(get("/client/v1/elements.js")?["etag"] != nil)
  }

  @Test func `the service worker may serve the page above its folder`() {
    #expect(get("/demo/worker.js")?["service-worker-allowed"] == "../")
    #expect(get("/demo/style.css")?["service-worker-allowed"] == nil)
  }

  @Test func `the policy of pages allows only files of this server`() throws {
    let policy = try #require(get("/")?["content-security-policy"])

    #expect(policy.hasPrefix("default-src 'none'; script-src 'self'; style-src 'self'"))
    #expect(policy.contains("frame-ancestors 'none'"))
    #expect(!policy.contains("unsafe"))
    #expect(get("/client/pickerd.js")?["content-security-policy"] == nil)
  }

  @Test func `other origins may import only the client`() {
    #expect(get("/client/pickerd.js")?["access-control-allow-origin"] == "*")
    #expect(get("/demo/style.css")?["access-control-allow-origin"] == nil)
  }

  @Test func `methods other than GET and HEAD are rejected`() {
    for method in ["POST", "PUT", "DELETE", "OPTIONS", "get"] {
      #expect(get("/demo/style.css", method: method)?.status == 405)
      #expect(get("/demo/style.css", method: method)?["allow"] == "GET, HEAD")
      #expect(get("/demo/absent.css", method: method) == nil)
    }
    #expect(get("/demo/style.css", method: "HEAD")?.status == 200)
  }

  @Test func `a file larger than the maximum is not served`() throws {
    try folder.write([UInt8](repeating: 1, count: StaticFiles.fileByteCountMax), to: "demo/a.png")
    try folder.write(
      [UInt8](repeating: 1, count: StaticFiles.fileByteCountMax + 1), to: "demo/b.png")

    #expect(get("/demo/a.png")?.status == 200)
    #expect(get("/demo/b.png") == nil)
  }

  @Test func `files beyond the cache limit are served`() throws {
    let large = [UInt8](repeating: 1, count: StaticFiles.fileByteCountMax)
    for index in 0..<10 { try folder.write(large, to: "demo/large\(index).png") }

    for index in 0..<10 { #expect(get("/demo/large\(index).png")?.body.count == large.count) }
  }

  @Test func `without a folder no file is found`() {
    #expect(StaticFiles(folder: nil).answer(method: "GET", path: "/", ifNoneMatch: nil) == nil)
    let gone = StaticFiles(folder: folder.path + "/gone")
    #expect(gone.answer(method: "GET", path: "/", ifNoneMatch: nil) == nil)
  }

  @Test func `the folder is found beside the program, in an installation and in a checkout`() throws
  {
    let place = try TemporaryFolder()
    try place.write("", to: "bin/pickerd")
    try place.write("", to: "share/pickerd/web/demo/index.html")
    #expect(
      WebFolder.found(beside: place.path + "/bin/pickerd") == place.path + "/share/pickerd/web")

    try place.write("", to: "bin/web/demo/index.html")
    #expect(WebFolder.found(beside: place.path + "/bin/pickerd") == place.path + "/bin/web")

    try place.write("", to: "checkout/.build/x86_64/release/pickerd")
    try place.write("", to: "checkout/web/demo/index.html")
    let built = place.path + "/checkout/.build/x86_64/release/pickerd"
    #expect(WebFolder.found(beside: built) == nil, "a checkout has a Package.swift")
    try place.write("", to: "checkout/Package.swift")
    #expect(WebFolder.found(beside: built) == place.path + "/checkout/web")
  }
}

extension StaticAnswer {
  subscript(header: String) -> String? { headers.first { $0.name == header }?.value }
}
