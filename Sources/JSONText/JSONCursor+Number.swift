/// A JSON number as it was written: with a fraction or exponent it is no integer, even `1.0`.
package enum JSONNumber: Hashable, Sendable {
  /// Written with digits only. What 64 bits do not hold is `Int.max` or `Int.min`.
  case integer(Int)
  /// Written with a fraction or an exponent; infinite where binary64 ends.
  case fraction(Double)
}

extension JSONCursor {
  /// Reads a number.
  ///
  /// - Throws: ``JSONError`` for anything that RFC 8259 section 6 does not derive.
  package mutating func readNumber(_ text: Span<UInt8>) throws(JSONError) -> JSONNumber {
    let start = offset
    let isNegative = accept(UInt8(ascii: "-"), text)
    if accept(UInt8(ascii: "0"), text) {
      if isDigit(peek(text)) { throw failure("a number with a leading zero") }
    } else {
      try skipDigits(text)
    }
    let integerEnd = offset
    if accept(UInt8(ascii: "."), text) { try skipDigits(text) }
    if accept(UInt8(ascii: "e"), text) || accept(UInt8(ascii: "E"), text) {
      if !accept(UInt8(ascii: "+"), text) { _ = accept(UInt8(ascii: "-"), text) }
      try skipDigits(text)
    }
    if offset == integerEnd { return .integer(integer(text, start..<offset, isNegative)) }
    let written = text.extracting(start..<offset).withUnsafeBufferPointer {
      String(decoding: $0, as: UTF8.self)
    }
    return .fraction(Double(written)!)
  }

  private mutating func skipDigits(_ text: Span<UInt8>) throws(JSONError) {
    guard isDigit(peek(text)) else { throw failure("a digit is missing") }
    while isDigit(peek(text)) { advance(by: 1) }
  }

  private func isDigit(_ octet: UInt8?) -> Bool {
    guard let octet else { return false }
    return octet &- UInt8(ascii: "0") < 10
  }

  private func integer(_ text: Span<UInt8>, _ range: Range<Int>, _ isNegative: Bool) -> Int {
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
