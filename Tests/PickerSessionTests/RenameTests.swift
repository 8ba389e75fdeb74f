import PickerModel
import Testing

@testable import PickerSession

@Suite struct RenameTests {
  private func renamed(_ effects: [Effect]) -> [MemberID] {
    effects.compactMap { if case .renamed(let member) = $0 { member } else { nil } }
  }

  @Test func `a member that renames itself keeps everything else and makes no revision`() throws {
    var session = try SessionFixture(calendar)
    session.give(ana, 1, tap("2026-11-20"))
    var before = try #require(session.fold.members[ana])

    let effects = session.give(ana, 2, .rename("Mia"))

    #expect(renamed(effects) == [ana] && session.fold.revision == 1)
    #expect(effects.contains(.answered(ana, Answer(ref: 2, body: .reply(revision: 1)))))
    before.name = "Mia"
    before.refs.remember(2, .done(revision: 1), countMax: 256)
    #expect(session.fold.members[ana] == before)
  }

  @Test func `a viewer can rename itself, in every status and kind`() throws {
    for definition in [calendar, letters, slot] {
      var session = try SessionFixture(definition, access: .tokens([:]))
      let dan = MemberID("Dan")
      session.join(dan, as: .viewer)
      #expect(renamed(session.give(dan, 1, .rename("Mia"))) == [dan])
      session.join(MemberID("Eva"), as: .owner)
      session.give(MemberID("Eva"), 1, .cancel)
      #expect(session.fold.status == .cancelled)
      #expect(renamed(session.give(dan, 2, .rename("Lea"))) == [dan])
    }
  }

  @Test func `the same name again is a reply only`() throws {
    var session = try SessionFixture(calendar)

    let effects = session.give(ana, 1, .rename("Ana"))

    #expect(renamed(effects).isEmpty && SessionFixture.reply(effects) == 0)
  }

  @Test func `compaction removes renames, since any viewer can give them`() throws {
    var session = try SessionFixture(calendar)

    session.give(ana, 1, .rename("Mia"))

    #expect(session.fold.remnant == .nothing)
  }

  @Test func `a member whose token has a name is refused`() throws {
    let session = try SessionFixture(calendar)

    let answer = session.fold.refusal(of: .rename("Mia"), ref: 1, by: ana, unless: .fixedName)

    #expect(SessionFixture.refusal([.answered(ana, try #require(answer))]) == .notAllowed)
  }
}
