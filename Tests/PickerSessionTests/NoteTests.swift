import JSONText
import PickerModel
import Testing

@testable import PickerSession

extension SessionFixture {
  @discardableResult
  fileprivate mutating func note(_ json: String, after milliseconds: Int64 = 0) throws -> [Effect] {
    let patch = try JSONTree.parse(Array(json.utf8))
    return fold.apply(
      LogEntry(
        at: noon.adding(milliseconds: milliseconds), body: .revised(.init(notes: NotesPatch(patch)))
      ))
  }
}

@Suite struct NoteTests {
  private let soldOut = #"{"days":{"2026-12-24":{"text":"sold out"}}}"#
  private let cheap = #"{"columns":{"0":{"b":{"text":"€ 5","tone":"low"}}}}"#

  @Test func `a note makes a revision without an author and no version`() throws {
    var session = try SessionFixture(calendar)
    let deltas = SessionFixture.deltas(try session.note(soldOut))
    #expect(deltas.count == 1 && deltas[0].revision == 1 && deltas[0].author == nil)
    #expect(!deltas[0].isTick && session.fold.version == 1 && session.fold.notes.days.count == 1)
  }

  @Test func `a note without effect or for another kind takes no revision`() throws {
    var session = try SessionFixture(calendar)
    try session.note(soldOut)
    #expect(try session.note(soldOut) == [])
    #expect(try session.note(#"{"days":{"2026-12-24":{"text":""}}}"#) == [])
    #expect(try session.note(cheap) == [])
    #expect(session.fold.revision == 1)
  }

  @Test func `a tick precedes a note`() throws {
    var session = try SessionFixture(slot)
    let note = #"{"columns":{"1":{"13":{"text":"busy"}}}}"#
    let deltas = SessionFixture.deltas(try session.note(note, after: 3_600_000))
    #expect(deltas.map(\.revision) == [1, 2])
    #expect(deltas[0].isTick && !deltas[1].isTick)
  }

  @Test func `undo does not change notes, and a confirmed session accepts them`() throws {
    var session = try SessionFixture(letters)
    session.give(ana, 1, select(0, 1))
    try session.note(cheap)
    session.give(ana, 2, .undo)
    #expect(session.fold.picker.value == .keys(["a", "x"]) && session.fold.notes.rowCount == 1)
    session.give(ana, 3, .confirm)
    try session.note(#"{"columns":{"0":null}}"#)
    #expect(session.fold.notes.isEmpty && session.fold.revision == 5)
  }

  @Test func `a delta has the notes of its rows at its revision`() throws {
    let tree =
      #"{"kind":"cascade","nodes":[{"text":"p","children":["a"]},{"text":"q","children":["b"]}]}"#
    var session = try SessionFixture(
      tree.replacing(#"["a"]"#, with: #"[{"text":"a"}]"#)
        .replacing(#"["b"]"#, with: #"[{"text":"b"}]"#))
    try session.note(#"{"columns":{"1":{"b":{"text":"one"},"zz":{"text":"later"}}}}"#)
    let deltas = SessionFixture.deltas(session.give(ana, 1, select(0, 1)))
    try session.note(#"{"columns":{"1":{"b":{"text":"two"}}}}"#)
    let sent = try #require(deltas[0].notes?.columns[1])
    #expect(sent.count == 1 && sent[ExactString("b")]?.text == .same("one"))
    let undone = SessionFixture.deltas(session.give(ana, 2, .undo))
    #expect(undone[0].notes == nil, "the restored rows have no notes")
  }

  @Test func `a snapshot has the notes`() throws {
    var session = try SessionFixture(letters)
    try session.note(cheap)
    let back = SessionFold(session.fold.origin, state: session.fold.state)
    #expect(back.state == session.fold.state && back.notes == session.fold.notes)
  }

  @Test func `the history has fewer deltas if they have large notes`() throws {
    var session = try SessionFixture(letters)
    for number in 1...20 {
      let rows = (0..<19_999).map { "\"\($0)\":{\"text\":\"\(number)\"}" }.joined(separator: ",")
      try session.note(#"{"columns":{"0":{\#(rows)}}}"#)
    }
    #expect(session.fold.revision == 20)
    #expect(session.fold.deltas(after: 1) == nil && session.fold.deltas(after: 4) != nil)
  }
}
