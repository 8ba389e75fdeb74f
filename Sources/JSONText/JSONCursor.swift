/// A pull parser for JSON text. It reads one token after the other and allocates only strings.
///
/// The text is an argument of every call, so that the cursor borrows nothing and can parse the
/// socket's buffer in place. All calls on one cursor must pass the same text. The parser is strict:
/// it refuses everything that RFC 8259 does not allow, and unpaired escaped surrogates.
/// - Source: RFC 8259.
package struct JSONCursor {
  /// The offset of the next byte to read.
  package private(set) var offset: Int
  /// The maximum nesting depth of arrays and objects.
  package let depthMax: Int
  private let stringBytesMax: Int
  private let valuesMax: Int
  private var valuesLeft: Int
  private var depth = 0

  /// - Parameters:
  ///   - offset: The offset of the first byte to read.
  ///   - depthMax: The maximum nesting depth of arrays and objects.
  ///   - valuesMax: The maximum number of values in a tree; only ``readTree(_:)`` counts them.
  ///   - stringBytesMax: The maximum length of a string in a tree, with escape sequences.
  package init(
    at offset: Int = 0, depthMax: Int = 64, valuesMax: Int = .max, stringBytesMax: Int = .max
  ) {
    self.offset = offset
    self.depthMax = depthMax
    self.stringBytesMax = stringBytesMax
    self.valuesMax = valuesMax
    valuesLeft = valuesMax
  }

  /// Counts a value of a tree.
  mutating func countValue() throws(JSONError) {
    guard valuesLeft > 0 else { throw exceeds("more than \(valuesMax) values") }
    valuesLeft -= 1
  }

  /// Reads a string of at most `stringBytesMax` bytes.
  mutating func readBoundedString(_ text: Span<UInt8>) throws(JSONError) -> String {
    let start = offset
    let string = try readString(text)
    try checkLength(offset - start)
    return string
  }

  func checkLength(_ byteCount: Int) throws(JSONError) {
    guard byteCount > stringBytesMax else { return }
    throw exceeds("a string must not be longer than \(stringBytesMax) bytes")
  }

  /// The kind of the next value, determined by its first byte.
  package enum Kind { case object, array, string, number, yes, no, null }

  package func failure(_ reason: String) -> JSONError { JSONError(offset: offset, reason: reason) }

  private func exceeds(_ reason: String) -> JSONError {
    JSONError(offset: offset, reason: reason, place: [])
  }

  /// The byte at the cursor, or `nil` at the end.
  @inline(__always)
  package func peek(_ text: Span<UInt8>) -> UInt8? {
    offset < text.count ? text[offset] : nil
  }

  @inline(__always)
  package mutating func skipWhitespace(_ text: Span<UInt8>) {
    while offset < text.count {
      switch text[offset] {
      case 0x20, 0x0A, 0x0D, 0x09: offset += 1
      default: return
      }
    }
  }

  /// Consumes `byte` if it is the next byte.
  @inline(__always)
  package mutating func accept(_ byte: UInt8, _ text: Span<UInt8>) -> Bool {
    guard offset < text.count, text[offset] == byte else { return false }
    offset += 1
    return true
  }

  /// Skips white space and determines the kind of the next value.
  ///
  /// - Throws: ``JSONError`` if the next byte cannot begin a value.
  package mutating func nextKind(_ text: Span<UInt8>) throws(JSONError) -> Kind {
    skipWhitespace(text)
    guard let byte = peek(text) else { throw failure("the text ends where a value is expected") }
    switch byte {
    case UInt8(ascii: "{"): return .object
    case UInt8(ascii: "["): return .array
    case UInt8(ascii: "\""): return .string
    case UInt8(ascii: "t"): return .yes
    case UInt8(ascii: "f"): return .no
    case UInt8(ascii: "n"): return .null
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return .number
    default: throw failure("a value was expected")
    }
  }

  /// Checks that only white space is left.
  package mutating func finish(_ text: Span<UInt8>) throws(JSONError) {
    skipWhitespace(text)
    if offset < text.count { throw failure("unexpected text after the value") }
  }

  /// Consumes `true`, `false` or `null`.
  package mutating func readWord(_ word: StaticString, _ text: Span<UInt8>) throws(JSONError) {
    for index in 0..<word.utf8CodeUnitCount {
      guard accept(word.utf8Start[index], text) else { throw failure("\(word) was expected") }
    }
  }

  /// Consumes the opening bracket of an object or array, and the closing one if it is empty.
  ///
  /// - Returns: False if it is empty.
  package mutating func open(_ bracket: UInt8, _ text: Span<UInt8>) throws(JSONError) -> Bool {
    skipWhitespace(text)
    guard accept(bracket, text) else { throw failure("an opening bracket was expected") }
    guard depth < depthMax else { throw exceeds("nested more than \(depthMax) levels deep") }
    depth += 1
    skipWhitespace(text)
    if accept(bracket + 2, text) {
      depth -= 1
      return false
    }
    return true
  }

  /// Consumes the comma or closing bracket after a member or element.
  ///
  /// - Parameter bracket: The opening bracket that was passed to ``open(_:_:)``.
  /// - Returns: Whether another member or element follows.
  package mutating func another(_ bracket: UInt8, _ text: Span<UInt8>) throws(JSONError) -> Bool {
    skipWhitespace(text)
    if accept(UInt8(ascii: ","), text) { return true }
    guard accept(bracket + 2, text) else {
      throw failure("a comma or the closing bracket was expected")
    }
    depth -= 1
    return false
  }

  /// Reads a member's name and the colon after it.
  package mutating func readName(_ text: Span<UInt8>) throws(JSONError) -> String {
    skipWhitespace(text)
    let name = try readString(text)
    skipWhitespace(text)
    guard accept(UInt8(ascii: ":"), text) else { throw failure("a colon was expected") }
    return name
  }

  /// Skips a complete value of any kind, with full validation.
  package mutating func skipValue(_ text: Span<UInt8>) throws(JSONError) {
    switch try nextKind(text) {
    case .object:
      guard try open(UInt8(ascii: "{"), text) else { return }
      repeat {
        skipWhitespace(text)
        try skipString(text)
        skipWhitespace(text)
        guard accept(UInt8(ascii: ":"), text) else { throw failure("a colon was expected") }
        try skipValue(text)
      } while try another(UInt8(ascii: "{"), text)
    case .array:
      guard try open(UInt8(ascii: "["), text) else { return }
      repeat { try skipValue(text) } while try another(UInt8(ascii: "["), text)
    case .string: try skipString(text)
    case .number: _ = try readNumber(text)
    case .yes: try readWord("true", text)
    case .no: try readWord("false", text)
    case .null: try readWord("null", text)
    }
  }

  @inline(__always)
  package mutating func advance(by count: Int) { offset += count }
}

/// A JSON number, classified by its notation: `1.0` is a fraction, not an integer.
package enum JSONNumber: Hashable, Sendable {
  /// Without fraction and exponent. Clamped to `Int.min` … `Int.max`.
  case integer(Int)
  /// With a fraction or an exponent. Infinite if it exceeds the range of `Double`.
  case fraction(Double)
}

extension JSONCursor {
  /// - Throws: ``JSONError`` for text that does not match the grammar of RFC 8259, section 6.
  package mutating func readNumber(_ text: Span<UInt8>) throws(JSONError) -> JSONNumber {
    let start = offset
    let isNegative = accept(UInt8(ascii: "-"), text)
    var value = 0
    if accept(UInt8(ascii: "0"), text) {
      if isDigit(peek(text)) { throw failure("a number must not have a leading zero") }
    } else {
      value = try readDigits(text)
    }
    let integerEnd = offset
    if accept(UInt8(ascii: "."), text) { _ = try readDigits(text) }
    if accept(UInt8(ascii: "e"), text) || accept(UInt8(ascii: "E"), text) {
      if !accept(UInt8(ascii: "+"), text) { _ = accept(UInt8(ascii: "-"), text) }
      _ = try readDigits(text)
    }
    if offset == integerEnd {
      if offset - start <= 18 { return .integer(isNegative ? -value : value) }
      return .integer(longInteger(text, start..<offset, isNegative))
    }
    let written = text.extracting(start..<offset).withUnsafeBufferPointer {
      String(decoding: $0, as: UTF8.self)
    }
    return .fraction(Double(written)!)
  }

  /// Reads one or more digits.
  ///
  /// - Returns: Their value modulo 2^64.
  private mutating func readDigits(_ text: Span<UInt8>) throws(JSONError) -> Int {
    guard isDigit(peek(text)) else { throw failure("a digit was expected") }
    var value = 0
    var end = offset
    while end < text.count, isDigit(text[end]) {
      value = value &* 10 &+ Int(text[end] &- UInt8(ascii: "0"))
      end += 1
    }
    advance(by: end - offset)
    return value
  }

  @inline(__always)
  private func isDigit(_ byte: UInt8?) -> Bool {
    guard let byte else { return false }
    return byte &- UInt8(ascii: "0") < 10
  }

  /// Reads an integer that may exceed 64 bits, clamped.
  private func longInteger(_ text: Span<UInt8>, _ range: Range<Int>, _ isNegative: Bool) -> Int {
    var value = 0
    for index in (range.lowerBound + (isNegative ? 1 : 0))..<range.upperBound {
      let digit = Int(text[index] - UInt8(ascii: "0"))
      let (tens, overflow) = value.multipliedReportingOverflow(by: 10)
      let (sum, carry) =
        isNegative
        ? tens.subtractingReportingOverflow(digit) : tens.addingReportingOverflow(digit)
      if overflow || carry { return isNegative ? Int.min : Int.max }
      value = sum
    }
    return value
  }
}

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
