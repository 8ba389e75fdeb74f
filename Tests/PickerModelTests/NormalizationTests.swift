import JSONText
import PickerModel
import Testing

/// "é" as one scalar and with a combining accent: equal as `String`, but two keys.
private let composed = "\u{E9}"
private let decomposed = "e\u{301}"

/// The bytes of strings, because `==` compares normalized strings.
private func bytes(_ strings: [String]) -> [[UInt8]] { strings.map { Array($0.utf8) } }

@Suite struct `Keys that differ only in Unicode normalization` {
  private func columns(fillers: Int = 0) throws -> Picker {
    let rows = [composed, decomposed] + (0..<fillers).map { "row \($0)" }
    let json = rows.map { #""\#($0)""# }.joined(separator: ",")
    return try Picker(
      #"{"kind":"columns","columns":[[\#(json)]]}"#, at: "2018-01-01T00:00:00Z")
  }

  private func cascade() throws -> Picker {
    try Picker(
      """
      {"kind":"cascade","nodes":[
        {"text":"\(composed)","children":[{"text":"\(composed)"}]},
        {"text":"\(decomposed)","children":[{"text":"\(decomposed)"}]}]}
      """, at: "2018-01-01T00:00:00Z")
  }

  /// Long lists are searched with a dictionary, short ones linearly.
  @Test(arguments: [0, 100]) func `are two rows of a column`(fillers: Int) throws {
    let picker = try columns(fillers: fillers)

    #expect(picker.row(ofKey: composed, column: 0) == 0)
    #expect(picker.row(ofKey: decomposed, column: 0) == 1)
  }

  @Test func `can be selected one after the other`() throws {
    var picker = try columns()
    let before = picker.value

    let changes = try picker.select(row: 1, column: 0)

    #expect(changes.count == 1)
    #expect(picker.value != before)
    #expect(bytes(picker.keys) == bytes([decomposed]))
    #expect(picker.result == .keys([decomposed]))
    #expect(picker.result != .keys([composed]))
    #expect(picker._checkInvariants() == nil)
  }

  @Test func `are two nodes of a cascade with columns of their own`() throws {
    var picker = try cascade()

    let changes = try picker.select(row: 1, column: 0)

    #expect(changes.count == 3, "one reload and two rows")
    #expect(bytes(picker.keys) == bytes([decomposed, decomposed]))
    #expect(picker._checkInvariants() == nil)
  }

  @Test func `are restored by undo`() throws {
    var picker = try cascade()
    let before = picker.value
    _ = try picker.select(row: 1, column: 0)

    _ = picker.restore(before)

    #expect(bytes(picker.keys) == bytes([composed, composed]))
  }

  @Test func `are not changed by encoding and decoding a definition`() throws {
    let picker = try Picker(
      #"{"kind":"columns","columns":[[{"text":"\#(composed)","key":"\#(decomposed)"}]]}"#,
      at: "2018-01-01T00:00:00Z")
    let written = picker.definition.document(full: true).serialized()

    let again = try Picker(String(decoding: written, as: UTF8.self), at: "2018-01-01T00:00:00Z")

    #expect(bytes(again.keys) == bytes([decomposed]))
  }

  @Test func `are duplicates only if their bytes are equal`() {
    #expect(throws: DefinitionProblem.self) {
      try Picker(
        #"{"kind":"columns","columns":[["\#(decomposed)","\#(decomposed)"]]}"#,
        at: "2018-01-01T00:00:00Z")
    }
  }
}
