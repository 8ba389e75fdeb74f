/// A web origin: scheme, host and port, as a browser sends it in `Origin`.
///
/// - Source: RFC 6454 section 6.2 (serialisation), section 5 (comparison).
package struct WebOrigin: Hashable, Sendable, CustomStringConvertible {
  /// `http` or `https`.
  package let scheme: String
  /// Lower case, `host` or `host:port`, without the scheme's own port.
  package let authority: String

  /// - Returns: `nil` unless `text` is `http(s)://host`, optionally with a port, and nothing more.
  ///   `null` and lists are no origin.
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
  /// The scheme is left open: behind a proxy that ends TLS the server cannot see it.
  package func isSameHost(as host: String) -> Bool {
    WebOrigin.authority(host.lowercased(), scheme: scheme) == authority
  }

  /// `host` or `host:port` checked and without the port that `scheme` has anyway.
  private static func authority(_ text: String, scheme: String) -> String? {
    guard !text.isEmpty, text.utf8.count <= 261, text.utf8.allSatisfy(isAuthority) else {
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

  private static func isAuthority(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
      UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: ":"),
      UInt8(ascii: "["), UInt8(ascii: "]"):
      true
    default: false
    }
  }
}

/// Whose pages may open a WebSocket here.
///
/// - Source: protocol.md, "WebSocket"; RFC 6455 section 10.2.
package struct OriginPolicy: Hashable, Sendable {
  /// Empty: the request's own host, and no other.
  package let allowed: Set<WebOrigin>

  package init(allowed: some Sequence<WebOrigin>) { self.allowed = Set(allowed) }

  /// Whether an upgrade with these headers may go on.
  ///
  /// - Parameter origin: The `Origin` header as it was sent; `nil` if there is none, as from
  ///   clients that are no browser, which is allowed.
  /// - Parameter host: The `Host` header as it was sent.
  package func allows(origin: String?, host: String?) -> Bool {
    guard let origin else { return true }
    guard let origin = WebOrigin(origin) else { return false }
    if !allowed.isEmpty { return allowed.contains(origin) }
    return host.map(origin.isSameHost) ?? false
  }
}
