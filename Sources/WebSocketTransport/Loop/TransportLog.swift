/// Makes log lines of the transport safe: each is one line of printable ASCII of at most 300 bytes,
/// and there are at most 20 per second, so that an attacker cannot fill the disk.
struct TransportLog {
  private static let byteCountMax = 300
  private static let linesPerSecondMax = 20

  private(set) var droppedCount = 0
  private var second: Int64 = 0
  private var lineCount = 0

  /// The line to log; `nil` if there are too many.
  mutating func line(_ bytes: UnsafePointer<CChar>, atMilliseconds now: Int64) -> String? {
    if now / 1_000 != second {
      second = now / 1_000
      lineCount = 0
    }
    lineCount += 1
    guard lineCount <= TransportLog.linesPerSecondMax else {
      droppedCount += 1
      return nil
    }
    return TransportLog.escaped(bytes)
  }

  /// The text without its final newline, and with every byte escaped that is not printable ASCII.
  private static func escaped(_ text: UnsafePointer<CChar>) -> String {
    var escaped = ""
    var index = 0
    while text[index] != 0, escaped.utf8.count + 4 < byteCountMax {
      let byte = UInt8(bitPattern: text[index])
      index += 1
      if byte == UInt8(ascii: "\n"), text[index] == 0 { break }
      if byte >= 0x20, byte < 0x7F, byte != UInt8(ascii: "\\") {
        escaped.unicodeScalars.append(Unicode.Scalar(byte))
      } else {
        escaped += "\\x" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
      }
    }
    return escaped
  }
}
