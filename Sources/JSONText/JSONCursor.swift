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
