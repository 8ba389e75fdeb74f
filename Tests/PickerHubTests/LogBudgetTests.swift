import JSONText
import PickerModel
import PickerSession
import PickerWire
import Testing

import PickerHost
@testable import PickerHub

/// A session whose log has reached its byte limit.
@Suite struct LogBudgetTests {
  private let definition = #"{"kind":"columns","columns":[["a","b","c"]]}"#

  private var unlimited: HubConfiguration {
    var configuration = HubConfiguration()
    configuration.limits.messagesPerSecond = 1_000_000
    return configuration
  }

  @Test func `a full log refuses commands with full and the session continues`() throws {
    let fixture = try HubFixture(definition)
    fixture.join(1)
    fixture.join(2)
    fixture.send(1, select(1, 0, 1))
    fixture.forgetAll()
    fixture.log.outcome = .full

    fixture.send(1, select(2, 0, 2))
    fixture.send(1, select(1, 0, 1))

    let answers = fixture.received(1)
    #expect(answers.map { $0["type"]?.string } == ["refused", "reply"])
    #expect(answers[0]["code"]?.string == "full" && answers[0]["ref"]?.integer == 2)
    #expect(fixture.fold.revision == 1 && fixture.port.closes.isEmpty)
    fixture.log.outcome = .stored
    fixture.send(1, select(2, 0, 2))
    #expect(fixture.fold.revision == 2)
  }

  @Test func `a full log refuses new members, but existing ones stay`() throws {
    let fixture = try HubFixture(definition)
    fixture.join(1)
    fixture.log.outcome = .full

    fixture.join(2)

    let error = fixture.received(2).first { $0["type"]?.string == "error" }
    #expect(fixture.port.closes == [2: 4503])
    #expect(error?["detail"]?.string?.contains("logBytes") == true)
  }

  @Test func `a full log refuses new members over HTTP`() throws {
    let fixture = try HubFixture(definition)
    fixture.log.outcome = .full
    var problem: HubProblem?

    fixture.hub.addMember(
      to: fixture.session, try MemberRequest(Array("{}".utf8)), token: nil, at: fixture.now
    ) { if case .failure(let failure) = $0 { problem = failure } }

    #expect(problem == .logFull)
  }

  @Test func `a full store refuses commands, members and sessions, and accepts them later`()
    throws
  {
    let fixture = try HubFixture(definition)
    fixture.join(1)
    fixture.forgetAll()
    fixture.log.outcome = .storeFull

    fixture.send(1, select(1, 0, 1))
    fixture.join(2)
    let refused = fixture.received(1).first
    #expect(refused?["code"]?.string == "full")
    #expect(refused?["detail"]?.string?.contains("the store") == true)
    #expect(fixture.port.closes == [2: 4503])
    let error = fixture.received(2).first { $0["type"]?.string == "error" }
    #expect(error?["detail"]?.string?.contains("the store") == true)
    #expect(try problems(of: fixture) == [.storeFull, .storeFull])
    #expect(fixture.log.snapshots.isEmpty)

    fixture.log.outcome = .stored
    fixture.send(1, select(1, 0, 1))
    fixture.join(3)
    #expect(fixture.fold.revision == 1 && fixture.fold.members.count == 2)
    #expect(try problems(of: fixture) == [])
  }

  @Test func `a session can be deleted while the store is full`() throws {
    let fixture = try HubFixture(definition)
    fixture.join(1)
    fixture.log.outcome = .storeFull
    var isDeleted = false

    fixture.hub.begin { host throws(HubProblem) in
      try await host.delete(fixture.session, token: nil, at: fixture.now)
    } answer: {
      isDeleted = (try? $0.get()) != nil
    }

    #expect(isDeleted && fixture.hub.sessionCount == 0)
  }

  /// The problems of adding a member and of creating a session.
  private func problems(of fixture: HubFixture) throws -> [HubProblem] {
    var problems: [HubProblem] = []
    fixture.hub.addMember(
      to: fixture.session, try MemberRequest(Array("{}".utf8)), token: nil, at: fixture.now
    ) { if case .failure(let problem) = $0 { problems.append(problem) } }
    let request = try CreateRequest(Array(#"{"definition":\#(definition)}"#.utf8))
    fixture.hub.begin { host throws(HubProblem) in
      try await host.create(request, socketBase: "", at: fixture.now)
    } answer: {
      if case .failure(let problem) = $0 { problems.append(problem) }
    }
    return problems
  }

  @Test func `a snapshot lists the entries without effect`() throws {
    let fixture = try HubFixture(definition, unlimited)
    fixture.join(1)
    for ref in 1...499 { fixture.send(1, #"{"type":"undo","ref":\#(ref)}"#) }
    fixture.wait(1000)
    for ref in 500...999 { fixture.send(1, select(ref, 0, ref % 3)) }

    let snapshots = fixture.log.snapshots

    #expect(snapshots.map(\.entryCount) == [500, 1000])
    #expect(snapshots.map(\.spent.dropped) == [Array(2...500), []])
  }

  @Test func `a session with many members makes fewer snapshots`() throws {
    let fixture = try HubFixture(definition, unlimited)
    for raw in 1...100 as ClosedRange<UInt64> { fixture.join(raw) }
    for ref in 1...1500 { fixture.send(1, select(ref, 0, ref % 3)) }

    #expect(fixture.log.snapshots.map(\.entryCount) == [1600])
  }

  @Test func `a busy session makes a snapshot a second, or one after 10,000 entries`() throws {
    let fixture = try HubFixture(definition, unlimited)
    fixture.join(1)
    for ref in 1...10_600 { fixture.send(1, select(ref, 0, ref % 3)) }
    #expect(fixture.log.snapshots.map(\.entryCount) == [500, 10_500])

    fixture.wait(999)
    for ref in 10_601...11_100 { fixture.send(1, select(ref, 0, ref % 3)) }
    #expect(fixture.log.snapshots.count == 2)
    fixture.wait(1)
    fixture.send(1, select(11_101, 0, 1))

    #expect(fixture.log.snapshots.map(\.entryCount) == [500, 10_500, 11_102])
  }

  @Test func `a snapshot that the log rejects is made again`() throws {
    let fixture = try HubFixture(definition, unlimited)
    fixture.join(1)
    fixture.log.takesSnapshots = false
    for ref in 1...510 { fixture.send(1, #"{"type":"undo","ref":\#(ref)}"#) }
    fixture.log.takesSnapshots = true
    fixture.send(1, select(511, 0, 1))

    #expect(fixture.log.snapshots.map(\.spent.dropped) == [Array(2...511)])
  }

  @Test func `a session whose log is exhausted ends once when it is deleted while confirming`()
    throws
  {
    let fixture = try HubFixture(
      definition, fields: #","decide":{"by":"host","seconds":60}"#)
    fixture.join(1)
    fixture.send(1, #"{"type":"confirm","ref":1}"#)
    #expect(fixture.fold.status == .confirming)
    fixture.log.outcome = .exhausted

    var answers: [Bool] = []
    fixture.hub.begin { host throws(HubProblem) in
      try await host.delete(fixture.session, token: nil, at: fixture.now)
    } answer: {
      answers.append((try? $0.get()) != nil)
    }

    let ends = fixture.log.records.filter { if case .ended = $0 { true } else { false } }
    #expect(fixture.hub.sessionCount == 0 && answers == [true])
    #expect(ends.count == 1)
  }

  @Test func `a drain snapshots all entries`() throws {
    let fixture = try HubFixture(definition)
    fixture.log.canLoad = true
    fixture.join(1)
    fixture.send(1, select(1, 0, 1))

    fixture.hub.drain(at: fixture.now)

    #expect(fixture.log.snapshots.map(\.entryCount) == [2])
  }
}
