import PickerClient
import Testing

@testable import PickerTerminal

/// A session of a kind that the terminal cannot show.
@Suite struct UnknownKindTests {
  private func screen() -> Screen {
    var machine = ClientMachine()
    _ = machine.handle(.start, at: 0)
    _ = machine.handle(.opened, at: 0)
    let welcome = """
      {"type":"welcome","member":{"id":"m","secret":"s","name":"Ana","role":"owner",\
      "color":"#d1495b"},"locale":"en","epoch":"e","revision":0,"resumed":false,\
      "now":"2026-11-20T10:00:00.000Z","snapshot":{"definition":{"kind":"constellation"},\
      "status":"open","result":null,"constellation":{"generation":1}},"members":[]}
      """
    _ = machine.handle(.received(Array(welcome.utf8)), at: 0)
    let delta = """
      {"type":"delta","revision":1,"at":"2026-11-20T10:00:01.000Z","changes":[\
      {"change":"heat","respondents":1,"runs":[[0,2,1,0,0]]},{"change":"result","result":\
      {"local":"2026-12-07T09:30","instant":"2026-12-07T08:30:00Z","until":"2026-12-07T09:30:00Z",\
      "yes":1}}]}
      """
    _ = machine.handle(.received(Array(delta.utf8)), at: 0)
    var screen = Screen()
    screen.take(machine.state)
    return screen
  }

  @Test func `the screen says that it cannot show the kind, and has the result`() {
    let drawn = screen().draw().lines.joined(separator: "\n")
    #expect(drawn.contains("pickerd join cannot show the kind constellation."))
    #expect(drawn.contains("2026-12-07 09:30"))
  }

  @Test func `keys that select or move do nothing`() {
    var screen = screen()
    for key in [Key.up, .down, .left, .right, .enter, .pageDown, .home, .tab] {
      #expect(screen.press(key).isEmpty)
    }
  }
}
