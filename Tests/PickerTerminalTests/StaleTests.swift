import JSONText
import Testing

@testable import PickerClient
@testable import PickerTerminal

/// A refused late command is explained where the user looks.
@Suite struct StaleTests {
  /// Bo has selected 24 to 26 December.
  private func calendar(boName: String = "Bo", touching: String = "") -> PickerState {
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
      {"id":"m_bo","name":"\(boName)","role":"editor","color":"#2e86ab","online":true}]}
      """,
      #"{"type":"presence","touching":[\#(touching)]}"#,
    ]
    for message in messages { _ = machine.handle(.received(Array(message.utf8)), at: 0) }
    return machine.state
  }

  private let params = RefusalParams(revision: 5, by: "m_bo")

  @Test(arguments: [
    (PickerCommand.confirm, "c confirms this"), (.undo, "u undoes on this"),
    (.clear, "x clears this"), (.tap(PickerDay("2026-12-03")!), "Enter taps on this"),
  ])
  func `the terminal says what is there now, by whom, and the key to do it on this`(
    command: PickerCommand, again: String
  ) {
    let notice = PickerNotice.refused(
      code: .stale, detail: "", params: params, command: command)

    #expect(
      Sentences.notice(notice, in: calendar())
        == "not done: changed by Bo, now 2026-12-24 to 2026-12-26, 3 days; \(again)")
  }

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

  @Test func `a notice that is too long for a line continues on the line of the keys`() {
    var screen = Screen()
    screen.take(calendar(boName: String(repeating: "Bo", count: 32)))
    screen.notice = Sentences.notice(
      .refused(code: .stale, detail: "", params: params, command: .confirm), in: screen.state)!

    let lines = screen.draw().lines.suffix(2)

    #expect(
      lines.joined().contains("changed by BoBo") && lines.joined().contains("c confirms this"))
    screen.notice = "short"
    #expect(screen.draw().lines.last?.hasSuffix("q quit") == true)
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

  @Test func `a name is typed, corrected and sent in the terminal`() {
    var screen = Screen()
    screen.take(calendar())

    let keys: [Key] = [.letter("n"), .letter("M"), .letter("q"), .backspace, .letter("ä"), .enter]
    let requests = keys.flatMap { screen.press($0) }

    #expect(requests == [.command(.rename("Mä"))])
    #expect(screen.press(.letter("q")) == [.quit], "the keys are commands again")
  }

  @Test func `a name can be given up, and an empty one is not sent`() {
    var screen = Screen()
    screen.take(calendar())

    let keys: [Key] = [.letter("n"), .letter("M"), .escape, .letter("n")]
    let requests = keys.flatMap { screen.press($0) }

    #expect(screen.draw().lines.contains { $0.contains("your name: _") })
    #expect(requests + screen.press(.enter) == [])
  }
}
