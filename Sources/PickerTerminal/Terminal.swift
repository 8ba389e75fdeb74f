import Foundation
import Glibc

/// The terminal of this process. Every exit of the process, including crashes, restores its mode.
package enum Terminal {
  /// The original mode, which signal handlers read; set once before they are installed.
  nonisolated(unsafe) private static var before = termios()
  nonisolated(unsafe) private static var isRaw = false

  /// Resets colours, shows the cursor and leaves the alternate screen.
  private static let leaving: StaticString = "\u{1B}[0m\u{1B}[?25h\u{1B}[?1049l"

  package static var isInteractive: Bool { isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1 }

  /// Columns and rows; 80×24 if the terminal does not report them.
  package static var size: (width: Int, height: Int) {
    var size = winsize()
    guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0
    else { return (80, 24) }
    return (Int(size.ws_col), Int(size.ws_row))
  }

  /// Switches to raw mode; ``restore()`` and the end of the process switch back.
  package static func enter() {
    guard tcgetattr(STDIN_FILENO, &before) == 0 else { return }
    var raw = before
    cfmakeraw(&raw)
    // Output keeps its newline translation.
    raw.c_oflag = before.c_oflag
    isRaw = true
    // Initializes the lazy global here, which a signal handler must not do.
    _ = leaving.utf8CodeUnitCount
    atexit { Terminal.restore() }
    for number in [SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV] {
      signal(number) { number in
        Terminal.restore()
        signal(number, SIG_DFL)
        raise(number)
      }
    }
    tcsetattr(STDIN_FILENO, TCSAFLUSH, &raw)
    write("\u{1B}[?1049h\u{1B}[2J\u{1B}[?25l")
  }

  /// Restores the terminal with async-signal-safe functions only.
  package static func restore() {
    guard isRaw else { return }
    isRaw = false
    _ = Glibc.write(STDOUT_FILENO, leaving.utf8Start, leaving.utf8CodeUnitCount)
    tcsetattr(STDIN_FILENO, TCSANOW, &before)
  }

  package static func write(_ text: String) {
    var bytes = Array(text.utf8)[...]
    while !bytes.isEmpty {
      let count = bytes.withUnsafeBytes { Glibc.write(STDOUT_FILENO, $0.baseAddress, $0.count) }
      if count < 0 && errno == EINTR { continue }
      // The reader of the output is gone, so there is nowhere to report an error.
      guard count > 0 else { exit(0) }
      bytes = bytes.dropFirst(count)
    }
  }
}

/// Reads standard input on a dedicated thread.
///
/// - Returns: The chunks; the stream ends with the input.
package func standardInput() -> AsyncStream<[UInt8]> {
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
