/// Maps request paths to paths in the folder `web/`.
///
/// Paths are neither decoded nor normalized. A path with `..`, `%2e`, `\`, NUL or any other
/// character that could be interpreted in two ways is refused.
enum StaticPath {
  /// Longer paths are refused.
  static let byteCountMax = 256

  /// The folders with files to serve.
  private static let folders: Set<Substring> = ["demo", "client", "docs"]

  /// Addresses of the demo page at which its relative URLs would not work. They are redirected.
  static let otherPages: Set = ["/demo/", "/demo/index.html"]

  /// - Parameter path: The request's path as sent by the client, without the query.
  /// - Returns: `demo/index.html` for `/`, `docs/index.html` for `/docs/`; `nil` for paths that are
  ///   never served.
  static func inFolder(_ path: String) -> String? {
    switch path {
    case "/": return "demo/index.html"
    case "/docs/": return "docs/index.html"
    case "/favicon.ico": return "demo/favicon.ico"
    default: break
    }
    guard path.utf8.count <= byteCountMax, path.utf8.first == UInt8(ascii: "/") else { return nil }
    let parts = path.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count >= 2, folders.contains(parts[0]), parts.allSatisfy(isPlain)
    else { return nil }
    return String(path.dropFirst())
  }

  /// Letters, digits, `_`, `-` and dots, but no dot first.
  private static func isPlain(_ part: Substring) -> Bool {
    !part.isEmpty && !part.hasPrefix(".") && part.isWord(with: "_-.")
  }
}

enum ContentType {
  /// Media types by file extension. Files with other extensions are not served.
  private static let byExtension: [Substring: String] = [
    "html": "text/html; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "mjs": "text/javascript; charset=utf-8",
    "json": "application/json",
    "map": "application/json",
    "webmanifest": "application/manifest+json",
    "ts": "text/plain; charset=utf-8",
    "md": "text/markdown; charset=utf-8",
    "txt": "text/plain; charset=utf-8",
    "svg": "image/svg+xml",
    "png": "image/png",
    "ico": "image/x-icon",
    "woff2": "font/woff2",
  ]

  static func of(_ path: String) -> String? {
    path.lastIndex(of: ".").flatMap { byExtension[path[path.index(after: $0)...]] }
  }
}
