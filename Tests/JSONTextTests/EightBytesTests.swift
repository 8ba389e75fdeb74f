import Testing

@testable import JSONText

/// Strings are read and written eight bytes at a time.
struct EightBytesTests {
  @Test(arguments: UInt8(0)..<128)
  func `each ASCII character is escaped and read at each place of a string`(byte: UInt8) throws {
    let character = String(UnicodeScalar(byte))
    for place in 0...17 {
      for rest in [0, 1, 7, 8, 9] {
        let text =
          String(repeating: "a", count: place) + character + String(repeating: "ä", count: rest)
        var writer = JSONWriter()
        writer.string(text)
        writer.literal(":")
        let bytes = writer.bytes
        #expect(bytes == escaped(text) + [UInt8(ascii: ":")])
        var (read, skipped, short) = (JSONCursor(), JSONCursor(), JSONCursor())
        #expect(try read.readString(bytes.span) == text)
        try skipped.skipString(bytes.span)
        #expect(skipped.offset == bytes.count - 1)
        #expect(try short.readShortString(bytes.span) == JSONName(text.utf8))
      }
    }
  }

  private func escaped(_ text: String) -> [UInt8] {
    var bytes: [UInt8] = [UInt8(ascii: "\"")]
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "\""): bytes += "\\\"".utf8
      case UInt8(ascii: "\\"): bytes += "\\\\".utf8
      case UInt8(ascii: "\n"): bytes += "\\n".utf8
      case UInt8(ascii: "\r"): bytes += "\\r".utf8
      case UInt8(ascii: "\t"): bytes += "\\t".utf8
      case 0..<0x20: bytes += "\\u00\(byte >> 4)\(String(byte & 15, radix: 16))".utf8
      default: bytes.append(byte)
      }
    }
    return bytes + [UInt8(ascii: "\"")]
  }
}
