/// A place in a JSON text: reads one token after the other, allocates nothing but the strings.
///
/// The text itself is an argument of every call, so that the cursor borrows nothing and the text
/// can be the socket's own buffer. Strict: what RFC 8259 does not allow is refused, and so is an
/// escaped surrogate without its partner, which no Unicode text can hold.
/// - Source: RFC 8259.
package struct JSONCursor {
  /// Octets read so far.
  package private(set) var offset: Int
  /// How many arrays and objects may stand inside each other.
  package let depthMax: Int
  private let stringBytesMax: Int
  private var valuesLeft: Int
  private var depth = 0

  /// - Parameters:
  ///   - offset: Where to begin; default 0.
  ///   - depthMax: Default 64.
  ///   - valuesMax: Values of a tree; default: any number.
  ///   - stringBytesMax: Bytes of a tree's longest string as it is written; default: any number.
  package init(
    at offset: Int = 0, depthMax: Int = 64, valuesMax: Int = .max, stringBytesMax: Int = .max
  ) {
    self.offset = offset
    self.depthMax = depthMax
    self.stringBytesMax = stringBytesMax
    valuesLeft = valuesMax
  }

  /// Counts a value of a tree.
  mutating func countValue() throws(JSONError) {
    guard valuesLeft > 0 else { throw failure("there are too many values") }
    valuesLeft -= 1
  }

  /// Reads a string of a tree.
  mutating func readBoundedString(_ text: Span<UInt8>) throws(JSONError) -> String {
    let start = offset
    let string = try readString(text)
    try checkLength(offset - start)
    return string
  }

  func checkLength(_ byteCount: Int) throws(JSONError) {
    guard byteCount > stringBytesMax else { return }
    throw failure("a string of more than \(stringBytesMax) bytes")
  }

  /// What the next value is, seen by its first octet.
  package enum Kind { case object, array, string, number, yes, no, null }

  package func failure(_ reason: String) -> JSONError { JSONError(offset: offset, reason: reason) }

  /// The octet at the cursor, or `nil` at the end.
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

  /// Steps over `octet` if it is next.
  @inline(__always)
  package mutating func accept(_ octet: UInt8, _ text: Span<UInt8>) -> Bool {
    guard offset < text.count, text[offset] == octet else { return false }
    offset += 1
    return true
  }

  /// - Throws: ``JSONError`` if what comes cannot begin a value. The cursor has passed white space.
  package mutating func nextKind(_ text: Span<UInt8>) throws(JSONError) -> Kind {
    skipWhitespace(text)
    guard let octet = peek(text) else { throw failure("the text ends where a value should stand") }
    switch octet {
    case UInt8(ascii: "{"): return .object
    case UInt8(ascii: "["): return .array
    case UInt8(ascii: "\""): return .string
    case UInt8(ascii: "t"): return .yes
    case UInt8(ascii: "f"): return .no
    case UInt8(ascii: "n"): return .null
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return .number
    default: throw failure("no value begins like this")
    }
  }

  /// - Throws: ``JSONError`` if anything but white space is left.
  package mutating func finish(_ text: Span<UInt8>) throws(JSONError) {
    skipWhitespace(text)
    if offset < text.count { throw failure("something stands after the value") }
  }

  /// Steps over `true`, `false` or `null`.
  package mutating func readWord(_ word: StaticString, _ text: Span<UInt8>) throws(JSONError) {
    for index in 0..<word.utf8CodeUnitCount {
      guard accept(word.utf8Start[index], text) else { throw failure("not the word \(word)") }
    }
  }

  /// Goes into an object or array.
  ///
  /// - Returns: Whether it has a first member or element.
  package mutating func open(_ bracket: UInt8, _ text: Span<UInt8>) throws(JSONError) -> Bool {
    skipWhitespace(text)
    guard accept(bracket, text) else { throw failure("no opening bracket") }
    guard depth < depthMax else { throw failure("more than \(depthMax) levels deep") }
    depth += 1
    skipWhitespace(text)
    if accept(bracket + 2, text) {
      depth -= 1
      return false
    }
    return true
  }

  /// Goes on after a member or element.
  ///
  /// - Returns: Whether another one follows; if not, the closing bracket has been passed.
  package mutating func another(_ bracket: UInt8, _ text: Span<UInt8>) throws(JSONError) -> Bool {
    skipWhitespace(text)
    if accept(UInt8(ascii: ","), text) { return true }
    guard accept(bracket + 2, text) else {
      throw failure("neither a comma nor the closing bracket")
    }
    depth -= 1
    return false
  }

  /// Reads a member's name and the colon after it.
  package mutating func readName(_ text: Span<UInt8>) throws(JSONError) -> String {
    skipWhitespace(text)
    let name = try readString(text)
    skipWhitespace(text)
    guard accept(UInt8(ascii: ":"), text) else { throw failure("no colon after a name") }
    return name
  }

  /// Steps over a whole value of any kind, checking it.
  package mutating func skipValue(_ text: Span<UInt8>) throws(JSONError) {
    switch try nextKind(text) {
    case .object:
      guard try open(UInt8(ascii: "{"), text) else { return }
      repeat {
        skipWhitespace(text)
        try skipString(text)
        skipWhitespace(text)
        guard accept(UInt8(ascii: ":"), text) else { throw failure("no colon after a name") }
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
