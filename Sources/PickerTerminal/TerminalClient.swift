import Dispatch
import Foundation
package import PickerClient

/// `pickerd join` on a terminal: draws each state, takes keys, leaves the terminal as it was.
@MainActor
package final class TerminalClient {
  private enum Happening: Sendable {
    case state(PickerState)
    case news(PickerNotice)
    case keys([Key])
    case resized
    case ended
  }

  private let connection: PickerConnection
  private var screen = Screen()
  private var sources: [any DispatchSourceSignal] = []
  private var asked: (from: PickerMonth, count: Int)?

  package init(_ connection: PickerConnection) { self.connection = connection }

  package static var canDraw: Bool { Terminal.isInteractive }

  /// Runs until the person quits, or the server wants us to stay away.
  ///
  /// - Returns: The exit status: 0, or 1 where the server closed for good.
  package func run() async -> Int32 {
    let (happenings, continuation) = AsyncStream.makeStream(of: Happening.self)
    watchSignals(continuation)
    let states = await connection.states()
    let news = await connection.news()
    Terminal.enter()
    Task { for await state in states { continuation.yield(.state(state)) } }
    Task { for await notice in news { continuation.yield(.news(notice)) } }
    Task {
      for await octets in standardInput() { continuation.yield(.keys(Key.read(octets))) }
      continuation.yield(.ended)
    }
    await connection.start()
    for await happening in happenings {
      if await take(happening) { break }
    }
    await connection.leave()
    Terminal.restore()
    return ending()
  }

  private func watchSignals(_ continuation: AsyncStream<Happening>.Continuation) {
    for (number, happening) in [
      (SIGINT, Happening.ended), (SIGTERM, .ended), (SIGHUP, .ended), (SIGWINCH, .resized),
    ] {
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler { continuation.yield(happening) }
      source.resume()
      sources.append(source)
    }
  }

  /// - Returns: Whether it is over.
  private func take(_ happening: Happening) async -> Bool {
    switch happening {
    case .ended: return true
    case .resized:
      screen.take(screen.state, monthsMax: Screen.monthsMax(width: Terminal.size.width))
      Terminal.write("\u{1B}[2J")
    case .state(let state):
      screen.take(state, monthsMax: Screen.monthsMax(width: Terminal.size.width))
    case .news(let notice):
      if let sentence = Sentences.news(notice, in: screen.state) { screen.news = sentence }
    case .keys(let keys):
      for key in keys where await press(key) { return true }
    }
    await look()
    draw()
    return false
  }

  private func press(_ key: Key) async -> Bool {
    let size = Terminal.size
    for wish in screen.press(key, width: size.width, height: size.height) {
      switch wish {
      case .quit: return true
      case .touch(let touch): await connection.touch(touch)
      case .command(let command):
        await connection.send(command)
        // The next key of the same chunk must see what this one did.
        screen.take(await connection.state, monthsMax: Screen.monthsMax(width: size.width))
      }
    }
    return false
  }

  /// Asks for what comes into view.
  private func look() async {
    if let shown = screen.shownMonths, asked?.from != shown.from || asked?.count != shown.count {
      asked = shown
      await connection.look(from: shown.from, count: shown.count)
    }
    let rows = Screen.rowsShown(height: Terminal.size.height)
    for (index, column) in screen.state.columns.enumerated() {
      guard let shown = column.shownRow else { continue }
      await connection.want(rows: max(0, shown - 2 * rows)...shown + 2 * rows, of: index)
    }
  }

  private func draw() {
    let size = Terminal.size
    Terminal.write(screen.draw(width: size.width, height: size.height).sequence)
  }

  private func ending() -> Int32 {
    switch screen.state.connection {
    case .away(let code), .needsCredentials(let code):
      let problem = screen.state.problem.map { ": \($0.detail)" } ?? ""
      FileHandle.standardError.write(Data("pickerd join: closed with \(code)\(problem)\n".utf8))
      return 1
    case .idle, .connecting, .joining, .live, .waiting, .left: return 0
    }
  }
}
