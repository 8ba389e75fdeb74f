/// A member's name of at most 16 octets, to be compared without a string.
package struct JSONName: Hashable, Sendable {
  private var words: (low: UInt64, high: UInt64) = (0, 0)
  private var count = 0

  package init() {}

  package init?(_ name: some Sequence<UInt8>) {
    for octet in name {
      guard append(octet) else { return nil }
    }
  }

  package init(_ name: StaticString) {
    for index in 0..<name.utf8CodeUnitCount { _ = append(name.utf8Start[index]) }
  }

  /// - Returns: Whether there was room.
  @inline(__always)
  mutating func append(_ octet: UInt8) -> Bool {
    if count < 8 {
      words.low |= UInt64(octet) << UInt64(8 * count)
    } else if count < 16 {
      words.high |= UInt64(octet) << UInt64(8 * (count - 8))
    } else {
      return false
    }
    count += 1
    return true
  }

  package static func == (left: JSONName, right: JSONName) -> Bool {
    left.words.low == right.words.low && left.words.high == right.words.high
      && left.count == right.count
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(words.low)
    hasher.combine(words.high)
  }
}

extension JSONCursor {
  /// Reads a member's name and the colon after it, as ``readName(_:)`` does.
  ///
  /// - Returns: `nil` for one that is longer than a ``JSONName``.
  package mutating func readShortName(_ text: Span<UInt8>) throws(JSONError) -> JSONName? {
    skipWhitespace(text)
    var name = JSONName()
    var end = offset + 1
    if peek(text) == UInt8(ascii: "\"") {
      while end < text.count, isPlain(text[end]), name.append(text[end]) { end += 1 }
    }
    guard end < text.count, end > offset + 1, text[end] == UInt8(ascii: "\"") else {
      return JSONName(try readName(text).utf8)
    }
    advance(by: end + 1 - offset)
    skipWhitespace(text)
    guard accept(UInt8(ascii: ":"), text) else { throw failure("no colon after a name") }
    return name
  }

  /// Whether it stands for itself in a string: ASCII, no quote, no escape, no control character.
  private func isPlain(_ octet: UInt8) -> Bool {
    octet >= 0x20 && octet < 0x80 && octet != UInt8(ascii: "\"") && octet != UInt8(ascii: "\\")
  }
}
