import JSONText
import PickerModel
import Testing

@testable import PickerSession

/// A whole value at once, as a command of a session.
@Suite struct SetTests {
  private func set(_ result: String) throws -> Command {
    .act(.set(try ResultFields(try JSONTree.parse(Array(result.utf8)))))
  }

  private func range(_ start: String, _ end: String) throws -> Command {
    try set(#"{"start":"\#(start)","end":"\#(end)"}"#)
  }

  @Test func `a set is one revision and one entry of undo, with the member that made it`() throws {
    var session = try SessionFixture(calendar, openTap: .opener)
    session.give(ana, 1, tap("2026-11-20"))

    let effects = session.give(bo, 1, try range("2026-11-02", "2026-11-04"))

    #expect(SessionFixture.deltas(effects).map(\.revision) == [2])
    #expect(session.fold.picker.lastTap?.member == bo && session.fold.picker.range?.hits == 2)
    #expect(SessionFixture.reply(session.give(cem, 1, try range("2026-11-02", "2026-11-04"))) == 2)
    #expect(session.fold.picker.lastTap?.member == bo)
    session.give(cem, 2, .undo)
    #expect(session.fold.picker.range?.hits == 1 && session.fold.picker.lastTap?.member == ana)
    session.give(cem, 3, .redo)
    #expect(session.fold.picker.range?.hits == 2 && session.fold.picker.lastTap?.member == bo)
    session.give(.host, 0, try range("2026-11-08", "2026-11-09"))
    #expect(session.fold.picker.lastTap?.member == nil && session.fold.revision == 5)
  }

  @Test func `refusals of a set come in the order of all commands`() throws {
    var session = try SessionFixture(calendar)
    session.join(MemberID("Vic"), as: .viewer)
    let (good, other) = (try range("2026-11-02", "2026-11-04"), try set(#"{"keys":["a"]}"#))
    session.give(ana, 1, good)
    func refusal(_ member: MemberID, _ ref: Int, _ command: Command, at seen: Int) -> Rejection? {
      SessionFixture.refusal(session.give(member, ref, command, if: .at(seen)))
    }
    #expect(refusal(MemberID("Vic"), 1, other, at: 0) == .notAllowed)
    #expect(refusal(bo, 1, other, at: 0) == .wrongKind)
    #expect(refusal(bo, 2, try range("2027-11-02", "2027-11-04"), at: 0) == .stale)
    #expect(refusal(bo, 3, try range("2027-11-02", "2027-11-04"), at: 1) == .outsideMonths)
    #expect(refusal(ana, 2, .confirm, at: 1) == nil)
    #expect(refusal(bo, 4, other, at: 0) == .wrongKind)
    #expect(refusal(bo, 5, good, at: 0) == .notOpen)
    guard case .answered(_, let answer)? = session.give(bo, 3, good).last,
      case .refused(_, let correction) = answer.body
    else { return #expect(Bool(false)) }
    #expect(correction == .nothing)
  }

  @Test func `a first value is at revision 0, with nothing to undo and nothing to be late for`()
    throws
  {
    let made = try SessionFixture(letters).fold.origin
    var origin = SessionOrigin(
      id: made.id, epoch: made.epoch, definition: made.definition, createdAt: noon)
    origin.result = try ResultFields(try JSONTree.parse(Array(#"{"keys":["c","y"]}"#.utf8)))
    let fold = try SessionFold(origin)
    #expect(fold.revision == 0 && fold.result == .keys(["c", "y"]) && fold.undoList.count == 0)
    #expect(fold.facts.lastChanges == LastChanges())

    origin.result = try ResultFields(try JSONTree.parse(Array(#"{"keys":["c"]}"#.utf8)))
    let problem = #expect(throws: DefinitionProblem.self) { try SessionFold(origin) }
    #expect(problem?.refusal?.code == .noSuchRow && problem?.pointer == "/result")
  }
}
