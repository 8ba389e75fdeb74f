import PickerModel
import Testing

@testable import PickerSession

@Suite struct RefTests {
  @Test func `a repeated command is executed once and answered with its revision`() throws {
    var session = try SessionFixture(letters)
    session.give(ana, 1, select(0, 1))
    session.give(bo, 1, select(1, 1))

    let again = session.give(ana, 1, select(0, 1))

    #expect(SessionFixture.reply(again) == 1)
    #expect(session.fold.revision == 2)
  }

  @Test func `a repeated refused command is refused again with the current row`() throws {
    var session = try SessionFixture(letters)
    let first = session.give(ana, 1, select(0, 9))
    session.give(bo, 1, select(0, 2))

    let again = session.give(ana, 1, select(0, 9))

    #expect(SessionFixture.refusal(first) == .noSuchRow)
    #expect(again == first)
  }

  @Test func `an unknown ref not above the greatest is refused with oldRef and not remembered`()
    throws
  {
    var session = try SessionFixture(letters)
    session.give(ana, 7, select(0, 1))

    let effects = session.give(ana, 3, select(0, 2))

    #expect(SessionFixture.refusal(effects) == .oldRef)
    #expect(session.fold.members[ana]?.refs.outcome(of: 3) == nil)
  }

  @Test func `refs are counted per member`() throws {
    var session = try SessionFixture(letters)
    session.give(ana, 1, select(0, 1))

    let effects = session.give(bo, 1, select(0, 2))

    #expect(SessionFixture.deltas(effects).map(\.author?.member) == [bo])
  }

  @Test func `the number of remembered refs is limited`() throws {
    var limits = SessionLimits()
    limits.refs = 2
    var session = try SessionFixture(letters, limits: limits)
    for ref in 1...3 { session.give(ana, ref, .undo) }

    #expect(SessionFixture.refusal(session.give(ana, 1, .undo)) == .oldRef)
    #expect(SessionFixture.refusal(session.give(ana, 2, .undo)) == .nothingToUndo)
  }

  @Test func `a command over the rate is refused without effect and may be repeated`() throws {
    var session = try SessionFixture(slot)
    let before = session.fold.picker

    let over = session.give(ana, 1, .undo, after: 3_600_000, isOverRate: true)

    #expect(SessionFixture.refusal(over) == .tooMany)
    #expect(session.fold.picker == before)
    #expect(session.fold.revision == 0)
    let again = session.give(ana, 1, .undo, after: 3_600_000)
    #expect(SessionFixture.deltas(again).count == 1)
    #expect(SessionFixture.refusal(again) == .nothingToUndo)
  }

  @Test func `an unknown type is refused before the rate is checked and is not remembered`() throws
  {
    let session = try SessionFixture(letters)

    let effects = session.refuse(ana, 4, .unknown(type: "wish"), isOverRate: true)

    #expect(SessionFixture.refusal(effects) == .unknownType)
    #expect(session.fold.members[ana]?.refs.greatest == 0)
  }

  @Test func `a repeated unknown type is refused again, even after later commands`() throws {
    var session = try SessionFixture(letters)
    let unknown = Command.unknown(type: "wish")
    session.give(ana, 1, select(0, 1))
    let first = session.refuse(ana, 2, unknown)
    session.give(ana, 3, select(0, 2))

    let again = session.refuse(ana, 2, unknown)

    #expect(SessionFixture.refusal(first) == .unknownType)
    #expect(SessionFixture.refusal(again) == .unknownType)
    #expect(SessionFixture.refusal(session.refuse(ana, 0, unknown)) == .oldRef)
  }

  @Test func `the role is checked after the ref, the type and the rate`() throws {
    var session = try SessionFixture(letters)
    session.give(bo, 5, select(0, 1))

    #expect(SessionFixture.refusal(session.refuse(bo, 4, .confirm)) == .oldRef)
    #expect(SessionFixture.refusal(session.refuse(bo, 6, .confirm, isOverRate: true)) == .tooMany)
    #expect(SessionFixture.refusal(session.refuse(bo, 6, .confirm)) == .notAllowed)
    #expect(SessionFixture.refusal(session.refuse(bo, 6, .unknown(type: "x"))) == .unknownType)
  }

  @Test func `a repeated command over the rate gets its original answer`() throws {
    var session = try SessionFixture(letters)
    session.give(ana, 1, select(0, 1))

    let again = session.refuse(ana, 1, select(0, 1), isOverRate: true)

    #expect(SessionFixture.reply(again) == 1)
  }

  @Test func `a remembered refusal quotes only a part of a long key`() throws {
    var session = try SessionFixture(letters)
    let key = "e" + String(repeating: "\u{301}", count: 200)

    session.give(ana, 1, select(0, 0, generation: 9, key: key))

    guard case .refused(let refusal)? = session.fold.members[ana]?.refs.outcome(of: 1) else {
      Issue.record("an unknown key was not refused")
      return
    }
    #expect(refusal.detail.utf8.count < 250)
  }

  @Test func `a key that is not needed is not in the history`() throws {
    var session = try SessionFixture(letters)

    session.give(ana, 1, select(0, 1, key: "b"))
    session.give(ana, 2, select(0, 0, generation: 7, key: "c"))

    let commands = session.fold.history.map { $0.author?.command }
    #expect(commands == [select(0, 1), select(0, 0, generation: 7, key: "c")])
  }

  @Test func `a member that has left cannot send commands`() throws {
    var session = try SessionFixture(letters)
    session.leave(bo)

    #expect(session.give(bo, 1, select(0, 1)).isEmpty)
  }
}
