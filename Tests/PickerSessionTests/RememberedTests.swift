import PickerModel
import Testing

@testable import PickerSession

@Suite struct RememberedTests {
  private func comeBack(
    _ session: inout SessionFixture, _ member: MemberID, _ role: Role? = nil
  ) -> [Outcome] {
    session.fold.apply(LogEntry(at: noon, body: .returned(member, role)))
  }

  @Test func `a member that left comes back with its secret, role, color and refs`() throws {
    var session = try SessionFixture(letters)
    session.give(bo, 1, select(0, 1))
    session.give(bo, 2, select(0, 9))
    let before = session.fold.members[bo]
    session.leave(bo)
    #expect(session.fold.members[bo] == nil)

    let outcomes = comeBack(&session, bo)

    #expect(outcomes == [.joined(bo)])
    var expected = before
    expected?.number = 3
    #expect(session.fold.members[bo] == expected)
    #expect(session.fold.remembered.members.isEmpty)
    #expect(SessionFixture.reply(session.give(bo, 1, select(0, 1))) == 1)
    #expect(SessionFixture.refusal(session.give(bo, 2, select(0, 9))) == .noSuchRow)
  }

  @Test func `an owner that comes back is one beside the member that became it meanwhile`() throws {
    var session = try SessionFixture(letters)
    session.leave(ana)
    #expect(session.fold.members[bo]?.role == .owner)

    _ = comeBack(&session, ana)

    #expect(session.fold.membersInOrder.map(\.id) == [bo, cem, ana])
    #expect(session.fold.membersInOrder.map(\.role) == [.owner, .editor, .owner])
  }

  @Test func `while an owner is left nobody inherits`() throws {
    var session = try SessionFixture(letters)
    session.leave(ana)
    _ = comeBack(&session, ana)

    #expect(session.leave(bo) == [.left(bo)])
    #expect(session.leave(ana) == [.left(ana), .roleChanged(cem)])
  }

  @Test func `a member that comes back counts from then, not from when it joined first`() throws {
    var session = try SessionFixture(letters)
    session.leave(bo)
    _ = comeBack(&session, bo)

    #expect(session.leave(ana) == [.left(ana), .roleChanged(cem)])
  }

  @Test func `the member that comes back while nobody is the owner becomes it`() throws {
    var session = try SessionFixture(letters)
    for member in [bo, cem, ana] { session.leave(member) }
    #expect(session.fold.remembered.member(bo)?.role == .editor)

    _ = comeBack(&session, bo)
    _ = comeBack(&session, cem)

    #expect(session.fold.membersInOrder.map(\.role) == [.owner, .editor])
  }

  @Test func `where tokens are, the token's role counts, and without one its own`() throws {
    var session = try SessionFixture(letters, access: .tokens([:]))
    session.leave(bo)
    session.leave(ana)

    _ = comeBack(&session, ana, .viewer)
    _ = comeBack(&session, bo)

    #expect(session.fold.membersInOrder.map(\.id) == [cem, ana, bo])
    #expect(session.fold.membersInOrder.map(\.role) == [.editor, .viewer, .editor])
  }

  @Test func `a member that is here, or was never, does not come back`() throws {
    var session = try SessionFixture(letters)

    #expect(comeBack(&session, ana).isEmpty)
    #expect(comeBack(&session, MemberID("Dan")).isEmpty)
    #expect(session.fold.joinCount == 3)
  }

  @Test func `as many members as the limit says are remembered, and one more is not`() throws {
    var limits = SessionLimits()
    limits.rememberedMembers = 2
    var session = try SessionFixture(letters, limits: limits)
    for member in [ana, bo, cem] { session.leave(member) }

    #expect(session.fold.remembered.members.map(\.id) == [bo, cem])
    #expect(comeBack(&session, ana).isEmpty)
  }

  @Test func `their refs take as many bytes as the limit says, those of the first go first`() throws
  {
    var limits = SessionLimits()
    // A refusal counts 1,024 bytes, a command that was done 64.
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
    // What cannot be answered again is not done again.
    _ = comeBack(&session, ana)
    #expect(SessionFixture.refusal(session.give(ana, 1, select(0, 2))) == .oldRef)
  }

  @Test func `leaving and coming back between two messages is a join, and no leave`() {
    var news = PresenceNews()
    news.leave(ana)
    news.join(ana)

    #expect(news.left.isEmpty)
    #expect(news.joined == [ana])
  }
}
