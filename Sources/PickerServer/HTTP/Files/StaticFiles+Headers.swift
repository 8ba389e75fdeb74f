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
      (
        "cache-control",
        isHashed(path) ? "public, max-age=31536000, immutable" : "no-cache"
      ),
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
    if type.hasPrefix("text/html") || type.hasPrefix("image/svg") {
      headers.append(("content-security-policy", contentSecurityPolicy))
      headers.append(("cross-origin-opener-policy", "same-origin"))
    }
    return headers
  }

  /// Whether a file's name includes a hash of its content (`pickerd.3f2a9c01.js`), so that the file
  /// is immutable.
  static func isHashed(_ path: String) -> Bool {
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
