/// A position in a text file, as editors count.
package struct TextPosition: Hashable, Sendable, CustomStringConvertible {
  /// From 1.
  package let line: Int
  /// From 1, in characters.
  package let column: Int

  static let start = TextPosition(line: 1, column: 1)
  package var description: String { "\(line):\(column)" }
}

extension TextPosition {
  /// The position of a byte of UTF-8 text.
  init(offset: Int, in bytes: [UInt8]) {
    let before = bytes.prefix(offset)
    let lineStart = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
    line = before.count { $0 == UInt8(ascii: "\n") } + 1
    // Bytes that continue a character do not count.
    column = before[lineStart...].count { $0 & 0xC0 != 0x80 } + 1
  }
}
