import PickerClient
import PickerModel
import PickerSession

/// Runs conversations with each kind of fault at each byte offset.
package struct WireSimulation {
  package private(set) var faultCount = 0
  package private(set) var byteCount = 0

  package init() {}

  /// Runs a script without a fault, then with each one.
  ///
  /// - Parameter step: The distance between two offsets in bytes; 1 tests all of them.
  /// - Throws: The first conversation whose outcome differs from the one without a fault.
  package mutating func run(_ script: WireScript, step: Int = 1) throws(WireBreach) {
    let undisturbed = WireConversation(script, fault: nil)
    guard let expected = undisturbed.run() else {
      throw WireBreach(script: script, fault: nil, sentence: undisturbed.breach ?? "it ends")
    }
    for direction in WireFault.Direction.allCases {
      let byteCount = undisturbed.passed[direction, default: 0]
      self.byteCount += byteCount
      for offset in stride(from: 0, through: byteCount, by: step) {
        for kind in WireFault.Kind.allCases where direction == .down || kind != .failedWrite {
          let fault = WireFault(direction: direction, offset: offset, kind: kind)
          try run(script, fault, expected)
        }
      }
    }
  }

  private mutating func run(
    _ script: WireScript, _ fault: WireFault, _ expected: WireOutcome
  ) throws(WireBreach) {
    faultCount += 1
    let conversation = WireConversation(script, fault: fault)
    let outcome = conversation.run()
    if conversation.fault != nil { conversation.fail("the fault happens") }
    if let outcome, outcome != expected {
      conversation.fail("the outcome is the one without a fault: \(expected), \(outcome)")
    }
    if let sentence = conversation.breach {
      throw WireBreach(script: script, fault: fault, sentence: sentence)
    }
  }
}

/// A conversation that violated a rule.
package struct WireBreach: Error, CustomStringConvertible {
  let script: WireScript
  let fault: WireFault?
  let sentence: String

  package var description: String {
    "\(script.name), \(fault.map { "\($0)" } ?? "no fault"): not true: \(sentence)"
  }
}

/// The final state of a client, without member ids, which differ if a welcome was lost.
struct WireOutcome: Hashable {
  let revision: Int
  let status: String
  let result: PickerClient.PickerResult?
  let columns: [[Int?]]
  let range: [String]
  /// The grades of each member with marks, by name.
  let marks: [String]

  init(_ state: ClientState) {
    revision = state.revision
    status = state.status.rawValue
    result = state.result
    columns = state.columns.map { [$0.generation, $0.count, $0.row, $0.shownRow] }
    range = state.range.map { ["\($0.start)", "\($0.end)", "\($0.hits)"] } ?? []
    marks = (state.availability?.respondents ?? []).map {
      "\($0.name) \($0.grades.map { $0?.rawValue ?? "-" })"
    }.sorted()
  }
}

extension WireConversation {
  /// The final state of the clients, after comparing it with the log.
  func outcome() -> WireOutcome? {
    guard let stored = journal.sessions[session],
      var replica = try? Replica(stored.origin, limits: SessionLimits())
    else {
      fail("a created session can be replayed")
      return nil
    }
    for entry in stored.entries {
      if let sentence = replica.follow(entry, isLate: false) { fail(sentence) }
    }
    let commandCount = clients.map(\.commandCount).reduce(0, +)
    if replica.deltas.count != commandCount {
      fail("every command is executed once: \(replica.deltas.count) of \(commandCount)")
    }
    guard let truth = replica.truths[replica.fold.revision] else { return nil }
    for client in clients {
      check { () throws(ProtocolBreach) in
        let reader = TextReader(texts: [EnglishTexts()], tags: ["en"], fallbacks: replica.locales)
        try client.state.check(against: truth, reader, isThorough: true)
      }
      if client.revision != replica.fold.revision || client.state.revision != client.revision {
        fail("all clients are at revision \(replica.fold.revision)")
      }
    }
    let outcomes = clients.map { WireOutcome($0.state) }
    if outcomes[0] != outcomes[1] { fail("all clients have the same state: \(outcomes)") }
    return outcomes[0]
  }
}
