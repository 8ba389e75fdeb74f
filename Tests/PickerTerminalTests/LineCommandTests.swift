import JSONText
import Testing

@testable import PickerClient
@testable import PickerTerminal

@Suite struct LineCommandTests {
  /// Two columns: Tea and Green Tea; x.
  private var wheels: PickerState {
    var machine = ClientMachine()
    _ = machine.handle(.start, at: 0)
    _ = machine.handle(.opened, at: 0)
    let welcome = """
      {"type":"welcome","member":{"id":"m","secret":"s","name":"Ana","role":"owner",\
      "color":"#d1495b"},"locale":"en",\
      "epoch":"e","revision":0,"resumed":false,"snapshot":{"definition":\
      {"kind":"columns"},"status":"open","result":null,"columns":[{"generation":3,"count":2,\
      "from":0,"rows":[{"key":"t","text":"Tea"},{"key":"g","text":"Green Tea"}],"row":0},\
      {"generation":1,"count":1,"from":0,"rows":[{"key":"x","text":"X"}],"row":0}]},"members":[]}
      """
    _ = machine.handle(.received(Array(welcome.utf8)), at: 0)
    return machine.state
  }

  private let green = LineCommand.command(.select(column: 0, row: 1, generation: 3, key: "g"))

  @Test(arguments: ["select 1 Green Tea", "SELECT 1 g", "  select   1 Green Tea  "])
  func `commands of words refer to a row by text or key`(line: String) {
    #expect(LineCommand(words: line, in: wheels) == green)
  }

  @Test func `a search has a column and a text`() throws {
    let words = LineCommand(words: "find 2 green te ", in: wheels)
    #expect(words == .find("green te", column: 1))
    let text = #"{"type":"find","column":1,"text":"gr","limit":3}"#
    let object = try JSONTree.parse(Array(text.utf8))
    #expect(LineCommand(object: object, in: wheels) == .find("gr", column: 1, limit: 3))
    for line in [
      "find", "find 1", "find 3 a", "find x a", "find 1 \(String(repeating: "é", count: 65))",
    ] {
      guard case .unknown = LineCommand(words: line, in: wheels) else {
        Issue.record("\(line) is a command")
        continue
      }
    }
  }

  @Test(arguments: [
    #"{"type":"select","column":0,"row":1}"#, #"{"type":"select","column":0,"key":"g"}"#,
    #"{"type":"select","column":0,"text":"Green Tea","id":4}"#,
  ])
  func `JSON commands refer to a row by index, key or text`(line: String) throws {
    let object = try JSONTree.parse(Array(line.utf8))

    #expect(LineCommand(object: object, in: wheels) == green)
  }

  @Test func `single words are commands`() {
    #expect(LineCommand(words: "undo", in: wheels) == .command(.undo))
    #expect(LineCommand(words: "Quit", in: wheels) == .quit)
    #expect(LineCommand(words: "touch", in: wheels) == .touch(nil))
    #expect(LineCommand(words: " ", in: wheels) == .nothing)
    let day = PickerDay("2026-11-20")!
    #expect(LineCommand(words: "tap 2026-11-20", in: wheels) == .command(.tap(day)))
    #expect(LineCommand(words: "touch 2026-11-20", in: wheels) == .touch(.day(day)))
    #expect(
      LineCommand(words: "months 2026-11 3", in: wheels)
        == .months(from: PickerMonth("2026-11")!, count: 3))
  }

  @Test(arguments: ["rename Mia Ann", " RENAME  Mia Ann "])
  func `a new name may contain spaces`(line: String) throws {
    let object = try JSONTree.parse(Array(#"{"type":"rename","name":"Mia Ann"}"#.utf8))

    #expect(LineCommand(words: line, in: wheels) == .command(.rename("Mia Ann")))
    #expect(LineCommand(object: object, in: wheels) == .command(.rename("Mia Ann")))
  }

  @Test func `JSON commands say that a pointer is over a row or day`() throws {
    let line = #"{"type":"touch","column":0,"key":"g","hover":true}"#
    let object = try JSONTree.parse(Array(line.utf8))

    let touch = LineCommand.touch(.row(column: 0, row: 1), isHover: true)
    #expect(LineCommand(object: object, in: wheels) == touch)
  }

  @Test(arguments: [
    "select", "select 1", "select 3 x", "select 1 Coffee", "tap", "tap tomorrow", "tap 2026-02-30",
    "months x", "months 2026-11 many", "touch 1", "dance", "rename",
  ])
  func `an invalid command is reported with a correct example`(line: String) {
    guard case .unknown(let sentence) = LineCommand(words: line, in: wheels) else {
      Issue.record("\(line) is a command")
      return
    }
    #expect(sentence.count > 20)
  }

  @Test func `the last line may lack a newline`() {
    var reader = LineReader()

    let first = reader.take(Array("undo\r\nre".utf8)) + reader.take(Array("do".utf8))
    #expect(first.map(\.text) == ["undo"])
    #expect(reader.end().map(\.text) == ["redo"])
    #expect(reader.end() == [])
  }
}
