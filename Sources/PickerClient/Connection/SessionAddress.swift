/// The address of a session, parsed from its link.
public struct SessionAddress: Hashable, Sendable {
  /// A host name, an IPv4 address, or an IPv6 address without brackets.
  public let host: String
  /// 1 … 65535.
  public let port: Int
  public let isSecure: Bool
  /// The path of the WebSocket: `/v1/sessions/ID`, preceded by a proxy's path prefix, if any.
  public let path: String
  /// The token of an invitation link, `…#token=TOKEN`; `nil` if the link has none.
  public let token: String?

  /// Parses the link of a page, `http://host:7681/s/ID` or `http://host:7681/#/s/ID`, or of a
  /// WebSocket, `ws://host:7681/v1/sessions/ID`.
  ///
  /// ```swift
  /// let address = SessionAddress("https://pick.example.org/s/abc#token=T")!
  /// print(address.socketURL)  // wss://pick.example.org/v1/sessions/abc
  /// print(address.token ?? "")  // T
  /// ```
  ///
  /// `https` and `wss` use TLS. The default port is 443 with TLS and 80 without.
  /// - Returns: `nil` for other links.
  public init?(_ link: String) {
    guard let colon = link.range(ofText: "://") else { return nil }
    let scheme = link[..<colon.lowerBound].lowercased()
    guard ["http", "https", "ws", "wss"].contains(scheme) else { return nil }
    isSecure = scheme == "https" || scheme == "wss"
    let rest = link[colon.upperBound...]
    let authority = rest.prefix { $0 != "/" && $0 != "#" && $0 != "?" }
    guard let (host, port) = Self.split(authority, standard: isSecure ? 443 : 80) else {
      return nil
    }
    self.host = host
    self.port = port
    guard let path = Self.path(of: rest[authority.endIndex...]) else { return nil }
    self.path = path
    token = Self.token(in: rest[authority.endIndex...])
  }

  /// The host and port as in a `Host` header: the default port is omitted, IPv6 is in brackets.
  public var authority: String {
    let name = host.contains(":") ? "[\(host)]" : host
    return port == (isSecure ? 443 : 80) ? name : "\(name):\(port)"
  }

  /// The URL of the WebSocket, without token: `ws://…` or `wss://…`.
  public var socketURL: String { "\(isSecure ? "wss" : "ws")://\(authority)\(path)" }

  private static func split(_ authority: Substring, standard: Int) -> (String, Int)? {
    var host = authority
    var digits: Substring = ""
    if authority.hasPrefix("[") {
      guard let end = authority.firstIndex(of: "]") else { return nil }
      host = authority[authority.index(after: authority.startIndex)..<end]
      digits = authority[authority.index(after: end)...]
      guard digits.isEmpty || digits.hasPrefix(":") else { return nil }
      digits = digits.dropFirst()
    } else if let colon = authority.lastIndex(of: ":") {
      host = authority[..<colon]
      digits = authority[authority.index(after: colon)...]
      guard !host.contains(":") else { return nil }
    }
    let isPlain = host.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7F && $0 != UInt8(ascii: "@") }
    guard !host.isEmpty, isPlain else { return nil }
    if digits.isEmpty { return (String(host), standard) }
    guard let port = Int(digits), (1...65535).contains(port) else { return nil }
    return (String(host), port)
  }

  private static func path(of rest: Substring) -> String? {
    if let page = rest.range(ofText: "#/s/") {
      let folder = rest[..<page.lowerBound].prefix { $0 != "?" }
      let base = folder.lastIndex(of: "/").map { folder[..<$0] } ?? ""
      return checked("\(base)/v1/sessions/", rest[page.upperBound...])
    }
    if let sessions = rest.range(ofText: "/v1/sessions/") {
      return checked(String(rest[..<sessions.upperBound]), rest[sessions.upperBound...])
    }
    guard let page = rest.range(ofText: "/s/") else { return nil }
    return checked("\(rest[..<page.lowerBound])/v1/sessions/", rest[page.upperBound...])
  }

  private static func token(in rest: Substring) -> String? {
    guard let query = rest.range(ofText: "token=") else { return nil }
    let value = rest[query.upperBound...].prefix { $0 != "&" && $0 != "#" }
    return value.isEmpty ? nil : decoded(value)
  }

  /// Decodes percent-encoding; `nil` if it is invalid or does not decode to UTF-8.
  ///
  /// - Source: RFC 3986, section 2.1.
  private static func decoded(_ text: Substring) -> String? {
    var bytes: [UInt8] = []
    var rest = text.utf8[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      let digits = rest.prefix(2)
      guard digits.count == 2, !digits.contains(UInt8(ascii: "+")),
        !digits.contains(UInt8(ascii: "-")),
        let value = UInt8(String(Substring(digits)), radix: 16)
      else {
        return nil
      }
      bytes.append(value)
      rest = rest.dropFirst(2)
    }
    return String(validating: bytes, as: UTF8.self)
  }

  private static func checked(_ base: String, _ tail: Substring) -> String? {
    let id = tail.prefix { $0 != "/" && $0 != "?" && $0 != "#" && $0 != "&" }
    let path = base + id
    let isPlain = path.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
    return id.isEmpty || !isPlain ? nil : path
  }
}

extension StringProtocol {
  /// The first occurrence of `text`.
  fileprivate func range(ofText text: String) -> Range<Index>? {
    var start = startIndex
    while start < endIndex {
      if self[start...].hasPrefix(text) { return start..<index(start, offsetBy: text.count) }
      start = index(after: start)
    }
    return nil
  }
}
