/// The target of a request.
///
/// - Source: RFC 9112, section 3.2; RFC 3986, sections 2.4, 3.3 and 5.2.4; for queries the URL
///   Standard, section 5.1.
package struct RequestTarget: Hashable, Sendable {
  /// The host and port of an absolute target, which replace the `Host` header.
  package let authority: String?
  /// The path as the client has sent it, without the prefix; `*` for the server as a whole.
  package let path: String
  /// Whether the client has sent the prefix alone, without a slash after it. Relative URLs of a
  /// page with such an address would not be below the prefix.
  package let lacksSlash: Bool
  /// The query as the client has sent it, without `?`.
  package let rawQuery: String?
  /// The percent-decoded segments of the path. Empty segments but the last, `.` and `..` are
  /// resolved if they are not encoded, except behind ``literalPrefix``.
  package let segments: [String]
  /// The fields of the query, percent-decoded, with `+` as a space.
  package let query: [QueryField]

  /// The beginning of paths whose further segments are text of the client, which may be `..`.
  package static let literalPrefix = ["v1", "sessions", "by"]

  /// - Parameters:
  ///   - text: Without an ``error(in:of:)``.
  ///   - prefix: Removed from a path that begins with it, as if a proxy had done so: empty, or a
  ///     path without a trailing slash.
  package init(_ text: String, below prefix: String = "") {
    var rest = text[...]
    authority = RequestTarget.takeAuthority(&rest)
    let parts = rest.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    var path = parts.first ?? ""
    lacksSlash = !prefix.isEmpty && path == prefix
    if lacksSlash || path.hasPrefix(prefix + "/") { path = path.dropFirst(prefix.count) }
    self.path = path.isEmpty ? "/" : String(path)
    rawQuery = parts.count > 1 ? String(parts[1]) : nil
    segments = RequestTarget.segments(of: self.path)
    query = (rawQuery ?? "").split(separator: "&").map { QueryField($0) }
  }

  /// The path and the query as the client has sent them, without the prefix.
  package var text: String { path + (rawQuery.map { "?" + $0 } ?? "") }

  /// Whether the target is the server as a whole, `*`.
  package var isServer: Bool { path == "*" }

  /// Whether the path begins with segments.
  package func begins(with prefix: [String]) -> Bool { segments.starts(with: prefix) }

  private static func takeAuthority(_ text: inout Substring) -> String? {
    guard text.first != "/", let colon = text.firstRange(of: "://") else { return nil }
    text = text[colon.upperBound...]
    let authority = text.prefix { $0 != "/" && $0 != "?" }
    text = text[authority.endIndex...]
    return String(authority)
  }

  private static func segments(of path: String) -> [String] {
    guard path.first == "/" else { return [path] }
    let parts = path.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
    var segments: [String] = []
    for (index, part) in parts.enumerated() {
      if segments == literalPrefix { return segments + parts[index...].map(decoded) }
      switch part {
      case "", ".", "..":
        if part == ".." { _ = segments.popLast() }
        if index == parts.count - 1 { segments.append("") }
      default: segments.append(decoded(part))
      }
    }
    return segments
  }

  private static func decoded(_ text: Substring) -> String { PercentEncoding.decoded(text.utf8) }
}

/// One `name=value` of a query.
package struct QueryField: Hashable, Sendable {
  package let name: String
  /// Empty without `=`.
  package let value: String

  fileprivate init(_ text: Substring) {
    let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      .map { PercentEncoding.decoded($0.utf8.map { $0 == UInt8(ascii: "+") ? 0x20 : $0 }) }
    name = parts.first ?? ""
    value = parts.count > 1 ? parts[1] : ""
  }
}

private enum PercentEncoding {
  /// - Parameter bytes: Valid: every `%` is followed by two digits.
  static func decoded(_ bytes: some Collection<UInt8>) -> String {
    guard bytes.contains(UInt8(ascii: "%")) else { return String(decoding: bytes, as: UTF8.self) }
    var decoded: [UInt8] = []
    var rest = Array(bytes)[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%"), rest.count >= 2 else {
        decoded.append(byte)
        continue
      }
      decoded.append(digit(rest.removeFirst()) << 4 | digit(rest.removeFirst()))
    }
    return String(decoding: decoded, as: UTF8.self)
  }

  private static func digit(_ character: UInt8) -> UInt8 {
    character <= UInt8(ascii: "9")
      ? character &- UInt8(ascii: "0") : (character | 0x20) &- UInt8(ascii: "a") &+ 10
  }
}

extension RequestTarget {
  /// The error in the target of a request, as the client has sent it; `nil` if it can be decoded.
  /// - Source: RFC 9112, section 3.2; RFC 3986, section 2.1
  static func error(in text: UnsafeRawBufferPointer, of method: HTTPMethod) -> String? {
    guard !text.isEmpty, text.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
      return "the target of the request has a character that must be percent-encoded"
    }
    let isServer = method == .options && text.elementsEqual("*".utf8)
    guard text[0] == UInt8(ascii: "/") || isServer || isAbsolute(text) else {
      return "the target of the request must be a path or a URL"
    }
    return isDecodable(text) ? nil : "the target of the request must be percent-encoded UTF-8"
  }

  /// Whether a target has the absolute form, with an authority.
  private static func isAbsolute(_ text: UnsafeRawBufferPointer) -> Bool {
    ["http://", "https://"].contains { scheme in
      let scheme = scheme.utf8
      guard text.count > scheme.count else { return false }
      let begins = zip(text, scheme).allSatisfy { $0 == $1 || ($0 | 0x20) == $1 }
      let next = text[scheme.count]
      return begins && next != UInt8(ascii: "/") && next != UInt8(ascii: "?")
    }
  }

  /// Whether every `%` begins an encoded byte, and the decoded text is UTF-8.
  private static func isDecodable(_ text: UnsafeRawBufferPointer) -> Bool {
    guard text.contains(UInt8(ascii: "%")) else { return true }
    var bytes: [UInt8] = []
    var index = 0
    while index < text.count {
      guard text[index] == UInt8(ascii: "%") else {
        bytes.append(text[index])
        index += 1
        continue
      }
      guard index + 2 < text.count, let high = hexDigit(text[index + 1]),
        let low = hexDigit(text[index + 2])
      else { return false }
      bytes.append(high << 4 | low)
      index += 3
    }
    return String(validating: bytes, as: UTF8.self) != nil
  }

  private static func hexDigit(_ byte: UInt8) -> UInt8? {
    Character(Unicode.Scalar(byte)).hexDigitValue.map { UInt8($0) }
  }
}
