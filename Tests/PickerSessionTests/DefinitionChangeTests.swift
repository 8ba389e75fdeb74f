import CivilTime
import JSONText
import PickerModel
import Testing

@testable import PickerSession

extension SessionFixture {
  /// Applies another definition, as the host does.
  @discardableResult
  fileprivate mutating func define(_ json: String, after milliseconds: Int64 = 0) throws
    -> [Effect]
  {
    let made = try Definition.make(from: try JSONTree.parse(Array(json.utf8))) { _ in .utc }
    let change = DefinitionChange(version: fold.version + 1, definition: made, source: .whole)
    return fold.apply(
      LogEntry(
        at: noon.adding(milliseconds: milliseconds), body: .revised(.init(definition: change))))
  }
}

@Suite struct DefinitionChangeTests {
  private let fewer = #"{"kind":"columns","columns":[["a","c"],["x","y"]]}"#

  @Test func `a definition makes a revision without an author and a new version`() throws {
    var session = try SessionFixture(letters)
    session.give(ana, 1, select(0, 1))

    let deltas = SessionFixture.deltas(try session.define(fewer))

    #expect(deltas.count == 1 && deltas[0].revision == 2 && deltas[0].author == nil)
    #expect(!deltas[0].isTick)
    #expect(session.fold.version == 2)
    #expect(session.fold.definition === session.fold.picker.definition)
    #expect(session.fold.definition !== session.fold.origin.definition)
    #expect(session.fold.picker.value == .keys(["c", "x"]))
  }

  @Test func `a definition of another kind has no effect`() throws {
    var session = try SessionFixture(letters)
    #expect(try session.define(slot) == [])
    #expect(session.fold.version == 1 && session.fold.revision == 0)
  }

  @Test func `a tick precedes a new definition`() throws {
    var session = try SessionFixture(slot)
    let deltas = SessionFixture.deltas(
      try session.define(#"{"kind":"slot","days":2}"#, after: 3_600_000))
    #expect(deltas.map(\.revision) == [1, 2])
    #expect(deltas[0].isTick && !deltas[1].isTick)
  }

  @Test func `a confirmed session applies a definition at reopen as a separate revision`() throws {
    var session = try SessionFixture(letters)
    session.give(ana, 1, select(0, 1))
    session.give(ana, 2, .confirm)
    let shown = session.fold.picker

    let taken = SessionFixture.deltas(try session.define(fewer))

    #expect(taken.count == 1 && taken[0].change.pickerChanges.isEmpty)
    #expect(session.fold.picker == shown && session.fold.version == 2)
    let stored = SessionFold(session.fold.origin, state: session.fold.state)
    #expect(stored.state == session.fold.state)
    #expect(stored.picker.value == .keys(["b", "x"]))
    let reopened = SessionFixture.deltas(session.give(ana, 3, .reopen))
    #expect(reopened.map(\.revision) == [4, 5])
    guard case .definition(let redefinition, let changes, _) = reopened[1].change else {
      Issue.record("the second revision does not apply the definition")
      return
    }
    #expect(!redefinition.isAnnounced && redefinition.version == 2 && changes.count == 2)
    #expect(session.fold.picker.value == .keys(["c", "x"]))
    #expect(session.fold.facts.definedAt == nil)
  }

  @Test func `a pending definition without effect is applied without a revision`() throws {
    var session = try SessionFixture(letters)
    session.give(ana, 1, .cancel)
    try session.define(#"{"kind":"columns","columns":[["a","b","c"],["x","y"]],"locale":"de"}"#)
    let reopened = SessionFixture.deltas(session.give(ana, 2, .reopen))
    #expect(reopened.map(\.revision) == [3])
    #expect(session.fold.picker.definition === session.fold.definition)
  }

  @Test func `undo and redo work under the new definition and do not change it`() throws {
    var session = try SessionFixture(letters)
    session.give(ana, 1, select(0, 1))
    session.give(ana, 2, select(0, 2))
    try session.define(fewer)
    session.give(ana, 3, .undo)
    #expect(session.fold.picker.value == .keys(["a", "x"]))
    #expect(session.fold.version == 2)
    session.give(ana, 4, .redo)
    #expect(session.fold.picker.value == .keys(["c", "x"]))
  }

  @Test func `a definition that changes cells sends their months again`() throws {
    var session = try SessionFixture(calendar)
    let effects = try session.define(
      #"{"kind":"calendar","months":{"from":"2026-10","through":"2026-12"},"firstWeekday":2}"#)
    guard case .cellsChanged(let change)? = effects.last else {
      Issue.record("the cells have not changed")
      return
    }
    #expect(change.revision == 1)
    #expect(change.before.definition !== change.after.definition)
  }

  @Test func `the history has fewer deltas if they have large definitions`() throws {
    let rows = (0..<20_000).map { "\"\($0)\"" }.joined(separator: ",")
    let large = #"{"kind":"columns","columns":[[\#(rows)]]}"#
    var session = try SessionFixture(large)
    let tree = try JSONTree.parse(Array(large.utf8))
    let definition = try Definition.make(from: tree) { _ in .utc }
    for version in 2...30 {
      let change = DefinitionChange(version: version, definition: definition, source: .whole)
      _ = session.fold.apply(LogEntry(at: noon, body: .revised(.init(definition: change))))
    }
    #expect(session.fold.revision == 29)
    #expect(session.fold.deltas(after: 8) == nil)
    #expect(session.fold.deltas(after: 9)?.count == 20)
  }
}
