import Foundation
import JSONText
package import PickerClient

/// A line of standard input.
struct InputLine: Hashable {
  /// The line number, starting at 1.
  let number: Int
  let text: String
  /// The `id` of a JSON command, which its answer repeats.
  var id: JSONTree?
  /// The state that its author saw; `nil` before the first welcome.
  var seen: PickerState?
}

/// `pickerd join`: reads commands as lines, sends them one after the other
/// and prints events as lines.
package actor LineClient {
  private enum Input: Sendable {
    case picker(PickerEvent)
    case bytes([UInt8])
    case endOfInput
    case ended
    case timeIsUp(outage: Int)
  }

  /// The exit status if any command failed.
  private static let notDone: Int32 = 2

  private let picker: PickerConnection
  private let patience: Duration?
  private let (inputs, continuation) = AsyncStream.makeStream(of: Input.self)
  private var format: any LineFormat
  private var signals = Signals()
  private var reader = LineReader()
  private var state = PickerState()
  /// How often the connection was lost.
  private var outages = 0
  /// Lines that wait for a connection or for the answer to an earlier command.
  private var waiting: [InputLine] = []
  private var running: (ref: Int, line: InputLine)?
  /// The line of the search that is not answered.
  private var finding: InputLine?
  /// Events of the current message; they are printed after its state.
  private var pendingEvents: [PickerEvent] = []
  private var hasEnded = false
  private var status: Int32 = 0

  /// - Parameter patience: The maximum time without a connection; `nil` for no limit.
  package init(_ picker: PickerConnection, isJSON: Bool, patience: Duration?) {
    self.picker = picker
    self.patience = patience
    format = isJSON ? JSONFormat() : PlainFormat()
  }

  /// Runs until the end of the input, `quit`, or a close code that forbids reconnecting.
  ///
  /// - Returns: The exit status: 0, 1 if the connection ended, 2 if a command failed.
  package func run() async -> Int32 {
    let events = picker.events
    let continuation = continuation
    signals.watch([SIGINT, SIGTERM, SIGHUP, SIGQUIT]) { continuation.yield(.ended) }
    Task { for await event in events { continuation.yield(.picker(event)) } }
    Task {
      for await bytes in standardInput() { continuation.yield(.bytes(bytes)) }
      continuation.yield(.endOfInput)
    }
    picker.start()
    watchPatience()
    for await input in inputs {
      if take(input) { break }
      work()
      if isDone { break }
    }
    await picker.leave()
    return status
  }

  /// - Returns: Whether the program should exit immediately.
  private func take(_ input: Input) -> Bool {
    switch input {
    case .ended: return true
    case .timeIsUp(let outage):
      guard state.connection != .live, outage == outages else { return false }
      complain("no connection: \(Sentences.connection(state))")
      status = 1
      return true
    case .bytes(let bytes): add(reader.take(bytes))
    case .endOfInput:
      add(reader.end())
      hasEnded = true
    case .picker(.state(let state)):
      take(state)
      guard state.isOver else { return false }
      complain(Sentences.connection(state))
      status = 1
      return true
    case .picker(let event): pendingEvents.append(event)
    }
    return false
  }

  private func take(_ state: PickerState) {
    let wasLive = self.state.connection == .live
    let isFirst = self.state.definition == nil && state.definition != nil
    self.state = state
    if isFirst {
      let early = waiting
      waiting = []
      add(early)
    }
    for line in format.lines(for: state) { printLine(line) }
    for event in pendingEvents { report(event) }
    pendingEvents = []
    if wasLive && state.connection != .live {
      outages += 1
      watchPatience()
    }
    guard let list = state.monthList, state.months.isEmpty, state.connection == .live else {
      return
    }
    // Loads months to display, with which taps can be predicted.
    let today = state.today?.month ?? list.first
    let month = min(max(state.range?.start.month ?? today, list.first), list.last)
    picker.months(from: month, count: 3)
  }

  private func report(_ event: PickerEvent) {
    switch event {
    case .notice(let notice): if let line = format.line(for: notice, in: state) { printLine(line) }
    case .answered(let ref, let answer):
      guard let running, running.ref == ref else { return }
      self.running = nil
      if case .failure = answer { status = Self.notDone }
      if let line = format.line(for: answer, to: running.line, in: state) { printLine(line) }
    case .found(_, let result):
      guard let line = finding else { return }
      finding = nil
      switch result {
      case .success(let found): printLine(format.line(for: found, to: line))
      case .failure(let failure):
        status = Self.notDone
        if let line = format.line(for: .failure(failure), to: line, in: state) { printLine(line) }
      }
    case .state: return
    }
  }

  /// Adds lines with the state that their author sees now.
  private func add(_ lines: [InputLine]) {
    for var line in lines {
      if state.definition != nil { line.seen = stateAfterWaiting() }
      waiting.append(line)
    }
  }

  /// The current state, with the hit count after the waiting lines.
  private func stateAfterWaiting() -> PickerState {
    guard var last = waiting.last, let hits = last.seen?.shownHits else { return state }
    var seen = state
    switch Self.read(&last, in: state) {
    case .command(.tap): seen.shownHits = hits + 1
    case .command(.set(let value)): seen.shownHits = value.hits
    case .command(.clear): seen.shownHits = 0
    default: seen.shownHits = hits
    }
    return seen
  }

  /// Executes waiting lines until one has to wait.
  private func work() {
    while running == nil, finding == nil, state.connection == .live, !waiting.isEmpty {
      var line = waiting.removeFirst()
      switch Self.read(&line, in: state) {
      case .nothing: continue
      case .command(let command): running = (picker.send(command, seen: line.seen), line)
      case .touch(let touch, let isHover): picker.touch(touch, isHover: isHover)
      case .months(let from, let count): picker.months(from: from, count: count)
      case .find(let text, let column, let limit):
        finding = line
        Task { [picker] in try? await picker.find(text, in: column, limit: limit) }
      case .show: for line in format.picture(of: state) { printLine(line) }
      case .quit: (waiting, hasEnded) = ([], true)
      case .unknown(let sentence):
        status = Self.notDone
        printLine(format.line(forUnknown: line, sentence))
      }
    }
  }

  /// Whether the input has ended and all its commands have been answered.
  private var isDone: Bool {
    hasEnded && waiting.isEmpty && running == nil && finding == nil && state.connection == .live
  }

  private func watchPatience() {
    guard let patience else { return }
    Task { [continuation, outages] in
      try? await Task.sleep(for: patience)
      continuation.yield(.timeIsUp(outage: outages))
    }
  }

  private static func read(_ line: inout InputLine, in state: PickerState) -> LineCommand {
    guard line.text.first(where: { !$0.isWhitespace }) == "{" else {
      return LineCommand(words: line.text, in: state)
    }
    guard let object = try? JSONTree.parse(Array(line.text.utf8)) else {
      return .unknown("this is not a JSON object")
    }
    line.id = object["id"]
    return LineCommand(object: object, in: state)
  }
}

extension PickerState {
  /// Whether the connection has ended and will not reconnect.
  fileprivate var isOver: Bool {
    switch connection {
    case .away, .needsCredentials: true
    case .idle, .connecting, .joining, .live, .waiting, .left: false
    }
  }
}

/// Splits bytes into lines.
struct LineReader {
  private var rest: [UInt8] = []
  private var count = 0

  mutating func take(_ bytes: [UInt8]) -> [InputLine] {
    rest += bytes
    var lines: [InputLine] = []
    while let end = rest.firstIndex(of: 0x0A) {
      lines.append(line(rest[..<end]))
      rest.removeSubrange(...end)
    }
    return lines
  }

  /// The last line, if it has no newline.
  mutating func end() -> [InputLine] {
    defer { rest = [] }
    return rest.isEmpty ? [] : [line(rest[...])]
  }

  private mutating func line(_ bytes: ArraySlice<UInt8>) -> InputLine {
    count += 1
    return InputLine(number: count, text: String(decoding: bytes, as: UTF8.self).trimmed)
  }
}
