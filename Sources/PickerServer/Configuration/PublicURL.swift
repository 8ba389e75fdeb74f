/// The URL by which members reach the server, `--public-url`: an origin, and a path if a proxy
/// serves pickerd below one.
package struct PublicURL: Hashable, Sendable, CustomStringConvertible {
  package let origin: WebOrigin
  /// The host of the origin.
  let name: HostName
  /// Without a trailing slash; empty if the server has the host for itself.
  package let path: String

  /// The first segments of the server's own paths. If a public path began with one of these, it
  /// would be unclear whether a proxy has removed it from a request.
  private static let ownSegments: Set<Substring> = [
    "v1", "s", "client", "demo", "favicon.ico", "healthz", "readyz",
  ]
  private static let pathByteCountMax = 200

  /// The URL before `/v1/…`.
  var base: String { origin.description + path }

  package var description: String { base + "/" }

  /// Parses `http://host`, or `https://host:port/path/`, with or without the last slash.
  package init(_ text: String) throws(ConfigurationProblem) {
    let authority = text.firstRange(of: "://").map { text[$0.upperBound...].prefix { $0 != "/" } }
    let end = authority?.endIndex ?? text.endIndex
    var path = text[end...]
    if path.last == "/" { path.removeLast() }
    let segments = path.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
    guard let origin = WebOrigin(String(text[..<end])),
      let name = HostName(header: origin.authority),
      path.isEmpty || segments.allSatisfy(PublicURL.isPlain),
      path.utf8.count <= PublicURL.pathByteCountMax
    else {
      throw ConfigurationProblem(
        "\(ConfigurationProblem.shown(text)) is not valid. Use the http:// or https:// URL by "
          + "which members reach the server, without a user, query or fragment, and with a path of "
          + "at most \(PublicURL.pathByteCountMax) letters, digits, -, ., _, ~ and /, such as "
          + "https://example.org/pick/.")
    }
    if let first = segments.first, PublicURL.ownSegments.contains(first) {
      throw ConfigurationProblem(
        "\(ConfigurationProblem.shown(text)) is not valid, because pickerd has a path /\(first) of "
          + "its own. Use another path, such as https://example.org/pick/.")
    }
    self.origin = origin
    self.name = name
    self.path = String(path)
  }

  /// Unreserved characters only, so that a proxy and a browser write the path in the same way.
  ///
  /// - Source: RFC 3986, section 2.3.
  private static func isPlain(_ segment: Substring) -> Bool {
    !segment.isEmpty && segment != "." && segment != ".." && segment.isWord(with: "-._~")
  }
}
