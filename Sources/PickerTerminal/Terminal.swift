import Foundation
import Glibc

/// The terminal of this process: raw while it is drawn on, and as it was afterwards, whatever ends
/// the process.
enum Terminal {
  /// As it was; read by signal handlers, written once before they are set.
  nonisolated(unsafe) private static var before = termios()
  nonisolated(unsafe) private static var isRaw = false

  /// Shows the cursor, resets colours, leaves the other screen.
  private static let leaving: StaticString = "\u{1B}[0m\u{1B}[?25h\u{1B}[?1049l"

  static var isInteractive: Bool { isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1 }

  /// Columns and rows; 80 and 24 if the terminal does not say.
  static var size: (width: Int, height: Int) {
    var size = winsize()
    guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0
    else { return (80, 24) }
    return (Int(size.ws_col), Int(size.ws_row))
  }

  /// Takes the terminal over; ``restore()`` gives it back, and so does the end of the process.
  static func enter() {
    guard tcgetattr(STDIN_FILENO, &before) == 0 else { return }
    var raw = before
    cfmakeraw(&raw)
    // Line ends of what is printed stay as they are.
    raw.c_oflag = before.c_oflag
    isRaw = true
    // A signal handler must not be the first to ask for it.
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

  /// Only what may be called in a signal handler.
  static func restore() {
    guard isRaw else { return }
    isRaw = false
    _ = Glibc.write(STDOUT_FILENO, leaving.utf8Start, leaving.utf8CodeUnitCount)
    tcsetattr(STDIN_FILENO, TCSANOW, &before)
  }

  static func write(_ text: String) {
    var octets = Array(text.utf8)[...]
    while !octets.isEmpty {
      let count = octets.withUnsafeBytes { Glibc.write(STDOUT_FILENO, $0.baseAddress, $0.count) }
      if count < 0 && errno == EINTR { continue }
      // Nobody reads any more: there is nobody to tell.
      guard count > 0 else { exit(0) }
      octets = octets.dropFirst(count)
    }
  }
}

/// What standard input says, from a thread that does nothing else.
///
/// - Returns: Chunks as they come; the stream ends where the input does.
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
