import PickerModel
package import PickerSession

/// A generator of ids, tokens and secrets. The server passes the system's random source, a
/// simulation a seeded one.
package struct IdentitySource {
  private var random: any RandomNumberGenerator
  let digest: @Sendable ([UInt8]) -> [UInt8]

  /// - Parameter digest: A one-way hash; SHA-256 outside simulations.
  package init(
    random: any RandomNumberGenerator, digest: @escaping @Sendable ([UInt8]) -> [UInt8]
  ) {
    self.random = random
    self.digest = digest
  }

  /// A text of 22 letters, digits, `-` and `_` with 131 random bits. The first character is a
  /// letter or a digit, so that a command line does not take the text for an option.
  package mutating func text() -> String {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
    var bytes: [UInt8] = []
    var bits: UInt64 = 0
    for index in 0..<22 {
      if index % 10 == 0 { bits = random.next() }
      while index == 0 && bits & 63 >= 62 { bits = random.next() }
      bytes.append(alphabet[Int(bits & 63)])
      bits >>= 6
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// A member's id, with 78 random bits.
  mutating func member() -> MemberID { MemberID("m_" + text().prefix(13)) }

  /// A number from 0 to `bound` - 1.
  mutating func number(below bound: Int) -> Int { Int(random.next(upperBound: UInt64(bound))) }

  package func hash(_ secret: String) -> SecretHash { SecretHash(digest(Array(secret.utf8))) }

  /// A token that follows from secrets and does not reveal them: their hash, with two characters
  /// for each byte.
  func token(_ parts: String...) -> String {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
    // Lengths before the parts, so that no two lists of parts give the same text.
    let bytes = digest(parts.flatMap { Array("\($0.utf8.count) \($0)".utf8) })
    return String(
      decoding: bytes.flatMap { [alphabet[Int($0 >> 4)], alphabet[Int($0 & 15)]] }, as: UTF8.self)
  }

  func digest(of bytes: [UInt8]) -> [UInt8] { digest(bytes) }
}
