import Testing

@testable import PickerClient
@testable import PickerTerminal

/// Pending commands are shown as not stored.
@Suite struct UnstoredTests {
  /// A connected member of a picker with one column, `A` and `B`.
  private func connected() -> ClientMachine {
    var machine = ClientMachine()
    _ = machine.handle(.start, at: 0)
    _ = machine.handle(.opened, at: 0)
    let member = ##""name":"Ana","role":"owner","color":"#d1495b""##
    let welcome = """
      {"type":"welcome","member":{"id":"m","secret":"s",\(member)},"locale":"en","epoch":"e",\
      "revision":5,"resumed":false,"snapshot":{"definition":{"kind":"columns"},"status":"open",\
      "result":{"keys":["a"]},"columns":[{"generation":1,"count":2,"from":0,"row":0,\
      "rows":[{"key":"a","text":"A"},{"key":"b","text":"B"}]}]},\
      "members":[{"id":"m",\(member),"online":true}]}
      """
    _ = machine.handle(.received(Array(welcome.utf8)), at: 0)
    return machine
  }

  private func foot(_ machine: ClientMachine) -> String {
    var screen = Screen()
    screen.take(machine.state)
    let lines = screen.draw().lines
    return lines[lines.count - 3]
  }

  private let second = PickerCommand.select(column: 0, row: 1, generation: 1, key: "b")

  @Test func `a change without a connection is not stored, and the stored row is named as such`() {
    var ana = connected()
    _ = ana.handle(.closed(code: 1006), at: 0)
    #expect(Sentences.connection(ana.state) == "reconnecting")
    #expect(foot(ana) == " A")

    _ = ana.handle(.command(second), at: 0)

    #expect(Sentences.connection(ana.state) == "reconnecting, not stored yet")
    #expect(foot(ana) == " A (as stored)")
  }

  @Test func `a change is stored once it is answered`() {
    var ana = connected()
    _ = ana.handle(.command(second), at: 0)
    #expect(Sentences.connection(ana.state) == "connected, not stored yet")

    let delta = """
      {"type":"delta","revision":6,"by":"m","ref":1,"at":"2026-11-28T07:00:00.000Z","changes":[\
      {"change":"row","column":0,"row":1,"key":"b","text":"B","cause":"select"},\
      {"change":"result","result":{"keys":["b"]}}]}
      """
    _ = ana.handle(.received(Array(delta.utf8)), at: 0)

    #expect(Sentences.connection(ana.state) == "connected")
    #expect(foot(ana) == " B")
  }
}
