import JSONText
import PickerModel
import PickerSession
import PickerWire
import Testing

@testable import PickerHub

/// Entries that other nodes have appended to a shared log.
@Suite struct ForeignEntryTests {
  private let bo = MemberID("m_bo")

  private func foreign(_ body: LogEntry.Body) -> CommittedRecord {
    .foreign(LogEntry(at: noon, body: body))
  }

  private var boJoins: CommittedRecord {
    foreign(.joined(.init(member: bo, secret: SecretHash([]), name: "Bo", role: nil)))
  }

  private func boSelects(_ row: Int, ref: Int = 1) -> CommittedRecord {
    let selection = Command.Selection(column: 0, row: row, generation: 1, key: nil)
    return foreign(.command(bo, ref: ref, .select(selection)))
  }

  @Test func `entries of other nodes are applied in log order ahead of pending ones`() throws {
    let fixture = try HubFixture(letters)
    fixture.join(1)
    fixture.commit([boJoins])
    fixture.wait(100)
    fixture.forgetAll()
    fixture.log.outcome = .pending
    fixture.send(1, select(1, 0, 1))

    fixture.commit([boSelects(2)])
    #expect(fixture.fold.revision == 1)
    fixture.commit([.own, boSelects(0, ref: 2)])

    let deltas = fixture.received(1)
    #expect(deltas.compactMap { $0["revision"]?.integer } == [1, 2, 3])
    #expect(deltas.map { $0["ref"]?.integer } == [nil, 1, nil])
    #expect(fixture.hub.inventory(of: fixture.session)?.steps == 0)
  }

  @Test func `a refused command of another node is not answered here`() throws {
    let fixture = try HubFixture(letters)
    fixture.join(1)
    let ana = fixture.fold.membersInOrder[0].id
    fixture.wait(100)
    fixture.forgetAll()

    fixture.commit([foreign(.command(ana, ref: 1, .undo))])

    #expect(fixture.received(1).isEmpty)
    fixture.send(1, #"{"type":"undo","ref":1}"#)
    #expect(fixture.types(1) == ["refused"])
  }

  @Test func `members that joined elsewhere count against the maximum`() throws {
    var configuration = HubConfiguration()
    configuration.limits.session.members = 2
    let fixture = try HubFixture(letters, configuration)
    fixture.join(1)

    fixture.commit([boJoins])
    fixture.join(2)

    #expect(fixture.port.closes == [2: 4503])
    #expect(fixture.hub.inventory(of: fixture.session)?.pending == 2)
    fixture.commit([foreign(.left(bo))])
    fixture.join(3)
    #expect(fixture.port.closes == [2: 4503])
  }

  @Test func `the events of another node's entry are marked as its own to store`() throws {
    let fixture = try HubFixture(letters)
    fixture.join(1)
    fixture.send(1, select(1, 0, 1))
    fixture.send(1, #"{"type":"confirm","ref":2}"#)
    let before = fixture.log.fed.count
    let ana = fixture.fold.membersInOrder[0].id

    fixture.commit([foreign(.command(ana, ref: 3, .reopen))])
    fixture.send(1, #"{"type":"confirm","ref":4}"#)

    let fed = fixture.log.fed.dropFirst(before)
    #expect(fed.map(\.sequence) == [4, 5] && fed.map(\.isOwn) == [false, true])
    #expect(fed.map(\.previous) == [3, 4] && fed.map(\.status) == [.open, .confirmed])
  }

  @Test func `the end by another node closes the connections and refuses what is pending`() throws {
    let fixture = try HubFixture(letters)
    fixture.join(1)
    fixture.log.outcome = .pending
    fixture.send(1, select(1, 0, 1))
    fixture.join(2)
    var answerCount = 0
    fixture.hub.delete(fixture.session, token: nil, at: fixture.now) { _ in answerCount += 1 }

    fixture.commit([foreign(.left(bo)), .foreignEnd])

    #expect(fixture.port.closes == [1: 4410, 2: 4410])
    #expect(answerCount == 1)
    #expect(fixture.hub.sessionCount == 0)
  }

  @Test func `a creation whose external id another node has taken is asked again`() throws {
    let fixture = try HubFixture(letters)
    fixture.log.outcome = .pending
    let body = try CreateRequest(Array(#"{"definition":\#(letters),"external":"o-1"}"#.utf8))
    nonisolated(unsafe) var (retryCount, answerCount) = (0, 0)
    let request = CreationRequest(body, socketBase: "ws://here") { retryCount += 1 }

    fixture.hub.create(request, at: fixture.now) { _ in answerCount += 1 }
    let created = fixture.log.lastCreated
    fixture.hub.committed(.mixed([.refused]), of: try #require(created), at: fixture.now)

    #expect((retryCount, answerCount) == (1, 0))
    #expect(fixture.hub.sessionCount == 1)
  }
}
