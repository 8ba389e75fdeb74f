import JSONText

/// A web origin: scheme, host and port, as a browser sends it in `Origin`.
///
/// - Source: RFC 6454 section 6.2 (serialisation), section 5 (comparison).
package struct WebOrigin: Hashable, Sendable, CustomStringConvertible {
  /// `http` or `https`.
  package let scheme: String
  /// Lower case, `host` or `host:port`, without the scheme's default port.
  package let authority: String

  /// - Returns: `nil` unless `text` is `http://host` or `https://host` with an optional port.
  ///   `null` and lists are refused.
  package init?(_ text: String) {
    let text = text.lowercased()
    guard let scheme = ["http", "https"].first(where: { text.hasPrefix($0 + "://") }) else {
      return nil
    }
    let rest = text.dropFirst(scheme.count + 3)
    guard let authority = WebOrigin.authority(String(rest), scheme: scheme) else { return nil }
    self.scheme = scheme
    self.authority = authority
  }

  package var description: String { scheme + "://" + authority }

  /// Whether a page of this origin was served by `host`, the request's `Host` header.
  ///
  /// The scheme is ignored, because the server does not know it behind a proxy that terminates TLS.
  package func isSameHost(as host: String) -> Bool {
    WebOrigin.authority(host.lowercased(), scheme: scheme) == authority
  }

  /// Validates `host` or `host:port`, and removes the default port of `scheme`.
  private static func authority(_ text: String, scheme: String) -> String? {
    guard !text.isEmpty, text.utf8.count <= 261, text.isWord(with: "-._:[]") else {
      return nil
    }
    var host = Substring(text)
    var port: Substring?
    if let colon = text.lastIndex(of: ":"), !text.hasSuffix("]") {
      host = text[..<colon]
      port = text[text.index(after: colon)...]
    }
    if host.hasPrefix("[") {
      guard host.hasSuffix("]"), host.count > 2 else { return nil }
    } else {
      guard !host.isEmpty, !host.contains(where: { ":[]".contains($0) }) else { return nil }
    }
    guard let port else { return String(host) }
    guard let number = UInt16(port), number > 0, port.utf8.allSatisfy({ $0 >= 48 && $0 <= 57 })
    else { return nil }
    let isSchemesOwn = number == (scheme == "https" ? 443 : 80)
    return isSchemesOwn ? String(host) : "\(host):\(number)"
  }
}

/// The origins whose pages may use the API from a browser.
///
/// - Source: web/guide/README.md, "The five steps"; RFC 6455 section 10.2.
package struct OriginPolicy: Hashable, Sendable {
  /// In addition to pages from the host that the request names.
  package internal(set) var allowed: Set<WebOrigin>

  package init(allowed: some Sequence<WebOrigin>) { self.allowed = Set(allowed) }

  /// Whether a request with these headers is allowed.
  ///
  /// - Parameter origin: The `Origin` header; `nil` if absent, as in requests from clients other
  ///   than browsers, which are allowed.
  /// - Parameter host: The `Host` header.
  package func allows(origin: String?, host: String?) -> Bool {
    guard let origin else { return true }
    guard let origin = WebOrigin(origin) else { return false }
    return allowed.contains(origin) || host.map(origin.isSameHost) ?? false
  }
}
