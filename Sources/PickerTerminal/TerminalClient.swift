import Foundation
package import PickerClient

/// `pickerd join` on a terminal: draws states, handles keys and restores the terminal.
@MainActor
package final class TerminalClient {
  private enum Input: Sendable {
    case picker(PickerEvent)
    case bytes([UInt8])
    /// No byte followed an escape within the timeout.
    case escapeIsOver
    case resized
    case ended
  }

  /// The timeout after an escape. Terminals send the bytes of a sequence together.
  private static let escapePause = Duration.milliseconds(50)

  private let picker: PickerConnection
  private let depth = ColorDepth(ProcessInfo.processInfo.environment)
  private let inputs: AsyncStream<Input>
  private let continuation: AsyncStream<Input>.Continuation
  private var signals = Signals()
  private var screen = Screen()
  private var drawn: Canvas?
  private var keys = KeyReader()

  package init(_ picker: PickerConnection) {
    self.picker = picker
    (inputs, continuation) = AsyncStream.makeStream(of: Input.self)
  }

  nonisolated package static var canDraw: Bool { Terminal.isInteractive }

  /// Runs until the user quits or the server sends a close code that forbids reconnecting.
  ///
  /// - Returns: The exit status: 0, or 1 if the server ended the connection for good.
  package func run() async -> Int32 {
    let events = picker.events
    let continuation = continuation
    signals.watch([SIGINT, SIGTERM, SIGHUP, SIGQUIT]) { continuation.yield(.ended) }
    signals.watch([SIGWINCH]) { continuation.yield(.resized) }
    Terminal.enter()
    screen.resize(width: Terminal.size.width, height: Terminal.size.height)
    Task { for await event in events { continuation.yield(.picker(event)) } }
    Task {
      for await bytes in standardInput() { continuation.yield(.bytes(bytes)) }
      continuation.yield(.ended)
    }
    picker.start()
    draw()
    for await input in inputs {
      if take(input) { break }
      look()
      draw()
    }
    Terminal.restore()
    await picker.leave()
    return exitStatus()
  }

  /// - Returns: Whether the program should exit.
  private func take(_ input: Input) -> Bool {
    switch input {
    case .ended: return true
    case .resized:
      drawn = nil
      screen.resize(width: Terminal.size.width, height: Terminal.size.height)
      return false
    case .picker(.state(let state)):
      screen.take(state)
      return state.isOver
    case .picker(.notice(let notice)):
      if let sentence = Sentences.notice(notice, in: picker.state) { screen.notice = sentence }
      return false
    case .picker(.answered(_, .failure(.offline))):
      screen.notice = "not done: there is no connection"
      return false
    case .picker(.answered(_, .failure(.badName))):
      screen.notice = Sentences.failure(.badName, in: screen.state)
      return false
    case .picker(.answered): return false
    case .bytes(let bytes):
      let pressed = keys.take(bytes)
      if keys.isIncomplete { decideSoon() }
      return press(pressed)
    case .escapeIsOver: return press(keys.timeOut())
    }
  }

  private func decideSoon() {
    let continuation = continuation
    Task {
      try? await Task.sleep(for: Self.escapePause)
      continuation.yield(.escapeIsOver)
    }
  }

  private func press(_ keys: [Key]) -> Bool {
    for key in keys {
      for request in screen.press(key) {
        switch request {
        case .quit: return true
        case .touch(let touch): picker.touch(touch)
        case .command(let command): picker.send(command, seen: screen.state)
        }
      }
      // The next key of the chunk must see the effect of this one.
      screen.take(picker.state)
    }
    return false
  }

  /// Requests rows and months in view; the connection requests only missing ones from the server.
  private func look() {
    if let shown = screen.shownMonths { picker.months(from: shown.from, count: shown.count) }
    for column in screen.state.columns.indices {
      guard let rows = screen.rowsInView(of: column) else { continue }
      picker.rows(rows, of: column)
    }
  }

  private func draw() {
    let canvas = screen.draw()
    if drawn != canvas { Terminal.write(canvas.sequence(after: drawn, depth)) }
    drawn = canvas
  }

  /// Prints the final state on the primary screen.
  private func exitStatus() -> Int32 {
    if screen.state.definition != nil {
      let status = screen.state.status == .open ? "" : " (\(Sentences.status(screen.state)))"
      Terminal.write(harmless(Sentences.chosen(screen.state) + status) + "\n")
    }
    guard screen.state.isOver else { return 0 }
    complain(Sentences.connection(screen.state))
    return 1
  }
}

extension PickerState {
  /// Whether the connection has ended and will not reconnect.
  var isOver: Bool {
    switch connection {
    case .away, .needsCredentials: true
    case .idle, .connecting, .joining, .live, .waiting, .left: false
    }
  }
}

/// Prints the reason for the exit on standard error.
func complain(_ sentence: String) {
  let line = Data("pickerd join: \(harmless(sentence))\n".utf8)
  try? FileHandle.standardError.write(contentsOf: line)
}
