import CivilTime
import JSONText
import PickerModel
import Testing

@testable import PickerSession

/// Entries that the fold decides on, because another node may have changed the session between the
/// append and this entry.
@Suite struct ConditionTests {
  private let dan = MemberID("Dan")

  private func joining(
    _ member: MemberID, subject: String? = nil, room: Int?
  ) -> LogEntry.Body {
    .joined(
      .init(
        member: member, secret: SecretHash([]), name: member.text, role: nil, subject: subject,
        room: room))
  }

  private func apply(_ body: LogEntry.Body, to session: inout SessionFixture) -> [Outcome] {
    session.fold.apply(LogEntry(at: noon, body: body))
  }

  @Test func `a join for which there is no room has no effect`() throws {
    var session = try SessionFixture(letters)

    #expect(apply(joining(dan, room: 3), to: &session) == [])
    #expect(session.fold.members[dan] == nil && session.fold.remnant == .nothing)
    #expect(apply(joining(dan, room: 4), to: &session) == [.joined(dan)])
  }

  @Test func `a return for which there is no room has no effect, and is possible later`() throws {
    var session = try SessionFixture(letters)
    session.leave(cem)
    session.join(dan)

    #expect(apply(.returned(cem, nil, room: 3), to: &session) == [])
    #expect(session.fold.members[cem] == nil && session.fold.remnant == .nothing)
    session.leave(dan)
    #expect(apply(.returned(cem, nil, room: 3), to: &session) == [.joined(cem)])
  }

  @Test func `entries without a maximum are applied`() throws {
    var limits = SessionLimits()
    limits.members = 1
    let session = try SessionFixture(letters, limits: limits)
    #expect(session.fold.members.count == 3)
  }

  @Test func `a user is one member, whichever node lets it join first`() throws {
    let one = HostFields(isOneMember: true)
    var session = try SessionFixture(letters, host: one)
    #expect(apply(joining(dan, subject: "17", room: 9), to: &session) == [.joined(dan)])

    let again = joining(MemberID("Dan 2"), subject: "17", room: 9)
    #expect(apply(again, to: &session) == [])
    session.leave(dan)
    #expect(apply(again, to: &session) == [])

    var several = try SessionFixture(letters)
    _ = apply(joining(dan, subject: "17", room: 9), to: &several)
    #expect(apply(again, to: &several) == [.joined(MemberID("Dan 2"))])
  }

  @Test func `a definition for another version than the current one has no effect`() throws {
    var session = try SessionFixture(letters)
    func define(_ version: Int, needsBase: Bool) throws -> [Outcome] {
      let json = #"{"kind":"columns","columns":[["a","\#(version)"],["x","y"]]}"#
      let made = try Definition.make(from: try JSONTree.parse(Array(json.utf8))) { _ in .utc }
      let change = DefinitionChange(
        version: version, definition: made, source: .whole, needsBase: needsBase)
      return session.fold.apply(LogEntry(at: noon, body: .define(change)))
    }

    #expect(try define(2, needsBase: true).count == 1)
    #expect(try define(2, needsBase: true) == [])
    #expect(session.fold.version == 2 && session.fold.remnant == .nothing)
    #expect(try define(3, needsBase: true).count == 1)
    #expect(try define(2, needsBase: false).count == 1)
  }

  @Test func `a second tick for the same instant has no effect`() throws {
    var session = try SessionFixture(slot)
    let due = try #require(session.fold.nextTick)
    let tick = LogEntry(at: due, body: .tick)
    let first = session.fold.apply(tick)

    let second = session.fold.apply(tick)
    let late = session.fold.apply(LogEntry(at: due.adding(milliseconds: 40), body: .tick))

    #expect(!first.isEmpty && second == [] && late == [])
    #expect(session.fold.remnant == .nothing)
  }
}
