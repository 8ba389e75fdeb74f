import PickerModel
import Testing

@testable import PickerSession

@Suite struct RefTests {
  @Test func `a command sent again is done once, and answered with its revision`() throws {
    var session = try SessionFixture(letters)
    session.give(ana, 1, select(0, 1))
    session.give(bo, 1, select(1, 1))

    let again = session.give(ana, 1, select(0, 1))

    #expect(SessionFixture.reply(again) == 1)
    #expect(session.fold.revision == 2)
  }

  @Test func `a refused command sent again is refused alike, as the wheels now stand`() throws {
    var session = try SessionFixture(letters)
    let first = session.give(ana, 1, select(0, 9))
    session.give(bo, 1, select(0, 2))

    let again = session.give(ana, 1, select(0, 9))

    #expect(SessionFixture.refusal(first) == .noSuchRow)
    #expect(again == first)
  }

  @Test func `a ref that is not known and not greater is old, and is not remembered`() throws {
    var session = try SessionFixture(letters)
    session.give(ana, 7, select(0, 1))

    let outcomes = session.give(ana, 3, select(0, 2))

    #expect(SessionFixture.refusal(outcomes) == .oldRef)
    #expect(session.fold.members[ana]?.refs.outcome(of: 3) == nil)
  }

  @Test func `refs are each member's own`() throws {
    var session = try SessionFixture(letters)
    session.give(ana, 1, select(0, 1))

    let outcomes = session.give(bo, 1, select(0, 2))

    #expect(SessionFixture.deltas(outcomes).map(\.author?.member) == [bo])
  }

  @Test func `as many refs as the limit says are known, and one more is not`() throws {
    var limits = SessionLimits()
    limits.refs = 2
    var session = try SessionFixture(letters, limits: limits)
    for ref in 1...3 { session.give(ana, ref, .undo) }

    #expect(SessionFixture.refusal(session.give(ana, 1, .undo)) == .oldRef)
    #expect(SessionFixture.refusal(session.give(ana, 2, .undo)) == .nothingToUndo)
  }

  @Test func `what is over the rate is refused, moves nothing, and may be sent again`() throws {
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

  @Test func `an unknown type is refused before the rate is looked at, and that is kept`() throws {
    var session = try SessionFixture(letters)
    let unknown = Command.unknown(type: "wish")

    let outcomes = session.give(ana, 4, unknown, isOverRate: true)

    #expect(SessionFixture.refusal(outcomes) == .unknownType)
    #expect(LogEntry(at: noon, body: .overRate(ana, ref: 4, unknown)).isKept)
    #expect(!LogEntry(at: noon, body: .overRate(ana, ref: 4, .undo)).isKept)
  }

  @Test func `a member that has left has no commands`() throws {
    var session = try SessionFixture(letters)
    session.leave(bo)

    #expect(session.give(bo, 1, select(0, 1)).isEmpty)
  }
}
