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
