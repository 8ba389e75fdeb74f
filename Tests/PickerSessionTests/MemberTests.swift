import CivilTime
import PickerModel
import Testing

@testable import PickerSession

@Suite struct MemberTests {
  @Test func `the first member is the owner, later ones are editors`() throws {
    let session = try SessionFixture(letters)

    #expect(session.fold.membersInOrder.map(\.id) == [ana, bo, cem])
    #expect(session.fold.membersInOrder.map(\.role) == [.owner, .editor, .editor])
  }

  @Test func `the remaining member who joined first succeeds an owner who leaves`() throws {
    var session = try SessionFixture(letters)

    let effects = session.leave(ana)

    #expect(effects == [.left(ana), .roleChanged(bo)])
    #expect(session.fold.membersInOrder.map(\.role) == [.owner, .editor])
  }

  @Test func `with tokens nobody succeeds an owner`() throws {
    var session = try SessionFixture(letters, access: .tokens([:]))

    #expect(session.leave(ana) == [.left(ana)])
  }

  @Test func `the first member who joins an empty session is the owner`() throws {
    var session = try SessionFixture(letters)
    for member in [ana, bo, cem] { session.leave(member) }

    session.join(MemberID("Dan"))

    #expect(session.fold.membersInOrder.map(\.role) == [.owner])
    #expect(session.fold.membersInOrder.map(\.number) == [3])
  }

  @Test func `leaving twice has no further effect`() throws {
    var session = try SessionFixture(letters)
    session.leave(bo)

    #expect(session.leave(bo).isEmpty)
  }

  @Test func `months are sent again as of the tick, before the command of the same entry`() throws {
    let fixture = try SessionFixture(
      #"{"kind":"calendar","months":{"from":"2026-10","through":"2026-12"},"min":"today"}"#)
    let session = Session(fixture.fold)
    let tomorrow = noon.adding(milliseconds: 86_400_000)

    let effects = session.apply(
      LogEntry(at: tomorrow, body: .command(ana, ref: 1, tap("2026-11-25"))))

    var before = fixture.fold
    _ = before.apply(LogEntry(at: tomorrow, body: .tick))
    let change = CellChange(
      before: fixture.fold.picker, after: before.picker, notes: Notes(), revision: 0)
    guard case .delta(let delta)? = effects.last else {
      Issue.record("the last effect is not a delta")
      return
    }
    #expect(effects == [.cellsChanged(change), .delta(delta)])
  }

  @Test func `presence merges the updates of a member`() {
    var updates = PresenceUpdates()
    updates.join(ana)
    updates.change(ana)
    updates.change(bo)
    updates.change(bo)
    updates.touch(bo, .row(column: 0, row: 1))
    updates.touch(bo, .row(column: 0, row: 2))

    #expect(updates.joined == [ana])
    #expect(updates.changed == [bo])
    #expect(updates.touching.map(\.touch) == [.row(column: 0, row: 2)])
  }

  @Test func `a member who joins and leaves between two messages is broadcast as left`() {
    // Another member's welcome may have included it.
    var updates = PresenceUpdates()
    updates.join(ana)
    updates.leave(ana)

    #expect(updates.joined.isEmpty)
    #expect(updates.left == [ana])
  }

  @Test func `a secret matches only its own hash`() {
    let hash = SecretHash([1, 2, 3])

    #expect(hash.matches(SecretHash([1, 2, 3])))
    #expect(!hash.matches(SecretHash([1, 2, 4])))
    #expect(!hash.matches(SecretHash([1, 2])))
  }

  @Test func `nobody inherits a session of its creator`() throws {
    var session = try SessionFixture(calendar, access: .creator(SecretHash([1])))
    #expect(session.fold.membersInOrder.map(\.role) == [.editor, .editor, .editor])
    let eva = MemberID("Eva")
    session.join(eva, as: .owner)
    session.leave(eva)
    #expect(session.fold.members.values.allSatisfy { $0.role == .editor })
    session.leave(ana)
    _ = session.fold.apply(LogEntry(at: noon, body: .returned(ana, nil)))
    #expect(session.fold.members[ana]?.role == .editor)
    _ = session.fold.apply(LogEntry(at: noon, body: .returned(eva, nil)))
    #expect(session.fold.members[eva]?.role == .owner)
  }
}
