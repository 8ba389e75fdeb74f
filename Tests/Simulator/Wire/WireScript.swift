import PickerClient

/// The actions of two clients, one after the other. The fault is on the connections of the first
/// client.
package struct WireScript: Sendable {
  enum Step: Sendable {
    case tap(PickerDay)
    case select(row: Int, column: Int)
    case mark(PickerGrade?, Range<Int>)
    case confirm
    /// The first client disconnects, the other one executes the step, and the first one resumes.
    indirect case missed(Step)
  }

  package let name: String
  let definition: String
  let steps: [Step]

  package static let all = [
    WireScript(
      name: "calendar",
      definition: #"{"kind":"calendar","months":{"from":"2026-11","through":"2026-11"}}"#,
      steps: [
        .tap(PickerDay("2026-11-20")!), .missed(.tap(PickerDay("2026-11-24")!)),
        .tap(PickerDay("2026-11-02")!), .tap(PickerDay("2026-11-03")!), .confirm,
      ]),
    WireScript(
      name: "columns", definition: #"{"kind":"columns","columns":[["a","b"],["x","y"]]}"#,
      steps: [
        .select(row: 1, column: 0), .missed(.select(row: 1, column: 1)),
        .select(row: 0, column: 0), .confirm,
      ]),
    WireScript(
      name: "availability",
      definition: #"{"kind":"availability","dates":{"from":"2026-11-21","through":"2026-11-26"}}"#,
      steps: [
        .mark(.yes, 0..<3), .missed(.mark(.maybe, 2..<5)), .mark(nil, 0..<1), .mark(.no, 4..<6),
        .confirm,
      ]),
  ]
}

extension WireConversation {
  /// Runs the script.
  ///
  /// - Returns: The final state of both clients; `nil` if a rule was violated.
  func run() -> WireOutcome? {
    defer { end() }
    guard breach == nil else { return nil }
    for client in clients.reversed() {
      give(.start, to: client)
      rest()
    }
    for step in script.steps where breach == nil { take(step, clients[0]) }
    return breach == nil ? outcome() : nil
  }

  private func take(_ step: WireScript.Step, _ client: WireClient) {
    switch step {
    case .tap(let day): give(.command(.tap(day)), to: client)
    case .select(let row, let column):
      guard let command = client.state.selecting(row: row, column: column) else {
        return fail("the columns are known")
      }
      give(.command(command), to: client)
    case .mark(let grade, let cells):
      guard let command = client.state.marking(cells, as: grade).first else {
        return fail("the cells are known")
      }
      give(.command(command), to: client)
    case .confirm: give(.command(.confirm), to: client)
    case .missed(let step):
      give(.stop, to: clients[0])
      take(step, clients[1])
      give(.start, to: clients[0])
    }
    rest()
  }

  /// Waits until all commands are answered, then reports lost connections to the hub and waits
  /// again.
  private func rest() {
    run { clients.allSatisfy { $0.isSettled || $0.state.connection == .idle } }
    for wire in wires where wire.isDead && !wire.isGoneAtHub { noticeEnd(of: wire) }
    run { clients.allSatisfy { $0.isSettled || $0.state.connection == .idle } }
  }
}
