/// A page of lines of a session's log.
package struct LogPage {
  /// JSON lines.
  package let lines: [UInt8]
  /// The cursor of the next page; `nil` after the last page.
  package let next: LogCursor?

  static let lineCountMax = 256
  /// A page ends with the line that reaches this size, because writing it to the socket takes time
  /// of the thread that handles taps.
  static let byteCountMax = 65_536
}
