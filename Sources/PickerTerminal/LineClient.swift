import Foundation
import JSONText
package import PickerClient

/// A line of standard input.
struct InputLine: Hashable {
  /// From 1.
  let number: Int
  let text: String
  /// What a JSON command calls itself, for its answer.
  var id: JSONTree?
}

/// `pickerd join --plain` and `--json`: lines in, lines out, one command after the other.
package actor LineClient {
  private enum Happening: Sendable {
    case picker(PickerEvent)
    case octets([UInt8])
    case endOfInput
    case ended
    case timeIsUp
  }

  /// What a command that was not done leaves behind, so that a script sees it.
  private static let notDone: Int32 = 2

  private let picker: PickerConnection
  private let patience: Duration?
  private let (happenings, continuation) = AsyncStream.makeStream(of: Happening.self)
  private var format: any LineFormat
  private var signals = Signals()
  private var reader = LineReader()
  private var state = PickerState()
  /// Lines whose turn has not come: there is no connection, or one before has no answer.
  private var waiting: [InputLine] = []
  private var running: (ref: Int, line: InputLine)?
  /// Told after the state that came of the same message.
  private var news: [PickerEvent] = []
  private var hasEnded = false
  private var status: Int32 = 0

  /// - Parameter patience: How long there may be no connection; `nil` for any time.
  package init(_ picker: PickerConnection, isJSON: Bool, patience: Duration?) {
    self.picker = picker
    self.patience = patience
    format = isJSON ? JSONFormat() : PlainFormat()
  }

  /// Runs until the input ends or says `quit`, or the server wants us to stay away.
  ///
  /// - Returns: The exit status: 0, 1 where there is no connection any more, 2 where a command was
  ///   not done.
  package func run() async -> Int32 {
    let events = picker.events
    let continuation = continuation
    signals.watch([SIGINT, SIGTERM, SIGHUP, SIGQUIT]) { continuation.yield(.ended) }
    Task { for await event in events { continuation.yield(.picker(event)) } }
    Task {
      for await octets in standardInput() { continuation.yield(.octets(octets)) }
      continuation.yield(.endOfInput)
    }
    picker.start()
    watchPatience()
    for await happening in happenings {
      if take(happening) { break }
      work()
      if isDone { break }
    }
    await picker.leave()
    return status
  }

  /// - Returns: Whether it is over at once.
  private func take(_ happening: Happening) -> Bool {
    switch happening {
    case .ended: return true
    case .timeIsUp:
      guard state.connection != .live else { return false }
      complain("no connection: \(Sentences.connection(state))")
      status = 1
      return true
    case .octets(let octets): waiting += reader.take(octets)
    case .endOfInput:
      waiting += reader.end()
      hasEnded = true
    case .picker(.state(let state)):
      take(state)
      guard state.isOver else { return false }
      complain(Sentences.connection(state))
      status = 1
      return true
    case .picker(let event): news.append(event)
    }
    return false
  }

  private func take(_ state: PickerState) {
    let wasLive = self.state.connection == .live
    self.state = state
    for line in format.lines(for: state) { say(line) }
    for event in news { tell(event) }
    news = []
    if wasLive && state.connection != .live { watchPatience() }
    guard let list = state.monthList, state.months.isEmpty, state.connection == .live else {
      return
    }
    // Something to show, and to guess by what a tap will do.
    let today = state.now.flatMap { PickerDay(String($0.prefix(10))) }?.month ?? list.first
    let month = min(max(state.range?.start.month ?? today, list.first), list.last)
    picker.months(from: month, count: 3)
  }

  private func tell(_ event: PickerEvent) {
    switch event {
    case .notice(let notice): if let line = format.line(for: notice, in: state) { say(line) }
    case .answered(let ref, let answer):
      guard let running, running.ref == ref else { return }
      self.running = nil
      if case .failure = answer { status = Self.notDone }
      if let line = format.line(for: answer, to: running.line) { say(line) }
    case .state: return
    }
  }

  /// Does what can be done of what waits.
  private func work() {
    while running == nil, state.connection == .live, !waiting.isEmpty {
      var line = waiting.removeFirst()
      switch Self.read(&line, in: state) {
      case .nothing: continue
      case .command(let command): running = (picker.send(command), line)
      case .touch(let touch): picker.touch(touch)
      case .months(let from, let count): picker.months(from: from, count: count)
      case .show: for line in format.picture(of: state) { say(line) }
      case .quit: (waiting, hasEnded) = ([], true)
      case .unknown(let sentence):
        status = Self.notDone
        say(format.line(forUnknown: line, sentence))
      }
    }
  }

  /// Commands that wait are answered before the end of the input ends the program.
  private var isDone: Bool {
    hasEnded && waiting.isEmpty && running == nil && state.connection == .live
  }

  private func watchPatience() {
    guard let patience else { return }
    let continuation = continuation
    Task {
      try? await Task.sleep(for: patience)
      continuation.yield(.timeIsUp)
    }
  }

  private static func read(_ line: inout InputLine, in state: PickerState) -> LineCommand {
    guard line.text.first(where: { !$0.isWhitespace }) == "{" else {
      return LineCommand(words: line.text, in: state)
    }
    guard let object = try? JSONTree.parse(Array(line.text.utf8)) else {
      return .unknown("this is no JSON object")
    }
    line.id = object["id"]
    return LineCommand(object: object, in: state)
  }

  private func say(_ line: String) { Terminal.write(harmless(line) + "\n") }
}

/// Octets to lines.
struct LineReader {
  private var rest: [UInt8] = []
  private var count = 0

  mutating func take(_ octets: [UInt8]) -> [InputLine] {
    rest += octets
    var lines: [InputLine] = []
    while let end = rest.firstIndex(of: 0x0A) {
      lines.append(line(rest[..<end]))
      rest.removeSubrange(...end)
    }
    return lines
  }

  /// A last line may lack its end.
  mutating func end() -> [InputLine] {
    defer { rest = [] }
    return rest.isEmpty ? [] : [line(rest[...])]
  }

  private mutating func line(_ octets: ArraySlice<UInt8>) -> InputLine {
    count += 1
    return InputLine(number: count, text: String(decoding: octets, as: UTF8.self).trimmed)
  }
}
