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
