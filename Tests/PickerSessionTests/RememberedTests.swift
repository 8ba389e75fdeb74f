import PickerModel
import Testing

@testable import PickerSession

@Suite struct RememberedTests {
  private func readd(
    _ session: inout SessionFixture, _ member: MemberID, _ role: Role? = nil
  ) -> [Effect] {
    session.fold.apply(LogEntry(at: noon, body: .returned(member, role)))
  }

  @Test func `a member that left returns with its secret, role, color and refs`() throws {
    var session = try SessionFixture(letters)
    session.give(bo, 1, select(0, 1))
    session.give(bo, 2, select(0, 9))
    let before = session.fold.members[bo]
    session.leave(bo)
    #expect(session.fold.members[bo] == nil)

    let effects = readd(&session, bo)

    #expect(effects == [.joined(bo, meta: nil)])
    var expected = before
    expected?.number = 3
    #expect(session.fold.members[bo] == expected)
    #expect(session.fold.remembered.members.isEmpty)
    #expect(session.fold.remembered.refByteCount == 0)
    #expect(SessionFixture.reply(session.give(bo, 1, select(0, 1))) == 1)
    #expect(SessionFixture.refusal(session.give(bo, 2, select(0, 9))) == .noSuchRow)
  }

  @Test func `an owner that returns does not replace its successor`() throws {
    var session = try SessionFixture(letters)
    session.leave(ana)
    #expect(session.fold.members[bo]?.role == .owner)

    _ = readd(&session, ana)

    #expect(session.fold.membersInOrder.map(\.id) == [bo, cem, ana])
    #expect(session.fold.membersInOrder.map(\.role) == [.owner, .editor, .owner])
  }

  @Test func `nobody succeeds an owner while another owner remains`() throws {
    var session = try SessionFixture(letters)
    session.leave(ana)
    _ = readd(&session, ana)

    #expect(session.leave(bo) == [.left(bo)])
    #expect(session.leave(ana) == [.left(ana), .roleChanged(cem)])
  }

  @Test func `the seniority of a returning member starts at its return`() throws {
    var session = try SessionFixture(letters)
    session.leave(bo)
    _ = readd(&session, bo)

    #expect(session.leave(ana) == [.left(ana), .roleChanged(cem)])
  }

  @Test func `a member that returns while there is no owner becomes the owner`() throws {
    var session = try SessionFixture(letters)
    for member in [bo, cem, ana] { session.leave(member) }
    #expect(session.fold.remembered.member(bo)?.role == .editor)

    _ = readd(&session, bo)
    _ = readd(&session, cem)

    #expect(session.fold.membersInOrder.map(\.role) == [.owner, .editor])
  }

  @Test func `a returning member gets the token's role, or its old one without a token`() throws {
    var session = try SessionFixture(letters, access: .tokens([:]))
    session.leave(bo)
    session.leave(ana)

    _ = readd(&session, ana, .viewer)
    _ = readd(&session, bo)

    #expect(session.fold.membersInOrder.map(\.id) == [cem, ana, bo])
    #expect(session.fold.membersInOrder.map(\.role) == [.editor, .viewer, .editor])
  }

  @Test func `a present and an unknown member cannot return`() throws {
    var session = try SessionFixture(letters)

    #expect(readd(&session, ana).isEmpty)
    #expect(readd(&session, MemberID("Dan")).isEmpty)
    #expect(session.fold.facts.joinCount == 3)
  }

  @Test func `the number of remembered members is limited`() throws {
    var limits = SessionLimits()
    limits.rememberedMembers = 2
    var session = try SessionFixture(letters, limits: limits)
    for member in [ana, bo, cem] { session.leave(member) }

    #expect(session.fold.remembered.members.map(\.id) == [bo, cem])
    #expect(readd(&session, ana).isEmpty)
  }

  @Test func `the bytes of remembered refs are limited, and the oldest are dropped first`() throws {
    var limits = SessionLimits()
    // A refusal counts 1,024 bytes, an executed command 64.
    limits.rememberedRefBytes = 2 * 1024 + 64
    var session = try SessionFixture(letters, limits: limits)
    session.give(ana, 1, select(0, 1))
    for member in [ana, bo, cem] { session.give(member, 7, select(0, 9)) }
    session.leave(ana)
    session.leave(bo)
    #expect(session.fold.remembered.refByteCount == 2 * 1024 + 64)
    #expect(session.fold.remembered.member(ana)?.refs.entries.count == 2)

    session.leave(cem)

    #expect(session.fold.remembered.refByteCount == 2 * 1024)
    let books = session.fold.remembered.members.map(\.refs)
    #expect(books.map(\.entries.count) == [0, 1, 1])
    #expect(books.map(\.greatest) == [7, 7, 7])
    // A command whose answer is forgotten is not executed again.
    _ = readd(&session, ana)
    #expect(SessionFixture.refusal(session.give(ana, 1, select(0, 2))) == .oldRef)
  }

  @Test func `a member who leaves and returns between two messages is broadcast as joined`() {
    var updates = PresenceUpdates()
    updates.leave(ana)
    updates.join(ana)

    #expect(updates.left.isEmpty)
    #expect(updates.joined == [ana])
  }

  @Test func `members that have left retain few refs of refusals that are not in the log`() throws {
    var limits = SessionLimits()
    limits.rememberedRefBytes = 2048
    let session = Session(try SessionFixture(letters, limits: limits).fold)
    func code(_ effect: Effect?) -> Rejection? {
      guard case .answered(_, let answer)? = effect,
        case .refused(let refusal, _) = answer.body
      else { return nil }
      return refusal.code
    }

    for (member, count) in [(bo, 2), (cem, 1)] {
      for ref in 1...count {
        #expect(code(session.refuse(.confirm, ref: ref, by: member, unless: nil)) == .notAllowed)
      }
      _ = session.apply(LogEntry(at: noon, body: .left(member)))
    }
    for member in [bo, cem] {
      _ = session.apply(LogEntry(at: noon, body: .returned(member, nil)))
    }

    #expect([bo, cem].map { session.greatestRef(of: $0) } == [2, 1])
    #expect(code(session.refuse(.confirm, ref: 2, by: bo, unless: nil)) == .notAllowed)
    #expect(code(session.refuse(.confirm, ref: 1, by: cem, unless: nil)) == .oldRef)
  }
}
