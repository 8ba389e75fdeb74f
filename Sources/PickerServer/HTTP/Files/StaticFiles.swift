import WebSocketTransport

/// Serves the files of `web/`: the demo page under `/`, its files under `/demo/`, the browser
/// client under `/client/`, and the documentation, which only a bundle has, under `/docs/`.
///
/// Files are cached, and read again when they have changed on disk, so that an edit in a checkout
/// takes effect at the next reload. Each loop has its own instance, which is not thread-safe.
package final class StaticFiles {
  /// Larger files are not served.
  static let fileByteCountMax = 4 << 20
  /// The maximum size of the cache. Files that do not fit are read at each request.
  static let cachedByteCountMax = 32 << 20

  private struct CachedFile {
    let stamp: RegularFile.Stamp
    let body: [UInt8]
    let tag: String
  }

  /// The folder's path without symbolic links; `nil` to serve nothing.
  private let folder: String?
  private let publicURL: PublicURL?
  private var cache: [String: CachedFile] = [:]
  private var cachedByteCount = 0
  /// The page as ``naming(_:in:)`` has made it last: nearly all requests have the same base.
  private var named: (base: String, file: CachedFile)?

  /// - Parameters:
  ///   - folder: The folder `web/`. Nothing is served if it is `nil` or does not exist.
  ///   - publicURL: Written into the API documents.
  package init(folder: String?, publicURL: PublicURL? = nil) {
    self.folder = folder.flatMap(RegularFile.resolved)
    self.publicURL = publicURL
  }

  /// Answers a request for a file.
  ///
  /// - Parameters:
  ///   - path: The path as sent by the client, without the query.
  ///   - ifNoneMatch: The value of `If-None-Match`, if present.
  ///   - base: The URL of `/` without its slash, for the picture in previews of the page's link.
  /// - Returns: `nil` if there is no such file. A response to `HEAD` also has the body, which the
  ///   caller must omit.
  package func answer(
    method: String, path: String, ifNoneMatch: String?, base: String = ""
  ) -> StaticAnswer? {
    if StaticPath.otherPages.contains(path), file(at: "demo/index.html") != nil {
      return StaticAnswer(status: 308, headers: [("location", "../")], body: [])
    }
    if path == "/docs", file(at: "docs/index.html") != nil {
      return StaticAnswer(status: 308, headers: [("location", "docs/")], body: [])
    }
    guard let path = StaticPath.inFolder(path), let type = ContentType.of(path),
      var file = file(at: path)
    else { return nil }
    if path == "demo/index.html" { file = naming(base, in: file) }

    guard method == "GET" || method == "HEAD" else {
      return StaticAnswer(status: 405, headers: [("allow", "GET, HEAD")], body: [])
    }
    let headers = StaticFiles.headers(path: path, type: type, tag: file.tag)
    if let ifNoneMatch, EntityTag.isNamed(file.tag, in: ifNoneMatch) {
      return StaticAnswer(status: 304, headers: headers, body: [])
    }
    return StaticAnswer(status: 200, headers: [("content-type", type)] + headers, body: file.body)
  }

  /// The page at another address than `/`: its relative URLs lead to the same files, and its
  /// scripts read from `root` where it is.
  ///
  /// - Parameter head: HTML for its head, in which a `<title>` replaces that of the page.
  func page(at path: String, head: String) -> HTTPResponse? {
    guard let file = file(at: "demo/index.html") else { return nil }
    let depth = path.utf8.count { $0 == UInt8(ascii: "/") } - 1
    let root = depth > 0 ? String(repeating: "../", count: depth) : "./"
    var html = String(decoding: file.body, as: UTF8.self)
    for folder in ["demo", "client"] {
      for name in ["href", "src"] {
        html.replace("\(name)=\"\(folder)/", with: "\(name)=\"\(root)\(folder)/")
      }
    }
    if head.hasPrefix("<title>") { html.replace("<title>pickerd</title>", with: "") }
    // What previews show of the page at `/`.
    html = html.split(separator: "\n", omittingEmptySubsequences: false)
      .filter { !$0.contains(#"<meta property="#) }.joined(separator: "\n")
    let own = #"<meta name="root" content="\#(root)">"# + head
    html.replace("<meta charset=\"utf-8\">", with: "<meta charset=\"utf-8\">" + own)
    let body = Array(html.utf8)
    let headers = StaticFiles.headers(
      path: "demo/index.html", type: "text/html", tag: EntityTag.of(body))
    var response = HTTPResponse(
      status: 200,
      headers: [("content-type", "text/html; charset=utf-8")]
        + headers.map { (name: $0.0, value: $0.1) },
      body: body)
    response.hasTagOfContent = true
    return response
  }

  /// The page with an absolute URL of its picture: crawlers that make previews follow no other.
  private func naming(_ base: String, in file: CachedFile) -> CachedFile {
    if let named, named.base == base, named.file.stamp == file.stamp { return named.file }
    var html = String(decoding: file.body, as: UTF8.self)
    html.replace(
      #"content="demo/screenshots/"#,
      with: #"content="\#(LinkPreview.escaped(base))/demo/screenshots/"#)
    let body = Array(html.utf8)
    let made = CachedFile(stamp: file.stamp, body: body, tag: EntityTag.of(body))
    named = (base, made)
    return made
  }

  private func file(at path: String) -> CachedFile? {
    guard let folder else { return nil }
    // Symbolic links that lead out of the folder are not followed.
    let full = folder + "/" + path
    guard let resolved = RegularFile.resolved(full), resolved.hasPrefix(folder + "/"),
      let stamp = RegularFile.stamp(of: resolved)
    else {
      forget(path)
      return nil
    }
    if let cached = cache[path], cached.stamp == stamp { return cached }

    forget(path)
    guard let read = RegularFile.read(resolved, byteCountMax: StaticFiles.fileByteCountMax) else {
      return nil
    }
    let body = path.hasPrefix("client/api/") ? namingServer(read.bytes) : read.bytes
    let file = CachedFile(stamp: read.stamp, body: body, tag: EntityTag.of(body))
    if cachedByteCount + file.body.count <= StaticFiles.cachedByteCountMax {
      cache[path] = file
      cachedByteCount += file.body.count
    }
    return file
  }

  /// An API document with the public URL as its server.
  private func namingServer(_ document: [UInt8]) -> [UInt8] {
    guard let publicURL else { return document }
    let origin = publicURL.origin
    let path = publicURL.path.isEmpty ? "" : #", "pathname": "\#(publicURL.path)""#
    let socketScheme = origin.scheme == "https" ? "wss" : "ws"
    var text = String(decoding: document, as: UTF8.self)
    for (standard, own) in [
      (#""url": "/""#, #""url": "\#(publicURL.base)""#),
      (#""host": "127.0.0.1:7681""#, #""host": "\#(origin.authority)"\#(path)"#),
      (#""protocol": "ws""#, #""protocol": "\#(socketScheme)""#),
    ] {
      text.replace(standard, with: own, maxReplacements: 1)
    }
    return Array(text.utf8)
  }

  private func forget(_ path: String) {
    if let old = cache.removeValue(forKey: path) { cachedByteCount -= old.body.count }
  }
}

/// The response to a request for a file.
package struct StaticAnswer: Sendable {
  package let status: Int
  /// Names are in lower case. The caller adds `content-length`.
  package let headers: [(name: String, value: String)]
  package let body: [UInt8]

  init(status: Int, headers: [(String, String)], body: [UInt8]) {
    self.status = status
    self.headers = headers.map { (name: $0.0, value: $0.1) }
    self.body = body
  }
}

extension StaticFiles {
  /// Restricts pages to this server's own files and WebSockets.
  ///
  /// Inline scripts and styles, frames, forms and plug-ins are not allowed. `'self'` includes
  /// WebSockets of the same host and port.
  /// - Source: Content Security Policy Level 3, section 6.7.2.8 (`'self'` matches `ws` and `wss`).
  package static let contentSecurityPolicy = [
    "default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self' data:",
    "font-src 'self'", "connect-src 'self'", "manifest-src 'self'", "base-uri 'none'",
    "form-action 'none'", "frame-ancestors 'none'",
  ].joined(separator: "; ")

  /// The headers of a file for caching and security, in addition to its content type.
  static func headers(path: String, type: String, tag: String) -> [(String, String)] {
    var headers = [
      ("etag", tag),
      ("cache-control", cacheControl(path)),
      ("x-content-type-options", "nosniff"),
      ("referrer-policy", "no-referrer"),
    ]
    if path.hasPrefix("client/") {
      // Pages of other origins import the client, and modules are loaded with CORS.
      headers.append(("access-control-allow-origin", "*"))
      headers.append(("cross-origin-resource-policy", "cross-origin"))
    } else {
      headers.append(("cross-origin-resource-policy", "same-origin"))
    }
    if path == "demo/worker.js" {
      // A service worker has the scope of its folder, but the page is above it.
      headers.append(("service-worker-allowed", "../"))
    }
    if type.hasPrefix("text/html") || type.hasPrefix("image/svg") {
      headers.append(("content-security-policy", contentSecurityPolicy))
      headers.append(("cross-origin-opener-policy", "same-origin"))
    }
    return headers
  }

  private static func cacheControl(_ path: String) -> String {
    if isHashed(path) { return "public, max-age=31536000, immutable" }
    // Small files that import hashed ones: pages of other origins load them often.
    return path.hasPrefix("client/v1/") ? "public, max-age=3600" : "no-cache"
  }

  /// Whether a file's name includes a hash of its content (`pickerd.3f2a9c01.js`), so that the file
  /// is immutable: also each file in a folder `-`, which only `web/bundle.py` writes.
  static func isHashed(_ path: String) -> Bool {
    if path.contains("/-/") { return true }
    let name = path[(path.lastIndex(of: "/").map(path.index(after:)) ?? path.startIndex)...]
    let parts = name.split(separator: ".")
    guard parts.count >= 3 else { return false }
    return parts.dropFirst().dropLast().contains { part in
      (8...64).contains(part.utf8.count)
        && part.utf8.allSatisfy { (48...57).contains($0) || (97...102).contains($0) }
        && part.utf8.contains { (48...57).contains($0) }
    }
  }
}
