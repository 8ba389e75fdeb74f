import JSONText
import Testing

@testable import PickerClient
@testable import PickerTerminal

/// Values that users type and scripts write.
@Suite struct TypedValueTests {
  /// - Parameter more: Further members of the definition; begin with a comma.
  private func picker(_ kind: String, _ more: String = "") -> PickerState {
    var machine = ClientMachine()
    _ = machine.handle(.start, at: 0)
    _ = machine.handle(.opened, at: 0)
    let shape =
      kind == "calendar"
      ? """
      "calendar":{"months":{"first":"2026-11","last":"2026-12","count":2},"range":null}
      """
      : """
      "columns":[{"generation":1,"count":2,"from":0,"rows":[{"key":"t","text":"Tea"},\
      {"key":"g","text":"Green Tea"}],"row":0},{"generation":1,"count":1,"from":0,\
      "rows":[{"key":"x","text":"X"}],"row":0}]
      """
    let welcome = """
      {"type":"welcome","member":{"id":"m","secret":"s","name":"Ana","role":"owner",\
      "color":"#d1495b"},"locale":"en","epoch":"e","revision":0,"resumed":false,\
      "snapshot":{"definition":{"kind":"\(kind)"\(more)},"status":"open","result":null,\(shape)},\
      "members":[]}
      """
    _ = machine.handle(.received(Array(welcome.utf8)), at: 0)
    return machine.state
  }

  private static let day = PickerDay("2026-11-20")!
  private static let days = PickerValue.range(day, PickerDay("2026-11-24")!)

  @Test(arguments: [
    ("date", "", "set 2026-11-20", PickerValue.day(day)),
    ("calendar", #","selection":"single""#, "SET  2026-11-20 ", .day(day)),
    ("calendar", "", "set 2026-11-20  2026-11-24", days),
    ("calendar", #","unit":"nights""#, "set 2026-11-20 2026-11-24", days),
    ("slot", "", "set 2026-12-03T14:20", .local("2026-12-03T14:20")),
    ("slot", "", "set 2026-12-03 14:20", .local("2026-12-03T14:20")),
    ("slot", "", "set 2026-12-03T13:20:00Z", .instant("2026-12-03T13:20:00Z")),
    ("columns", "", "set Green Tea, X", .keys(["g", "x"])),
    ("cascade", "", "set g,not loaded", .keys(["g", "not loaded"])),
  ])
  func `a value is typed in the form of the picker's results`(
    kind: String, options: String, line: String, value: PickerValue
  ) {
    #expect(LineCommand(words: line, in: picker(kind, options)) == .command(.set(value)))
  }

  @Test(arguments: [
    ("date", #"{"date":"2026-11-20","start":7}"#, PickerValue.day(day)),
    ("calendar", #"{"start":"2026-11-20","end":"2026-11-24","days":5}"#, days),
    ("slot", #"{"local":"2026-12-03T14:20"}"#, .local("2026-12-03T14:20")),
    (
      "slot", #"{"local":"2026-12-03T14:20","instant":"2026-12-03T13:20:00Z"}"#,
      .instant("2026-12-03T13:20:00Z")
    ),
    ("cascade", #"{"keys":["g","y"]}"#, .keys(["g", "y"])),
  ])
  func `a result that was read elsewhere is a value`(
    kind: String, result: String, value: PickerValue
  ) throws {
    let object = try JSONTree.parse(Array(#"{"type":"set","result":\#(result)}"#.utf8))

    #expect(LineCommand(object: object, in: picker(kind)) == .command(.set(value)))
  }

  @Test(arguments: [
    ("date", "set tomorrow", #"{"date":"2026-02-30"}"#), ("date", "set", #"{"local":"x"}"#),
    ("calendar", "set 2026-11-20", #"{"start":"2026-11-20"}"#),
    ("slot", "set 14:20", #"{"local":"2026-12-03T14:20","instant":7}"#),
    ("columns", "set \(String(repeating: "k", count: 10_001))", #"{"keys":["g",7]}"#),
    ("availability", "set 2026-11-20", #"{"date":"2026-11-20"}"#),
  ])
  func `what is no value of the picker is not sent`(
    kind: String, line: String, result: String
  ) throws {
    let object = try JSONTree.parse(Array(#"{"type":"set","result":\#(result)}"#.utf8))
    for command in [
      LineCommand(words: line, in: picker(kind)), LineCommand(object: object, in: picker(kind)),
    ] {
      guard case .unknown(let sentence) = command else {
        Issue.record("\(command) is a command")
        continue
      }
      #expect(sentence.starts(with: "set"))
    }
  }
}
