/// A JSON Pointer.
///
/// - Source: RFC 6901.
package struct JSONPointer: Hashable, Sendable {
  /// Names and indices, unescaped; empty for the whole document.
  package let tokens: [String]

  /// - Returns: `nil` if the text is not a JSON Pointer.
  package init?(_ text: String) {
    guard !text.isEmpty else {
      tokens = []
      return
    }
    var tokens: [String] = []
    for part in text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false) {
      guard let token = JSONPointer.unescaped(part) else { return nil }
      tokens.append(token)
    }
    guard tokens.first == "" else { return nil }
    self.tokens = Array(tokens.dropFirst())
  }

  /// The pointer as text.
  package var text: String { tokens.map(JSONPointer.reference(to:)).joined() }

  /// The part of a JSON Pointer that leads to a member of an object, with the `/` before it.
  package static func reference(to name: String) -> String {
    var escaped = "/"
    for scalar in name.unicodeScalars {
      switch scalar {
      case "~": escaped += "~0"
      case "/": escaped += "~1"
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }

  /// Replaces `~0` with `~` and `~1` with `/`; `nil` for any other `~`.
  private static func unescaped(_ part: Substring.UTF8View.SubSequence) -> String? {
    guard part.contains(UInt8(ascii: "~")) else { return String(part) }
    var bytes: [UInt8] = []
    var isEscape = false
    for byte in part {
      switch (isEscape, byte) {
      case (true, UInt8(ascii: "0")): bytes.append(UInt8(ascii: "~"))
      case (true, UInt8(ascii: "1")): bytes.append(UInt8(ascii: "/"))
      case (true, _): return nil
      case (false, UInt8(ascii: "~")): break
      case (false, _): bytes.append(byte)
      }
      isEscape = !isEscape && byte == UInt8(ascii: "~")
    }
    return isEscape ? nil : String(decoding: bytes, as: UTF8.self)
  }

  /// Whether this pointer is a proper prefix of `other`.
  func isAbove(_ other: JSONPointer) -> Bool {
    tokens.count < other.tokens.count && tokens.isExactly(Array(other.tokens.prefix(tokens.count)))
  }

  /// Parses an array index: digits without leading zeros.
  static func index(_ token: String) -> Int? {
    let digits = token.utf8
    guard let first = digits.first, digits.allSatisfy({ $0 &- UInt8(ascii: "0") < 10 }),
      first != UInt8(ascii: "0") || digits.count == 1
    else { return nil }
    return Int(token)
  }
}
