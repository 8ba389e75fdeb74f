/// Parses ASCII numbers and the characters between them.
struct DigitReader<Bytes: Sequence<UInt8>> {
  private var rest: Bytes.Iterator
  private var next: UInt8?

  init(_ bytes: Bytes) {
    rest = bytes.makeIterator()
    next = rest.next()
  }

  var isAtEnd: Bool { next == nil }

  /// Consumes `sign` if it is the next character.
  mutating func accept(_ sign: Unicode.Scalar) -> Bool {
    guard let byte = next, byte == UInt8(ascii: sign) else { return false }
    next = rest.next()
    return true
  }

  /// Consumes the next character if it is an ASCII letter.
  mutating func acceptLetter() -> Bool {
    guard let byte = next, byte | 0x20 >= 0x61, byte | 0x20 <= 0x7A else { return false }
    next = rest.next()
    return true
  }

  /// Reads one digit, 0 … 9.
  mutating func digit() -> Int? {
    guard let byte = next, byte &- UInt8(ascii: "0") < 10 else { return nil }
    next = rest.next()
    return Int(byte &- UInt8(ascii: "0"))
  }

  /// Reads exactly `count` digits.
  mutating func number(count: Int) -> Int? {
    var value = 0
    for _ in 0..<count {
      guard let digit = digit() else { return nil }
      value = value * 10 + digit
    }
    return value
  }

  /// Reads one or more digits. The result is clamped to `ceiling`.
  mutating func number(upTo ceiling: Int) -> Int? {
    guard var value = digit() else { return nil }
    while let digit = digit() { value = min(value * 10 + digit, ceiling) }
    return value
  }
}

/// Writes the last `count` decimal digits of `value`, with leading zeros.
///
/// - Precondition: `value` ≥ 0.
@inline(__always)
func writeDigits(
  _ value: Int, count: Int, to bytes: UnsafeMutableBufferPointer<UInt8>, at start: Int
) {
  var rest = UInt32(truncatingIfNeeded: value)
  var index = start + count
  while index > start {
    index -= 1
    bytes[index] = UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: rest % 10)
    rest /= 10
  }
}

/// Writes a number below 100 with two digits.
@inline(__always)
func writeTwoDigits(_ value: Int, to bytes: UnsafeMutableBufferPointer<UInt8>, at start: Int) {
  let tens = UInt8(truncatingIfNeeded: (value &* 205) &>> 11)
  bytes[start] = UInt8(ascii: "0") &+ tens
  bytes[start + 1] = UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: value) &- tens &* 10
}

/// The quotient rounded down.
///
/// - Parameter divisor: Positive.
func floorDivide(_ dividend: Int, _ divisor: Int) -> Int {
  dividend >= 0 ? dividend / divisor : (dividend + 1) / divisor - 1
}
