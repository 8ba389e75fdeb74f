import Foundation
package import PickerClient

/// `pickerd join --plain`: a line for each thing that happens, commands as lines; and `--json`: the
/// wire's messages as they stand there.
package struct LineClient: Sendable {
  private let connection: PickerConnection

  package init(_ connection: PickerConnection) { self.connection = connection }

  /// Runs until the input ends or says `quit`, or the server wants us to stay away.
  ///
  /// - Returns: The exit status: 0, or 1 where the server closed for good.
  package func runPlain() async -> Int32 {
    let states = await connection.states()
    let news = await connection.news()
    let reader = Task { await readCommands() }
    let teller = Task {
      for await notice in news {
        let state = await connection.state
        if let sentence = Sentences.news(notice, in: state) { Self.say(sentence) }
      }
    }
    await connection.start()
    var printer = PlainPrinter()
    var status: Int32 = 0
    for await state in states {
      for line in printer.lines(for: state) { Self.say(line) }
      if let list = state.monthList, state.months.isEmpty, state.connection == .live {
        let today = state.now.flatMap { PickerDay(String($0.prefix(10))) }?.month ?? list.first
        let from = min(max(state.range?.start.month ?? today, list.first), list.last)
        await connection.look(from: from, count: 3)
      }
      if let ending = Self.ending(state) {
        status = ending
        break
      }
    }
    reader.cancel()
    teller.cancel()
    return status
  }

  /// Commands that wait are answered before the end of the input ends the program.
  private func readCommands() async {
    var lines = LineReader()
    for await octets in standardInput() {
      for line in lines.take(octets) where await !perform(line) { return await connection.leave() }
    }
    await connection.leave()
  }

  /// - Returns: Whether to go on.
  private func perform(_ line: String) async -> Bool {
    await untilLive()
    switch PlainCommand(line, in: await connection.state) {
    case .nothing: return true
    case .quit: return false
    case .show:
      for line in PlainPrinter.picture(of: await connection.state) { Self.say(line) }
    case .unknown(let why): Self.say("? \(why)")
    case .command(let command): await connection.perform(command)
    }
    return true
  }

  private func untilLive() async {
    for await state in await connection.states() {
      switch state.connection {
      case .live, .away, .left, .needsCredentials: return
      case .idle, .connecting, .joining, .waiting: continue
      }
    }
  }

  /// Prints what is received, a line each; commands are given in the same words as
  /// with `--plain`.
  package func runJSON() async -> Int32 {
    let wire = await connection.wire()
    let states = await connection.states()
    let reader = Task { await readCommands() }
    let printer = Task {
      for await message in wire {
        if case .received(let text) = message { Terminal.write(text + "\n") }
      }
    }
    await connection.start()
    var status: Int32 = 0
    for await state in states {
      if let ending = Self.ending(state) {
        status = ending
        break
      }
    }
    reader.cancel()
    printer.cancel()
    return status
  }

  private static func say(_ line: String) { Terminal.write(harmless(line) + "\n") }

  private static func ending(_ state: PickerState) -> Int32? {
    switch state.connection {
    case .left: 0
    case .away, .needsCredentials: 1
    case .idle, .connecting, .joining, .live, .waiting: nil
    }
  }
}

/// Octets to lines.
struct LineReader {
  private var rest: [UInt8] = []

  mutating func take(_ octets: [UInt8]) -> [String] {
    rest += octets
    var lines: [String] = []
    while let end = rest.firstIndex(of: 0x0A) {
      lines.append(String(decoding: rest[..<end], as: UTF8.self))
      rest.removeSubrange(...end)
    }
    return lines
  }
}
