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
