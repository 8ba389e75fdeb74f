/// Bytes as pairs of lower-case hexadecimal digits.
package enum Hexadecimal {
  package static func encode(_ bytes: [UInt8]) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  static func decode(_ text: String) -> [UInt8]? {
    let digits = text.utf8.map { Character(UnicodeScalar($0)).hexDigitValue }
    guard digits.count.isMultiple(of: 2), !digits.contains(nil) else { return nil }
    return stride(from: 0, to: digits.count, by: 2).map {
      UInt8(digits[$0]! << 4 | digits[$0 + 1]!)
    }
  }
}
