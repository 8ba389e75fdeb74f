/// Bytes as pairs of lower-case hexadecimal digits.
package enum Hexadecimal {
  private static let digits = Array("0123456789abcdef".utf8)

  package static func encode(_ bytes: some Sequence<UInt8>) -> String {
    String(
      decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
  }

  /// - Returns: `nil` for an odd number of digits, or another character.
  package static func decode(_ text: String) -> [UInt8]? {
    let digits = text.utf8.map { Character(UnicodeScalar($0)).hexDigitValue }
    guard digits.count.isMultiple(of: 2), !digits.contains(nil) else { return nil }
    return stride(from: 0, to: digits.count, by: 2).map {
      UInt8(digits[$0]! << 4 | digits[$0 + 1]!)
    }
  }
}
