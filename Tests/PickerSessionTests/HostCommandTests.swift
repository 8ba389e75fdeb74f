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

  private static func answer(_ effects: [Effect]) -> Answer? {
    guard case .answered(.host, let answer)? = effects.last else { return nil }
    return answer
  }

  @Test func `the host's commands have no member, no ref and are one author with time`() throws {
    var session = try SessionFixture(calendar)
    session.give(ana, 1, tap("2026-11-24"))
    let effects = session.give(.host, 0, tap("2026-11-26"))
    let delta = try #require(SessionFixture.deltas(effects).first)
    #expect(delta.isHostCommand && delta.by == nil && delta.author == nil && !delta.isTick)
    #expect(delta.hostCommand == tap("2026-11-26") && session.fold.picker.lastTap?.member == nil)
    #expect(session.fold.members.count == 3)

    let stale = session.give(ana, 2, .act(.clear), if: .at(1))
    #expect(SessionFixture.refusal(stale) == .stale)
    session.give(.host, 0, .act(.clear))
    let confirm = Self.answer(session.give(.host, 0, .confirm, if: .at(2)))
    #expect(confirm?.ref == nil)
    #expect(SessionFixture.refusal(session.give(.host, 0, .confirm)) == .notComplete)
    let again = Self.answer(session.give(.host, 0, .act(.clear)))
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

  @Test func `the host cancels what was confirmed, and its result stays`() throws {
    var session = try SessionFixture(calendar, host: HostFields(isReopenedByHost: true))
    session.give(ana, 1, tap("2026-11-24"))
    session.give(ana, 2, tap("2026-11-26"))
    session.give(ana, 3, .confirm)
    let (value, result) = (session.fold.picker.value, session.fold.result)
    #expect(SessionFixture.refusal(session.give(ana, 4, .cancel)) == .notOpen)
    #expect(SessionFixture.refusal(session.give(.host, 0, .cancel, if: .at(1))) == .stale)

    let effects = session.give(.host, 0, .cancel, if: .at(3))

    let delta = try #require(SessionFixture.deltas(effects).first)
    #expect(delta.change == .status(StatusChange(.cancelled, result: result, locale: "en")))
    #expect(delta.isHostCommand && delta.result == nil && session.fold.status == .cancelled)
    #expect(session.fold.picker.value == value && session.fold.result == result)
    let event = try #require(session.fold.events(of: effects[0], at: noon).first)
    let data = try JSONTree.parse(event.data)
    #expect(event.type == .cancelled && data["result"]?["start"]?.string == "2026-11-24")
    #expect(SessionFixture.refusal(session.give(.host, 0, .cancel)) == .notOpen)
    #expect(SessionFixture.refusal(session.give(ana, 5, .reopen)) == .notAllowed)
    session.give(.host, 0, .reopen)
    #expect(session.fold.status == .open && session.fold.picker.value == value)
  }

  @Test func `an owner cannot cancel a session that only the host cancels`() throws {
    var session = try SessionFixture(
      letters, host: HostFields(decideSeconds: 60, isCancelledByHost: true))
    #expect(SessionFixture.refusal(session.give(ana, 1, .cancel)) == .notAllowed)
    // Before the kind, the status and what else may be wrong.
    #expect(SessionFixture.refusal(session.give(bo, 1, .cancel)) == .notAllowed)
    session.give(ana, 2, .confirm, op: "op")
    session.give(ana, 3, .cancel)
    #expect(session.fold.status == .open)
    session.give(.host, 0, .cancel)
    #expect(session.fold.status == .cancelled)
    #expect(SessionFixture.refusal(session.give(ana, 4, .cancel)) == .notAllowed)
  }

  @Test func `the reason of the host's cancel stands until the next status`() throws {
    var session = try SessionFixture(letters, host: HostFields(decideSeconds: 60))
    let reason = Note.Text.same("Dr. Weber is ill")
    session.give(ana, 1, .confirm, op: "op")

    let opened = session.give(.host, 0, .cancelWithReason(reason))

    let first = try #require(SessionFixture.deltas(opened).first)
    #expect(
      first.change
        == .status(
          StatusChange(
            .open, result: session.fold.result, op: "op", text: reason, locale: "en")))
    #expect(session.fold.decision.cancelReason == nil)
    let event = try #require(session.fold.events(of: opened[0], at: noon).first)
    #expect(try JSONTree.parse(event.data)["detail"]?.string == "Dr. Weber is ill")

    let cancelled = session.give(.host, 0, .cancelWithReason(reason))
    #expect(session.fold.decision.cancelReason == reason)
    let end = try #require(session.fold.events(of: cancelled[0], at: noon).first)
    #expect(try JSONTree.parse(end.data)["reason"]?.string == "Dr. Weber is ill")
    let stored = SessionFold(session.fold.origin, state: session.fold.state)
    #expect(stored.decision.cancelReason == reason)
    session.give(ana, 2, .reopen)
    #expect(session.fold.decision.cancelReason == nil)
    session.give(ana, 3, .cancel)
    #expect(session.fold.decision.cancelReason == nil)
  }

  /// It is no longer the best one when the poll goes on.
  @Test func `a window that the host cancels stays the result until the session is reopened`()
    throws
  {
    var session = try SessionFixture(
      #"{"kind":"availability","dates":{"from":"2026-11-23","through":"2026-11-25"}}"#)
    let generation = try #require(session.fold.picker.availability?.generation)
    session.give(ana, 1, .confirmWindow(WindowChoice(cell: 2, generation: generation)))
    let result = session.fold.result
    #expect(session.fold.status == .confirmed && result != .null)
    session.give(.host, 0, .cancel)
    #expect(session.fold.status == .cancelled && session.fold.result == result)
    #expect(session.fold.picker.availability?.chosen != nil)
    session.give(.host, 0, .reopen)
    #expect(session.fold.picker.availability?.chosen == nil)
  }

  @Test func `a role of the host counts at once, and later tokens give at most this role`() throws {
    var session = try SessionFixture(calendar, access: .keys)
    let (dan, eva) = (MemberID("Dan"), MemberID("Eva"))
    _ = session.fold.apply(Self.joining("Dan", .owner, sub: "17"))
    _ = session.fold.apply(Self.joining("Eva", .viewer))
    func set(_ target: Revocation.Target, _ role: Role) -> [Effect] {
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
