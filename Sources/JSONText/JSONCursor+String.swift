extension JSONCursor {
  /// - Throws: ``JSONError`` for a control character, an invalid escape sequence, an unpaired
  ///   surrogate, invalid UTF-8, or a missing quote.
  package mutating func readString(_ text: Span<UInt8>) throws(JSONError) -> String {
    guard accept(UInt8(ascii: "\""), text) else { throw failure("a string was expected") }
    let start = offset
    var all: UInt8 = 0
    while let byte = peek(text) {
      if byte == UInt8(ascii: "\"") {
        let string = try decoded(text, from: start, to: offset, isASCII: all < 0x80)
        advance(by: 1)
        return string
      }
      if byte == UInt8(ascii: "\\") { return try readEscapedString(text, from: start) }
      if byte < 0x20 { throw failure("unescaped control character in a string") }
      all |= byte
      advance(by: 1)
    }
    throw failure("the string is not terminated")
  }

  /// Skips a string, with the same validation as ``readString(_:)``.
  package mutating func skipString(_ text: Span<UInt8>) throws(JSONError) {
    var end = offset + 1
    while end + 8 <= text.count {
      let word = text.bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: end, as: UInt64.self)
      let plainCount = word.plainByteCount
      end += plainCount
      if plainCount < 8 { break }
    }
    while end < text.count, isPlain(text[end]) { end += 1 }
    if end < text.count, text[end] == UInt8(ascii: "\""), text[offset] == text[end] {
      advance(by: end + 1 - offset)
    } else {
      _ = try readString(text)
    }
  }

  private func decoded(
    _ text: Span<UInt8>, from start: Int, to end: Int, isASCII: Bool
  ) throws(JSONError) -> String {
    let slice = text.extracting(start..<end)
    // ASCII needs no UTF-8 validation, which is slow generic code.
    if isASCII { return slice.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) } }
    let string = slice.withUnsafeBufferPointer { String(validating: $0, as: UTF8.self) }
    guard let string else { throw JSONError(offset: start, reason: "invalid UTF-8 in a string") }
    return string
  }

  /// Reads a string that contains an escape sequence, again from its first byte.
  private mutating func readEscapedString(
    _ text: Span<UInt8>, from start: Int
  ) throws(JSONError) -> String {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(offset - start + 32)
    for index in start..<offset { bytes.append(text[index]) }
    while let byte = peek(text) {
      switch byte {
      case UInt8(ascii: "\""):
        guard let string = String(validating: bytes, as: UTF8.self) else {
          throw JSONError(offset: start, reason: "invalid UTF-8 in a string")
        }
        advance(by: 1)
        return string
      case UInt8(ascii: "\\"):
        advance(by: 1)
        try readEscape(text, into: &bytes)
      case 0..<0x20:
        throw failure("unescaped control character in a string")
      default:
        bytes.append(byte)
        advance(by: 1)
      }
    }
    throw failure("the string is not terminated")
  }

  private mutating func readEscape(
    _ text: Span<UInt8>, into bytes: inout [UInt8]
  ) throws(JSONError) {
    guard let letter = peek(text) else { throw failure("the string is not terminated") }
    advance(by: 1)
    switch letter {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): bytes.append(letter)
    case UInt8(ascii: "b"): bytes.append(0x08)
    case UInt8(ascii: "f"): bytes.append(0x0C)
    case UInt8(ascii: "n"): bytes.append(0x0A)
    case UInt8(ascii: "r"): bytes.append(0x0D)
    case UInt8(ascii: "t"): bytes.append(0x09)
    case UInt8(ascii: "u"): bytes.append(contentsOf: UTF8.encode(try readScalar(text))!)
    default: throw failure("unknown escape sequence")
    }
  }

  /// Reads the digits after `\u`: one code unit, or a surrogate pair.
  private mutating func readScalar(_ text: Span<UInt8>) throws(JSONError) -> Unicode.Scalar {
    let unit = try readUnit(text)
    if let scalar = Unicode.Scalar(unit) { return scalar }
    guard unit < 0xDC00, accept(UInt8(ascii: "\\"), text), accept(UInt8(ascii: "u"), text) else {
      throw failure("unpaired surrogate")
    }
    let low = try readUnit(text)
    guard (0xDC00...0xDFFF).contains(low) else { throw failure("unpaired surrogate") }
    return Unicode.Scalar(0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00))!
  }

  private mutating func readUnit(_ text: Span<UInt8>) throws(JSONError) -> UInt32 {
    var unit: UInt32 = 0
    for _ in 0..<4 {
      guard let byte = peek(text), let digit = hexDigit(byte) else {
        throw failure("\\u must be followed by four hexadecimal digits")
      }
      unit = unit << 4 | digit
      advance(by: 1)
    }
    return unit
  }

  private func hexDigit(_ byte: UInt8) -> UInt32? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(byte) - 0x30
    case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt32(byte) - 0x57
    case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt32(byte) - 0x37
    default: nil
    }
  }
}
