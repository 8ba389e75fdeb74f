import CivilTime
import JSONText
import PickerModel
import Testing

@testable import PickerSession

@Suite struct CommandTests {
  @Test func `select of the selected row gets a reply and no revision`() throws {
    var session = try SessionFixture(letters)

    let effects = session.give(ana, 1, select(0, 0))

    #expect(SessionFixture.reply(effects) == 0)
    #expect(session.fold.undoList.past.isEmpty)
  }

  @Test func `a select with a stale generation finds the row by its key`() throws {
    var session = try SessionFixture(letters)

    session.give(ana, 1, select(0, 2, generation: 0, key: "b"))

    #expect(session.fold.picker.value == .keys(["b", "x"]))
  }

  @Test func `a stale generation without a key is refused with a reload`() throws {
    var session = try SessionFixture(letters)

    let effects = session.give(ana, 1, select(0, 2, generation: 9))

    #expect(SessionFixture.refusal(effects) == .staleColumn)
    guard case .answered(_, let answer)? = effects.last,
      case .refused(_, let correction) = answer.body
    else { return }
    #expect(correction == .column(0, reloads: true))
  }

  @Test func `a stale generation with an unknown key is refused with noSuchRow`() throws {
    var session = try SessionFixture(letters)

    #expect(
      SessionFixture.refusal(session.give(ana, 1, select(0, 0, generation: 9, key: "q")))
        == .noSuchRow)
    #expect(SessionFixture.refusal(session.give(ana, 2, select(5, 0))) == .noSuchColumn)
  }

  @Test func `undo reverts the last change of any member, and redo reapplies it`() throws {
    var session = try SessionFixture(letters)
    session.give(ana, 1, select(0, 1))
    session.give(bo, 1, select(1, 1))

    session.give(cem, 1, .undo)
    session.give(cem, 2, .undo)
    #expect(session.fold.picker.value == .keys(["a", "x"]))
    #expect(SessionFixture.refusal(session.give(cem, 3, .undo)) == .nothingToUndo)

    session.give(ana, 2, .redo)
    #expect(session.fold.picker.value == .keys(["b", "x"]))
  }

  @Test func `a new select clears the redo list`() throws {
    var session = try SessionFixture(letters)
    session.give(ana, 1, select(0, 1))
    session.give(ana, 2, .undo)
    session.give(ana, 3, select(1, 1))

    #expect(SessionFixture.refusal(session.give(ana, 4, .redo)) == .nothingToUndo)
  }

  @Test func `the undo list is limited`() throws {
    var limits = SessionLimits()
    limits.undo = 2
    var session = try SessionFixture(letters, limits: limits)
    for row in [1, 2, 0, 1] {
      session.give(ana, row + session.fold.revision * 10 + 1, select(0, row))
    }

    session.give(bo, 1, .undo)
    session.give(bo, 2, .undo)

    #expect(session.fold.picker.value == .keys(["c", "x"]))
    #expect(SessionFixture.refusal(session.give(bo, 3, .undo)) == .nothingToUndo)
  }

  @Test func `confirm requires a result`() throws {
    var session = try SessionFixture(calendar)

    #expect(SessionFixture.refusal(session.give(ana, 1, .confirm)) == .notComplete)
  }

  @Test func `confirm is refused if a tick changes the value first, and the tick is broadcast`()
    throws
  {
    var session = try SessionFixture(slot)

    let effects = session.give(ana, 1, .confirm, after: 11 * 60_000)

    #expect(SessionFixture.deltas(effects).map(\.author) == [nil])
    #expect(SessionFixture.refusal(effects) == .elapsed)
    #expect(session.fold.status == .open)
    session.give(ana, 2, .confirm, after: 11 * 60_000)
    #expect(session.fold.status == .confirmed)
  }

  @Test func `a session that is not open refuses changes and does not tick`() throws {
    var session = try SessionFixture(slot)
    session.give(ana, 1, .confirm)

    let effects = session.give(bo, 1, select(0, 1), after: 3_600_000)

    #expect(SessionFixture.refusal(effects) == .notOpen)
    #expect(effects.count == 1)
    #expect(session.fold.nextTick == nil)
  }

  @Test func `reopen ticks the picker to the current time`() throws {
    var session = try SessionFixture(slot)
    session.give(ana, 1, .confirm)
    let result = session.fold.result

    let effects = session.give(ana, 2, .reopen, after: 3_600_000)

    let deltas = SessionFixture.deltas(effects)
    #expect(deltas.map(\.revision) == [2, 3])
    #expect(deltas.first?.change == .status(StatusChange(.open, result: result)))
    #expect(deltas.map { $0.author?.member } == [ana, nil])
  }

  @Test func `refusals have the documented precedence`() throws {
    var session = try SessionFixture(
      letters, access: .tokens([:]))
    // With open authentication a member's role is set by its join: the first is the owner.
    session.join(MemberID("Dan"), as: .viewer)
    let dan = MemberID("Dan")

    #expect(SessionFixture.refusal(session.give(dan, 1, tap("2026-11-20"))) == .notAllowed)
    #expect(SessionFixture.refusal(session.give(dan, 2, .unknown(type: "x"))) == .unknownType)
    #expect(SessionFixture.refusal(session.give(ana, 1, tap("2026-11-20"))) == .wrongKind)
    session.give(ana, 2, .cancel)
    #expect(SessionFixture.refusal(session.give(ana, 3, tap("2026-11-20"))) == .wrongKind)
    #expect(SessionFixture.refusal(session.give(ana, 4, select(9, 9))) == .notOpen)
  }

  @Test func `only an owner may confirm, cancel and reopen`() throws {
    var session = try SessionFixture(letters)

    for (index, command) in [Command.confirm, .cancel, .reopen].enumerated() {
      #expect(SessionFixture.refusal(session.give(bo, index + 1, command)) == .notAllowed)
    }
  }

  @Test func `the same entries produce the same state`() throws {
    let entries: [LogEntry.Body] = [
      .command(ana, ref: 1, tap("2026-11-20")), .command(bo, ref: 1, tap("2026-11-25")),
      .command(ana, ref: 2, .undo), .tick, .left(ana), .command(bo, ref: 2, .confirm),
      .command(cem, ref: 1, .redo),
    ]
    var first = try SessionFixture(calendar)
    var second = first

    for (index, body) in entries.enumerated() {
      let entry = LogEntry(at: noon.adding(milliseconds: Int64(index) * 40_000_000), body: body)
      #expect(first.fold.apply(entry) == second.fold.apply(entry))
    }
    #expect(first.fold.history == second.fold.history)
    #expect(first.fold.members == second.fold.members)
  }

  @Test func `the history is limited`() throws {
    var limits = SessionLimits()
    limits.history = 2
    var session = try SessionFixture(letters, limits: limits)
    for row in [1, 2, 1] { session.give(ana, session.fold.revision + 1, select(0, row)) }

    #expect(session.fold.deltas(after: 0) == nil)
    #expect(session.fold.deltas(after: 1)?.map(\.revision) == [2, 3])
    #expect(session.fold.deltas(after: 3)?.isEmpty == true)
    #expect(session.fold.deltas(after: 4) == nil)
    #expect(session.fold.deltas(after: -1) == nil)
  }
}
