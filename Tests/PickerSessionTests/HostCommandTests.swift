import JSONText
import PickerModel
import Testing

@testable import PickerSession

/// Commands and roles of the host, who is no member.
@Suite struct HostCommandTests {
  private static func joining(_ name: String, _ role: Role, sub: String? = nil) -> LogEntry {
    LogEntry(
      at: noon,
      body: .joined(
        LogEntry.Joining(
          member: MemberID(name), secret: SecretHash([]), name: name, role: role, subject: sub)))
  }

  private static func answer(_ outcomes: [Outcome]) -> Answer? {
    guard case .answered(.host, let answer)? = outcomes.last else { return nil }
    return answer
  }

  @Test func `the host's commands have no member, no ref and are one author with time`() throws {
    var session = try SessionFixture(calendar)
    session.give(ana, 1, tap("2026-11-24"))
    let outcomes = session.give(.host, 0, tap("2026-11-26"))
    let delta = try #require(SessionFixture.deltas(outcomes).first)
    #expect(delta.isHostCommand && delta.by == nil && delta.author == nil && !delta.isTick)
    #expect(delta.hostCommand == tap("2026-11-26") && session.fold.tappedBy == nil)
    #expect(session.fold.members.count == 3)

    let stale = session.give(ana, 2, .clear, if: .at(1))
    #expect(SessionFixture.refusal(stale) == .stale)
    session.give(.host, 0, .clear)
    let confirm = Self.answer(session.give(.host, 0, .confirm, if: .at(2)))
    #expect(confirm?.ref == nil)
    #expect(SessionFixture.refusal(session.give(.host, 0, .confirm)) == .notComplete)
    let again = Self.answer(session.give(.host, 0, .clear))
    #expect(again == Answer(ref: nil, body: .reply(revision: 3)))
  }

  @Test func `the host closes a range that only its opener may close`() throws {
    var session = try SessionFixture(calendar, openTap: .opener)
    session.give(ana, 1, tap("2026-11-24"))
    #expect(SessionFixture.refusal(session.give(bo, 1, tap("2026-11-26"))) == .tapClaimed)
    #expect(SessionFixture.deltas(session.give(.host, 0, tap("2026-11-26"))).count == 1)
  }

  @Test func `an owner cannot reopen a session that only the host reopens`() throws {
    var session = try SessionFixture(calendar, host: HostFields(isReopenedByHost: true))
    session.give(ana, 1, .cancel)
    #expect(SessionFixture.refusal(session.give(ana, 2, .reopen)) == .notAllowed)
    #expect(SessionFixture.refusal(session.give(bo, 1, .reopen)) == .notAllowed)
    session.give(.host, 0, .reopen)
    #expect(session.fold.status == .open)
  }

  @Test func `a role of the host counts at once, and later tokens give at most this role`() throws {
    var session = try SessionFixture(calendar, access: .keys)
    let (dan, eva) = (MemberID("Dan"), MemberID("Eva"))
    _ = session.fold.apply(Self.joining("Dan", .owner, sub: "17"))
    _ = session.fold.apply(Self.joining("Eva", .viewer))
    func set(_ target: Revocation.Target, _ role: Role) -> [Outcome] {
      session.fold.apply(LogEntry(at: noon, body: .roleSet(HostRole(target, role))))
    }
    // The member's subject, because it can have another member.
    #expect(set(.member(dan), .viewer).contains(.roleChanged(dan)))
    #expect(session.fold.hostRoles.roles == [HostRole(.subject("17"), .viewer)])
    _ = session.fold.apply(LogEntry(at: noon, body: .roleChanged(dan, .owner)))
    _ = session.fold.apply(Self.joining("Dan's phone", .editor, sub: "17"))
    #expect(session.fold.members[dan]?.role == .viewer)
    #expect(session.fold.members[MemberID("Dan's phone")]?.role == .viewer)
    _ = session.fold.apply(LogEntry(at: noon, body: .left(dan)))
    _ = session.fold.apply(LogEntry(at: noon, body: .returned(dan, .owner)))
    #expect(session.fold.members[dan]?.role == .viewer)

    #expect(set(.member(eva), .editor).contains(.roleChanged(eva)))
    #expect(session.fold.members[eva]?.role == .editor)
    let stored = SessionFold(session.fold.origin, state: session.fold.state)
    #expect(stored.hostRoles == session.fold.hostRoles && stored.hostRoles.roles.count == 2)

    _ = set(.subject("17"), .owner)
    #expect(session.fold.members[dan]?.role == .owner)
    #expect(session.fold.hostRoles.roles == [HostRole(.member(eva), .editor)])
  }

  @Test func `at most 256 roles of the host are stored`() {
    var roles = HostRoles()
    for number in 0..<300 { roles.set(HostRole(.subject("\(number)"), .viewer)) }
    #expect(roles.roles.count == HostRoles.countMax)
    #expect(!roles.hasRoom(for: HostRole(.subject("300"), .viewer)))
    #expect(roles.hasRoom(for: HostRole(.subject("3"), .editor)))
    #expect(roles.hasRoom(for: HostRole(.subject("300"), .owner)))
  }
}
