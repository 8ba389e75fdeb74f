import CivilTime
import JSONText
import PickerModel
import Testing

@testable import PickerSession

private let decided = HostFields(decideSeconds: 300)

extension SessionFixture {
  /// A session with a result that Ana has confirmed at noon, so that the host decides.
  fileprivate static func confirming(_ definition: String = letters) throws -> SessionFixture {
    var session = try SessionFixture(definition, host: decided)
    session.give(ana, 1, select(0, 1))
    session.give(ana, 2, .confirm, op: "op-2")
    #expect(session.fold.status == .confirming)
    return session
  }

  fileprivate var op: String { fold.decision.confirmation?.op ?? "" }

  @discardableResult
  fileprivate mutating func settle(
    _ settle: Settle, after milliseconds: Int64 = 1000
  ) -> [Effect] {
    fold.apply(LogEntry(at: noon.adding(milliseconds: milliseconds), body: .settle(settle)))
  }

  @discardableResult
  fileprivate mutating func tick(after milliseconds: Int64) -> [Effect] {
    fold.apply(LogEntry(at: noon.adding(milliseconds: milliseconds), body: .tick))
  }

  @discardableResult
  fileprivate mutating func note(_ text: String, after milliseconds: Int64 = 1000) -> [Effect] {
    let note = JSONTree.object([.init("text", .string(text))])
    let patch = JSONTree.object([
      .init("columns", .object([.init("0", .object([.init("a", note)]))]))
    ])
    return fold.apply(
      LogEntry(
        at: noon.adding(milliseconds: milliseconds), body: .revised(.init(notes: NotesPatch(patch)))
      ))
  }
}

private func outcome(_ effects: [Effect]) -> SettleOutcome? {
  for case .settled(let outcome) in effects { return outcome }
  return nil
}

private func statusChanges(_ effects: [Effect]) -> [StatusChange] {
  SessionFixture.deltas(effects).compactMap { delta in
    if case .status(let change) = delta.change { change } else { nil }
  }
}

@Suite struct DecisionTests {
  private let data = VerbatimJSON(stored: #"{"booking":4711}"#)

  @Test func `confirm asks the host, with the result and until when`() throws {
    var session = try SessionFixture(letters, host: decided)
    session.give(ana, 1, select(0, 1))

    let delta = SessionFixture.deltas(session.give(ana, 2, .confirm))[0]

    let until = noon.adding(milliseconds: 300_000)
    #expect(
      delta.change
        == .status(
          StatusChange(.confirming, result: .keys(["b", "x"]), op: session.op, until: until)))
    #expect(delta.author?.ref == 2 && delta.revision == 2)
    #expect(session.fold.decision.confirmation?.until == until)
    #expect(session.fold.nextTick == until)
  }

  @Test func `the time of the host ends with the calendar, so that it can be written`() throws {
    var session = try SessionFixture(letters, host: decided)
    let left = Instant.last.milliseconds - noon.milliseconds
    session.give(ana, 1, select(0, 1), after: left)

    session.give(ana, 2, .confirm, after: left)

    #expect(session.fold.decision.confirmation?.until == .last)
  }

  @Test func `without decide a confirmation is final at once`() throws {
    var session = try SessionFixture(letters)
    session.give(ana, 1, .confirm)
    #expect(session.fold.status == .confirmed && session.fold.decision.isEmpty)
  }

  @Test(arguments: [
    select(0, 2), .undo, .redo, .confirm, .reopen, Command.act(.clear),
  ])
  func `what would change the value is refused while the host decides`(command: Command) throws {
    var session = try SessionFixture.confirming()
    let before = session.fold.picker

    let refusal = SessionFixture.refusal(session.give(ana, 3, command))

    #expect(refusal == (command == .act(.clear) ? .wrongKind : .confirming))
    #expect(session.fold.picker == before && session.fold.status == .confirming)
  }

  @Test func `a grant confirms, and its data is part of the result`() throws {
    var session = try SessionFixture.confirming()
    let settle = Settle(op: session.op, isGranted: true, data: data)

    let effects = session.settle(settle)

    let delta = SessionFixture.deltas(effects)[0]
    #expect(session.fold.status == .confirmed && session.fold.decision.data == data)
    #expect(delta.author == nil && !delta.isTick && delta.result == .keys(["b", "x"]))
    #expect(
      outcome(effects)
        == .done(Settlement(settle: settle, status: .confirmed, revision: delta.revision)))
    #expect(session.fold.nextTick == nil)
    // Reopened, the result is the value alone again.
    let reopened = SessionFixture.deltas(session.give(ana, 3, .reopen))[0]
    #expect(reopened.result == .keys(["b", "x"]) && session.fold.decision.data == nil)
  }

  @Test func `a denial opens the session again, with the reason`() throws {
    var session = try SessionFixture.confirming()
    let reason = try Note.Text(.string("sold out"), at: "reason")

    let effects = session.settle(Settle(op: session.op, isGranted: false, reason: reason))

    let change = try #require(statusChanges(effects).first)
    #expect(change.status == .open && change.reason == .denied)
    #expect(change.settle?.reason == reason)
    #expect(session.fold.decision.confirmation == nil)
    session.give(ana, 3, .undo)
    #expect(session.fold.picker.value == .keys(["a", "x"]))
  }

  @Test func `the time of the host ends at its instant and not before`() throws {
    var session = try SessionFixture.confirming()
    let op = session.op
    #expect(session.tick(after: 299_999) == [] && session.fold.status == .confirming)

    let change = try #require(statusChanges(session.tick(after: 300_000)).first)

    #expect(
      change == StatusChange(.open, result: .keys(["b", "x"]), op: op, reason: .timeout))
  }

  @Test func `a command at the end of the time finds an open session`() throws {
    var session = try SessionFixture.confirming()
    let deltas = SessionFixture.deltas(session.give(bo, 1, select(0, 2), after: 300_000))
    #expect(deltas.map(\.revision) == [3, 4] && deltas[0].isTick)
    #expect(session.fold.picker.value == .keys(["c", "x"]))
  }

  @Test func `an owner takes the confirmation back, an editor does not`() throws {
    var session = try SessionFixture.confirming()
    let op = session.op
    #expect(SessionFixture.refusal(session.give(bo, 1, .cancel)) == .notAllowed)

    let effects = session.give(ana, 3, .cancel)

    let change = StatusChange(.open, result: .keys(["b", "x"]), op: op, locale: "en")
    #expect(statusChanges(effects) == [change])
    #expect(SessionFixture.deltas(effects)[0].author?.ref == 3)
    #expect(session.fold.status == .open && session.fold.decision.confirmation == nil)
  }

  @Test func `the same decision again has the same outcome, another one is late`() throws {
    var session = try SessionFixture.confirming()
    let denial = Settle(op: session.op, isGranted: false)
    let first = session.settle(denial)
    session.give(ana, 3, select(0, 2), after: 2000)

    #expect(outcome(session.settle(denial, after: 3000)) == outcome(first))
    #expect(session.fold.remnant == .nothing)
    let grant = Settle(op: denial.op, isGranted: true)
    #expect(outcome(session.settle(grant, after: 4000)) == .late(reported: grant))
    #expect(session.fold.remnant == .entry)
    // The host is asked once to undo its own side.
    #expect(outcome(session.settle(grant, after: 5000)) == .late(reported: nil))
    #expect(session.fold.remnant == .nothing && session.fold.status == .open)
  }

  @Test(arguments: [
    #"{"b":{"d":[2],"c":"x"},"a":1}"#, #"{"a":1.0,"b":{"c":"x","d":[2e0]}}"#,
    #"{"a":1,"b":{"c":"\u0078","d":[2]}}"#,
  ])
  func `a decision whose data is written in another way is the same`(text: String) throws {
    var session = try SessionFixture.confirming()
    let op = session.op
    let first = VerbatimJSON(stored: #"{"a":1,"b":{"c":"x","d":[2]}}"#)
    let effects = session.settle(Settle(op: op, isGranted: true, data: first))

    let again = Settle(op: op, isGranted: true, data: VerbatimJSON(stored: text))
    #expect(outcome(session.settle(again)) == outcome(effects))
    #expect(session.fold.remnant == .nothing && session.fold.decision.data == first)
  }

  @Test func `another decision, reason or data is late`() throws {
    var session = try SessionFixture.confirming()
    let op = session.op
    let reason = try Note.Text(.string("booked"), at: "reason")
    session.settle(Settle(op: op, isGranted: true, reason: reason, data: data))

    let others = [
      Settle(op: op, isGranted: false, reason: reason, data: data),
      Settle(op: op, isGranted: true, data: data),
      Settle(op: op, isGranted: true, reason: reason),
      Settle(
        op: op, isGranted: true, reason: reason, data: VerbatimJSON(stored: #"{"booking":"4711"}"#)),
      Settle(op: op, isGranted: true, reason: reason, data: VerbatimJSON(stored: "[4711]")),
    ]
    for other in others { #expect(outcome(session.settle(other)) == .late(reported: nil)) }
    #expect(session.fold.status == .confirmed && session.fold.decision.data == data)
  }

  @Test func `a grant that confirmed already is never reported as late`() throws {
    var session = try SessionFixture.confirming()
    let grant = Settle(op: session.op, isGranted: true)
    session.settle(grant)
    let other = Settle(op: grant.op, isGranted: true, data: data)
    #expect(outcome(session.settle(other)) == .late(reported: nil))
    #expect(session.fold.status == .confirmed && session.fold.decision.data == nil)
  }

  @Test func `the first of cancel, the end of the time and the host counts`() throws {
    var cancelled = try SessionFixture.confirming()
    var elapsed = cancelled
    let grant = Settle(op: cancelled.op, isGranted: true)
    cancelled.give(ana, 3, .cancel)
    #expect(outcome(cancelled.settle(grant)) == .late(reported: grant))

    // The decision itself brings the session to its time.
    let effects = elapsed.settle(grant, after: 300_000)

    #expect(outcome(effects) == .late(reported: grant))
    #expect(statusChanges(effects).map(\.reason) == [.timeout])
    #expect(elapsed.fold.status == .open)
  }

  @Test func `each confirmation has an op of its own`() throws {
    var session = try SessionFixture.confirming()
    let first = session.op
    session.settle(Settle(op: first, isGranted: false))
    session.give(ana, 3, .confirm, after: 2000, op: "op-3")
    #expect(!session.op.isEmpty && session.op != first)
    let late = Settle(op: first, isGranted: true, data: data)
    #expect(outcome(session.settle(late, after: 3000)) == .late(reported: late))
    #expect(session.fold.status == .confirming)
  }

  @Test func `notes and definitions wait and are applied in order afterwards`() throws {
    var session = try SessionFixture.confirming()
    let fewer = #"{"kind":"columns","columns":[["a","c"],["x","y"]]}"#
    let made = try Definition.make(from: try JSONTree.parse(Array(fewer.utf8))) { _ in .utc }
    #expect(session.note("one") == [])
    let change = DefinitionChange(version: 2, definition: made, source: .whole)
    _ = session.fold.apply(LogEntry(at: noon, body: .revised(.init(definition: change))))
    #expect(session.note("two") == [])
    #expect(session.fold.notes.isEmpty && session.fold.pendingNotes.rowCount == 1)
    #expect(session.fold.picker.value == .keys(["b", "x"]))

    let deltas = SessionFixture.deltas(
      session.settle(Settle(op: session.op, isGranted: false)))

    // The announcement of the definition was revision 3.
    #expect(deltas.map(\.revision) == [4, 5, 6, 7])
    #expect(session.fold.picker.value == .keys(["c", "x"]) && session.fold.version == 2)
    #expect(session.fold.notes == session.fold.pendingNotes && session.fold.notes.rowCount == 1)
    #expect(session.fold.decision.waitingNotes.isEmpty)
  }

  @Test func `ticks wait, and the value is that of the confirmation`() throws {
    var session = try SessionFixture(slot, host: decided)
    session.give(ana, 1, .confirm)
    let value = session.fold.picker.value
    session.tick(after: 200_000)
    #expect(session.fold.picker.value == value && session.fold.revision == 1)
    session.settle(Settle(op: session.op, isGranted: true), after: 200_000)
    #expect(session.fold.picker.value == value && session.fold.status == .confirmed)
  }

  @Test func `waiting notes have a maximum of bytes`() throws {
    var session = try SessionFixture.confirming()
    let row = JSONTree.object([.init("text", .string("x"))])
    let rows = (0..<5000).map { JSONTree.Member(String(repeating: "k", count: 40) + "\($0)", row) }
    let patch = JSONTree.object([.init("columns", .object([.init("0", .object(rows))]))])
    for _ in 0..<10 {
      _ = session.fold.apply(LogEntry(at: noon, body: .revised(.init(notes: NotesPatch(patch)))))
    }

    let byteCount = session.fold.decision.waitingByteCount
    #expect(byteCount <= DecisionState.waitingBytesMax)
    #expect(byteCount + patch.serialized().count > DecisionState.waitingBytesMax)
    #expect(!session.fold.decision.hasRoom(for: patch))
  }

  @Test func `only the last decisions are remembered`() throws {
    var session = try SessionFixture.confirming()
    for ref in 3..<43 {
      let op = session.op
      session.settle(Settle(op: op, isGranted: false))
      session.settle(Settle(op: op, isGranted: true))
      session.give(ana, ref, .confirm, op: "op-\(ref)")
    }
    #expect(session.fold.decision.settlements.count == DecisionState.rememberedMax)
    #expect(session.fold.decision.lateOps.count == DecisionState.rememberedMax)
    #expect(session.fold.decision.ops.count == DecisionState.rememberedMax)
  }

  @Test func `an op that the session never had is unknown, however confirmations end`() throws {
    var session = try SessionFixture.confirming()
    let unknown = Settle(op: "op-1", isGranted: true)
    #expect(outcome(session.settle(unknown)) == .unknown)
    #expect(session.fold.remnant == .nothing && session.fold.status == .confirming)
    session.give(ana, 3, .cancel)
    session.give(ana, 4, .confirm, op: "op-4")
    session.tick(after: 300_000)

    for op in ["op-2", "op-4"] {
      let grant = Settle(op: op, isGranted: true)
      #expect(outcome(session.settle(grant, after: 300_000)) == .late(reported: grant))
    }
    #expect(outcome(session.settle(unknown, after: 300_000)) == .unknown)
    #expect(session.fold.decision.lateOps == ["op-2", "op-4"])
  }

  @Test func `once confirmations are forgotten, an unknown op is late`() throws {
    var session = try SessionFixture.confirming()
    let first = Settle(op: "op-2", isGranted: true)
    let unknown = Settle(op: "op-1", isGranted: true)
    for ref in stride(from: 3, to: 3 + 2 * (DecisionState.rememberedMax - 1), by: 2) {
      session.give(ana, ref, .cancel)
      session.give(ana, ref + 1, .confirm, op: "op-\(ref + 1)")
    }
    #expect(session.fold.decision.ops.first == "op-2" && !session.fold.decision.hasForgottenOps)
    #expect(outcome(session.settle(unknown)) == .unknown)

    session.give(ana, 98, .cancel)
    session.give(ana, 99, .confirm, op: "op-99")

    #expect(session.fold.decision.ops.count == DecisionState.rememberedMax)
    #expect(outcome(session.settle(first)) == .late(reported: first))
    #expect(outcome(session.settle(unknown)) == .late(reported: unknown))
  }

  @Test func `a confirmation without an op ends with its time`() throws {
    var session = try SessionFixture(letters, host: decided)
    session.give(ana, 1, .confirm)
    #expect(session.fold.status == .confirming)
    session.tick(after: 300_000)
    #expect(session.fold.status == .open)
  }
}
