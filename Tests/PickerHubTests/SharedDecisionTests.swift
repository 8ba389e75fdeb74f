import JSONText
import PickerModel
import PickerSession
import PickerWire
import Testing

@testable import PickerHub

/// What the fold decides because entries of other nodes can come between an append and its entry.
@Suite struct SharedDecisionTests {
  private let bo = MemberID("m_bo")

  private func boJoins(subject: String? = nil) -> CommittedRecord {
    let joining = LogEntry.Joining(
      member: bo, secret: SecretHash([]), name: "Bo", role: nil, subject: subject, room: 100)
    return .foreign(LogEntry(at: noon, body: .joined(joining)))
  }

  private func definition(_ row: String) throws -> Definition {
    try Definition.make(
      from: try JSONTree.parse(
        Array(#"{"kind":"columns","columns":[["a","\#(row)"],["x","y"]]}"#.utf8))
    ) { _ in nil }
  }

  private func foreignDefine(_ row: String) throws -> CommittedRecord {
    let change = DefinitionChange(
      version: 2, definition: try definition(row), source: .whole, needsBase: true)
    return .foreign(LogEntry(at: noon, body: .define(change)))
  }

  private func limited(_ members: Int) throws -> HubFixture {
    var configuration = HubConfiguration()
    configuration.limits.session.members = members
    return try HubFixture(letters, configuration, isShared: true)
  }

  @Test func `a member for whom another node left no room is refused as by this one`() throws {
    let fixture = try limited(2)
    fixture.join(1)
    fixture.log.outcome = .pending
    fixture.join(2)
    fixture.commit([boJoins(), .own])
    fixture.join(3)

    #expect(fixture.port.closes == [2: 4503, 3: 4503])
    #expect(fixture.received(2).last?["detail"] == fixture.received(3).last?["detail"])
    #expect(fixture.fold.members.count == 2)
    #expect(fixture.hub.inventory(of: fixture.session)?.pending == 2)
  }

  @Test func `a member over HTTP for whom another node left no room is refused`() throws {
    let fixture = try limited(2)
    fixture.join(1)
    fixture.log.outcome = .pending
    var problem: HubProblem?
    fixture.hub.addMember(
      to: fixture.session, try MemberRequest(Array("{}".utf8)), token: nil, at: fixture.now
    ) { if case .failure(let failure) = $0 { problem = failure } }

    fixture.commit([boJoins(), .own])

    #expect(problem == .sessionFull)
  }

  @Test func `a user that joins through two nodes at once is one member`() throws {
    let fixture = try HubFixture.keys(#","oneMember":true"#, isShared: true)
    fixture.log.outcome = .pending
    fixture.enter(1, "sub=17")

    fixture.commit([boJoins(subject: "17"), .own])
    #expect(fixture.closes == [1: 4503])
    fixture.log.outcome = .stored
    fixture.enter(2, "sub=17")

    #expect(fixture.received(2).first?["member"]?["id"] == .string("m_bo"))
    #expect(fixture.fold.members.count == 1)
  }

  @Test func `a patch is evaluated again if another node changes the definition first`() throws {
    let fixture = try HubFixture(letters, isShared: true)
    fixture.log.outcome = .pending
    var answer: Result<DefinitionAnswer, HubProblem>?
    let request = DefinitionRequest(
      format: .jsonPatch,
      body: Array(#"[{"op":"add","path":"/columns/1/-","value":"z"}]"#.utf8), versions: nil,
      valuesMax: .max)
    fixture.hub.redefine(fixture.session, request, token: nil, at: fixture.now) { answer = $0 }

    fixture.commit([try foreignDefine("q"), .own])
    #expect(answer == nil && fixture.fold.version == 2)
    fixture.commit([.own])

    let columns = fixture.fold.picker.columns
    #expect(try answer?.get().version == 3)
    #expect(
      columns.map { column in (0..<column.rows.count).map(column.rows.key) }
        == [["a", "q"], ["x", "y", "z"]])
  }

  /// Regression: an evicted session did not tick, so that the host waited for its time to live.
  @Test(arguments: [#","decide":{"by":"host","seconds":60}"#, #","watch":["result"]"#])
  func `a session that owes an event stays in memory until it has added it`(fields: String) throws {
    let fixture = try HubFixture(letters, fields: fields, canLoad: true, isShared: true)
    fixture.join(1)
    fixture.send(1, select(1, 0, 1))
    if fields.contains("decide") { fixture.send(1, #"{"type":"confirm","ref":2}"#) }
    fixture.log.outcome = .pending
    fixture.send(1, #"{"type":"leave"}"#)
    fixture.store()
    fixture.log.outcome = .stored
    let before = fixture.log.fed.count
    #expect(fixture.hub.residentCount == 1)

    fixture.wait(70_000)

    #expect(fixture.log.fed.dropFirst(before).flatMap(\.events).count == 1)
    #expect(fixture.hub.residentCount == 0)
  }

  @Test func `a definition for the version before another node's is refused`() throws {
    let fixture = try HubFixture(letters, isShared: true)
    fixture.log.outcome = .pending
    var problem: HubProblem?
    let request = DefinitionRequest(
      format: .whole, body: Array(#"{"kind":"columns","columns":[["a"],["x"]]}"#.utf8),
      versions: .oneOf(["\"1\""]), valuesMax: .max)
    fixture.hub.redefine(fixture.session, request, token: nil, at: fixture.now) {
      if case .failure(let failure) = $0 { problem = failure }
    }

    fixture.commit([try foreignDefine("q"), .own])

    #expect(problem == .versionMismatch(2))
    #expect(fixture.fold.definition.isSame(as: try definition("q")))
  }

  @Test func `a patch of notes takes effect on those of another node`() throws {
    let fixture = try HubFixture(letters, isShared: true)
    fixture.log.outcome = .pending
    var answer: Result<DefinitionAnswer, HubProblem>?
    let request = DefinitionRequest(
      format: .mergePatch, body: Array(#"{"columns":{"0":{"a":{"text":"ours"}}}}"#.utf8),
      versions: nil, valuesMax: .max)
    fixture.hub.changeNotes(of: fixture.session, request, token: nil, at: fixture.now) {
      answer = $0
    }
    let theirs = try JSONTree.parse(Array(#"{"columns":{"0":{"a":{"text":"ours"}}}}"#.utf8))

    fixture.commit([.foreign(LogEntry(at: noon, body: .note(NotesPatch(theirs)))), .own])

    #expect(fixture.fold.revision == 1)
    #expect(try answer?.get().version == 1)
  }

  @Test func `a select is logged with its key`() throws {
    let keyed = #"{"type":"select","ref":1,"column":0,"row":1,"generation":1,"key":"b"}"#
    for isShared in [false, true] {
      let fixture = try HubFixture(letters, isShared: isShared)
      fixture.join(1)
      fixture.send(1, keyed)
      guard case .entry(let entry)? = fixture.log.records.last,
        case .command(_, ref: 1, .select(let selection), _) = entry.body
      else { throw HubProblem.unavailable }
      #expect(selection.key == (isShared ? "b" : nil))
    }
  }

  @Test func `a decision on a confirmation that is not here yet is made by its entry`() throws {
    let fixture = try HubFixture(
      letters, fields: #","decide":{"by":"host","seconds":60}"#, isShared: true)
    fixture.join(1)
    let ana = fixture.fold.membersInOrder[0].id
    let op = "op-1"
    fixture.log.outcome = .pending
    var isGranted: Bool?
    fixture.hub.settle(
      fixture.session, Settle(op: op, isGranted: true), token: nil, at: fixture.now
    ) { if case .success = $0 { isGranted = true } else { isGranted = false } }

    fixture.commit([
      .foreign(LogEntry(at: noon, body: .command(ana, ref: 1, .confirm), op: op)), .own,
    ])

    #expect(isGranted == true)
    #expect(fixture.fold.status == .confirmed)
  }

  @Test func `a tick of another node leaves none due here`() throws {
    let fixture = try HubFixture(slot, isShared: true)
    let due = try #require(fixture.fold.nextTick)
    fixture.log.records = []

    fixture.commit([.foreign(LogEntry(at: due, body: .tick))])
    fixture.wait(due.milliseconds - noon.milliseconds)

    #expect(fixture.log.records.isEmpty)
    #expect(fixture.fold.nextTick.map { $0 > due } == true)
  }
}
