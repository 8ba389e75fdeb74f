import Foundation
import Glibc

/// Reads standard input on a dedicated thread.
///
/// - Returns: The chunks; the stream ends with the input.
func standardInput() -> AsyncStream<[UInt8]> {
  let (stream, continuation) = AsyncStream.makeStream(of: [UInt8].self)
  let thread = Thread {
    var buffer = [UInt8](repeating: 0, count: 4_096)
    while true {
      let count = read(STDIN_FILENO, &buffer, buffer.count)
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { break }
      continuation.yield(Array(buffer[..<count]))
    }
    continuation.finish()
  }
  thread.start()
  return stream
}

/// Writes a line to standard output. Exits if its reader is gone, because there is nowhere to
/// report an error.
func printLine(_ line: String) {
  var bytes = Array((harmless(line) + "\n").utf8)[...]
  while !bytes.isEmpty {
    let count = bytes.withUnsafeBytes { Glibc.write(STDOUT_FILENO, $0.baseAddress, $0.count) }
    if count < 0 && errno == EINTR { continue }
    guard count > 0 else { exit(0) }
    bytes = bytes.dropFirst(count)
  }
}

/// Prints the reason for the exit on standard error.
func complain(_ sentence: String) {
  let line = Data("pickerd join: \(harmless(sentence))\n".utf8)
  try? FileHandle.standardError.write(contentsOf: line)
}

/// Replaces control, format and private-use characters and line separators by spaces, so that text
/// from other members cannot control the terminal.
func harmless(_ text: String) -> String {
  String(
    String.UnicodeScalarView(
      text.unicodeScalars.map { scalar in
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator, .format, .privateUse, .surrogate: " "
        default: scalar
        }
      }))
}
