import JSONText
import Testing

@testable import PickerClient
@testable import PickerTerminal

/// A refused late command is explained where the user looks.
@Suite struct StaleTests {
  /// Bo has selected 24 to 26 December.
  private func calendar(touching: String = "") -> PickerState {
    var machine = ClientMachine()
    _ = machine.handle(.start, at: 0)
    _ = machine.handle(.opened, at: 0)
    let member = ##""name":"Ana","role":"owner","color":"#d1495b""##
    let messages = [
      """
      {"type":"welcome","member":{"id":"m","secret":"s",\(member)},"locale":"en","epoch":"e",\
      "revision":5,"resumed":false,"snapshot":{"definition":{"kind":"calendar"},"status":"open",\
      "result":{"start":"2026-12-24","end":"2026-12-26"},"calendar":{"months":{"first":"2026-12",\
      "last":"2026-12","count":1},"range":{"start":"2026-12-24","end":"2026-12-26","hits":2}}},\
      "members":[{"id":"m",\(member),"online":true},\
      {"id":"m_bo","name":"Bo","role":"editor","color":"#2e86ab","online":true}]}
      """,
      #"{"type":"presence","touching":[\#(touching)]}"#,
    ]
    for message in messages { _ = machine.handle(.received(Array(message.utf8)), at: 0) }
    return machine.state
  }

  private let params = RefusalParams(revision: 5, by: "m_bo")

  @Test func `a line says what is there now, and that the same line does it on this`() {
    let answer = Result<Int, PickerFailure>.failure(.refused(.stale, detail: "", params: params))
    let line = InputLine(number: 1, text: "confirm")

    #expect(
      PlainFormat().line(for: answer, to: line, in: calendar())
        == "! confirm: not done: changed by Bo, now 2026-12-24 to 2026-12-26, 3 days; "
        + "the same line does it on this")
  }

  @Test(arguments: [
    (RefusalParams(revision: 5), "changed by time or the host"),
    (RefusalParams(), "the former changes are lost"),
  ])
  func `without a member, the host, time or lost changes are the reason`(
    params: RefusalParams, reason: String
  ) {
    let failure = PickerFailure.refused(.stale, detail: "", params: params)

    #expect(Sentences.failure(failure, in: calendar()).contains(reason))
  }

  @Test func `a JSON answer has the parameters of the refusal`() throws {
    let answer = Result<Int, PickerFailure>.failure(.refused(.stale, detail: "", params: params))
    let line = InputLine(number: 1, text: "confirm")

    let text = try #require(JSONFormat().line(for: answer, to: line, in: calendar()))

    let object = try JSONTree.parse(Array(text.utf8))
    #expect(object["code"]?.string == "stale")
    #expect(object["params"]?["revision"]?.integer == 5)
    #expect(object["params"]?["by"]?.string == "m_bo")
  }

  @Test func `JSON lines say whether a touch is that of a pointer`() {
    var format = JSONFormat()
    let touch = #"{"member":"m_bo","date":"2026-12-03"}"#

    _ = format.lines(for: calendar(touching: touch))
    let lines = format.lines(
      for: calendar(touching: touch.replacing("}", with: #","hover":true}"#)))

    #expect(
      lines == [
        #"{"event":"touching","touching":[{"member":"m_bo","date":"2026-12-03","hover":true}]}"#
      ])
  }
}
