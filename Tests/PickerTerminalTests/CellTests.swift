import JSONText
import PickerClient
import Testing

@testable import PickerTerminal

/// An availability in lines of text and JSON.
@Suite struct CellTests {
  /// Two days with the times 09:00, 09:30, 10:00; on the second day there is no 09:00.
  private func state(marks: String = "") -> PickerState {
    var machine = ClientMachine()
    _ = machine.handle(.start, at: 0)
    _ = machine.handle(.opened, at: 0)
    let welcome = """
      {"type":"welcome","member":{"id":"m","secret":"s","name":"Ana","role":"owner",\
      "color":"#d1495b"},"locale":"en","epoch":"e","revision":0,"resumed":false,\
      "now":"2026-11-20T10:00:00.000Z","snapshot":{"definition":{"kind":"availability",\
      "length":2,"maybe":true},"status":"open","result":null,"availability":{"generation":3,\
      "count":5,"past":0,"closed":false,"timeZone":"Europe/Berlin","days":[\
      {"date":"2026-11-23","text":"Mon, Nov 23","cells":[[0,3,0]]},\
      {"date":"2026-11-24","text":"Tue, Nov 24","cells":[[3,2,1]]}],"rows":[\
      {"time":"09:00","text":"09:00"},{"time":"09:30","text":"09:30"},\
      {"time":"10:00","text":"10:00"}],"respondents":1,"marks":[\(marks)],\
      "heat":[[1,3,1,0,0]],"best":[{"cell":1,"text":"Mon, Nov 23, 09:30–10:30",\
      "yes":1,"maybe":0,"no":0}]}},"members":[]}
      """
    _ = machine.handle(.received(Array(welcome.utf8)), at: 0)
    return machine.state
  }

  private let bo =
    ##"{"member":"b","name":"Bo","color":"#2e9e5b","runs":[[1,3,"yes"]]}"##

  @Test func `the picture has the cells, who can, the own marks, and the best times`() {
    let own = ##"{"member":"m","name":"Ana","color":"#d1495b","runs":[[0,1,"maybe"]]}"##
    let lines = PlainFormat().picture(of: state(marks: own + "," + bo))

    #expect(
      lines.prefix(5) == [
        "= nothing chosen, open", "cell 0: Mon, Nov 23 09:00, 0 yes, 0 maybe, 0 no, you maybe",
        "cell 1: Mon, Nov 23 09:30, 1 yes, 0 maybe, 0 no",
        "cell 2: Mon, Nov 23 10:00, 1 yes, 0 maybe, 0 no",
        "cell 3: Tue, Nov 24 09:30, 0 yes, 0 maybe, 0 no",
      ])
    #expect(lines.contains("best, cell 1: Mon, Nov 23, 09:30–10:30: 1 yes, 0 maybe, 0 no"))
  }

  @Test func `lines of words and of JSON mark and confirm`() {
    let state = state()
    #expect(
      LineCommand(words: "mark yes 0-1 4", in: state)
        == .command(.mark(.yes, cells: [0..<2, 4..<5], generation: 3)))
    #expect(
      LineCommand(words: "mark none 2", in: state)
        == .command(.mark(nil, cells: [2..<3], generation: 3)))
    #expect(
      LineCommand(words: "confirm 1", in: state) == .command(.confirmWindow(cell: 1, generation: 3))
    )
    #expect(LineCommand(words: "confirm", in: state) == .command(.confirm))
    for line in [
      "mark", "mark yes", "mark perhaps 1", "mark yes 3-1", "mark yes 2 1", "mark yes x",
    ] {
      guard case .unknown = LineCommand(words: line, in: state) else {
        Issue.record("\(line) is a command")
        continue
      }
    }
    func object(_ text: String) -> LineCommand {
      LineCommand(object: try! JSONTree.parse(Array(text.utf8)), in: state)
    }
    #expect(
      object(#"{"type":"mark","grade":null,"cells":[[0,2]]}"#)
        == .command(.mark(nil, cells: [0..<2], generation: 3)))
    #expect(
      object(#"{"type":"confirm","cell":1,"generation":2}"#)
        == .command(.confirmWindow(cell: 1, generation: 2)))
    guard case .unknown = object(#"{"type":"mark","cells":[[0,2]]}"#) else {
      Issue.record("a mark needs a grade")
      return
    }
  }

  @Test func `the JSON of the state has the fields of the protocol`() {
    let document = JSONTree.object(StateDocument.members(state(marks: bo)))["availability"]

    #expect(document?["marks"]?.array?[0]["runs"]?.serialized() == Array(#"[[1,3,"yes"]]"#.utf8))
    #expect(document?["heat"]?.serialized() == Array("[[1,3,1,0,0]]".utf8))
    #expect(document?["generation"] == .integer(3) && document?["respondents"] == .integer(1))
  }
}
