import CivilTime
import PickerModel
import Testing

@testable import PickerHub
@testable import PickerSession
@testable import PickerWire

/// The hub buffers a limited number of bytes for a session while the log stores or loads it.
@Suite struct BackPressureTests {
  private func busyFixture() throws -> HubFixture {
    var configuration = HubConfiguration()
    configuration.limits.queueBytes = 4 * 256
    configuration.limits.messagesPerSecond = 1000
    let fixture = try HubFixture(letters, configuration)
    fixture.join(1)
    fixture.join(2)
    fixture.log.outcome = .pending
    return fixture
  }

  @Test func `reading from a connection pauses while its session has too many pending entries`()
    throws
  {
    let fixture = try busyFixture()

    for ref in 1...3 { fixture.send(1, select(ref, 0, ref % 3)) }
    #expect(fixture.port.paused.isEmpty)
    fixture.send(1, select(4, 0, 1))
    #expect(fixture.port.paused == [1])
    fixture.hub.committed(1, of: fixture.session, at: fixture.now)
    #expect(fixture.port.paused == [1])
    fixture.hub.committed(1, of: fixture.session, at: fixture.now)

    #expect(fixture.port.paused.isEmpty)
    fixture.store()
    #expect(fixture.fold.revision == 4)
  }

  @Test func `a connection that keeps sending while paused is closed at twice the limit`() throws {
    let fixture = try busyFixture()

    for ref in 1...8 { fixture.send(1, select(ref, 0, ref % 3)) }
    #expect(fixture.port.closes.isEmpty)
    fixture.send(1, select(9, 0, 1))

    #expect(fixture.port.closes == [1: 4503])
    #expect(fixture.hub.contents(of: fixture.session)?.steps == 8)
    fixture.store()
    #expect(fixture.fold.revision == 8)
  }

  @Test func `the port knows the messages that wait for the log, until they are handled or lost`()
    throws
  {
    let fixture = try HubFixture(letters, canLoad: true)
    fixture.join(1)
    fixture.join(2)
    fixture.port.waiting = 0
    fixture.log.outcome = .pending

    for ref in 1...3 { fixture.send(1, select(ref, 0, ref % 3)) }
    #expect(fixture.port.waiting == 6)
    fixture.hub.committed(1, of: fixture.session, at: fixture.now)
    #expect(fixture.port.waiting == 4)
    fixture.hub.lost([fixture.session], at: fixture.now)

    #expect(fixture.port.waiting == 0)
  }

  @Test func `a connection whose join the port holds is not closed as one that has not joined`()
    throws
  {
    let fixture = try HubFixture(letters)
    fixture.open(1)
    fixture.port.held = [1]

    fixture.wait(15_000)
    #expect(fixture.port.closes.isEmpty)
    fixture.port.held = []
    fixture.wait(15_000)

    #expect(fixture.port.closes == [1: 4508])
  }

  @Test func `a connection that is closing does not keep its session in memory`() throws {
    let fixture = try busyFixture()
    let connection = try #require(fixture.hub.connections[ConnectionID(raw: 1)])
    fixture.send(1, select(1, 0, 1))
    #expect(connection.hosted != nil)

    fixture.hub.close(connection, .tooSlow, "test")

    #expect(fixture.hub.connections[ConnectionID(raw: 1)] === connection)
    #expect(connection.hosted == nil)
  }

  @Test func `the token from the header is discarded after the join`() throws {
    let fixture = try HubFixture(letters)
    let id = ConnectionID(raw: 1)
    fixture.hub.opened(id, session: fixture.session, bearer: "token", at: fixture.now)
    #expect(fixture.hub.connections[id]?.bearer == "token")

    fixture.send(1, #"{"type":"join"}"#)

    #expect(fixture.hub.connections[id]?.member != nil)
    #expect(fixture.hub.connections[id]?.bearer == nil)
  }

  @Test func `a request is refused while its session has too many pending entries`() throws {
    let fixture = try busyFixture()
    for ref in 1...4 { fixture.send(1, select(ref, 0, ref % 3)) }
    var problems: [HubProblem?] = []

    let member = try MemberRequest(Array("{}".utf8))
    fixture.hub.addMember(to: fixture.session, member, token: nil, at: fixture.now) {
      if case .failure(let problem) = $0 { problems.append(problem) }
    }

    #expect(problems == [.unavailable])
  }

  /// A fixture whose session is evicted and whose log does not finish loading it.
  private func withEvictedSession() throws -> HubFixture {
    var configuration = HubConfiguration()
    configuration.limits.inboxBytes = 1024
    configuration.limits.messageBytes = 4096
    let fixture = try HubFixture(letters, configuration)
    fixture.log.canLoad = true
    fixture.join(9)
    fixture.send(9, #"{"type":"leave"}"#)
    fixture.disconnect(9)
    fixture.wait(10_000)
    fixture.port.closes = [:]
    #expect(fixture.hub.contents.dormant == 1)
    return fixture
  }

  private func load(_ fixture: HubFixture) throws {
    guard case .created(let origin, _, _)? = fixture.log.records.first else { return }
    let loaded = LoadedSession(
      fold: try SessionFold(origin), entryCount: 0, idleMilliseconds: fixture.machine,
      isSnapshotted: false)
    fixture.hub.loaded(fixture.session, loaded, at: fixture.now)
  }

  @Test func `a join sent in time is answered even if loading takes longer than the timeout`()
    throws
  {
    let fixture = try withEvictedSession()
    fixture.join(1)
    fixture.open(2)

    fixture.wait(60_000)
    try load(fixture)

    #expect(fixture.types(1).first == "welcome")
    #expect(fixture.port.closes == [2: 4508])
  }

  @Test func `a connection is read up to a limit during loading, and resumed after it`() throws {
    let fixture = try withEvictedSession()
    fixture.join(1)
    for ref in 1...9 { fixture.send(1, select(ref, 0, ref % 3)) }
    #expect(fixture.port.paused == [1])

    try load(fixture)

    #expect(fixture.port.paused.isEmpty)
    #expect(fixture.fold.revision == 9)
    #expect(fixture.log.loads.count == 1)
  }

  @Test func `a connection that sends too much while its session is loaded is closed`() throws {
    let fixture = try withEvictedSession()
    fixture.join(1)
    let message = #"{"type":"\#(String(repeating: "w", count: 1000))"}"#

    for _ in 1...8 { fixture.send(1, message) }

    #expect(fixture.port.closes == [1: 4503])
    try load(fixture)
    #expect(fixture.fold.members.isEmpty)
  }

  @Test func `a connection is closed with 4500 if its session cannot be loaded`() throws {
    let fixture = try withEvictedSession()
    fixture.join(1)

    fixture.hub.loaded(fixture.session, nil, at: fixture.now)

    #expect(fixture.port.closes == [1: 4500])
    #expect(fixture.hub.contents.dormant == 1)
  }

  @Test func `a session that could be loaded again closes no connection with 4500`() throws {
    let fixture = try withEvictedSession()
    fixture.join(1)
    fixture.hub.loaded(fixture.session, nil, at: fixture.now)
    fixture.join(2)

    try load(fixture)

    #expect(fixture.port.closes == [1: 4500])
    #expect(fixture.fold.members.count == 1)
  }

  @Test func `closed connections do not remain among the waiters of a session that is loading`()
    throws
  {
    let fixture = try withEvictedSession()
    for raw in 1...100 as ClosedRange<UInt64> {
      fixture.open(raw)
      fixture.disconnect(raw)
    }

    guard case .loading(_, let waiters) = fixture.hub.directory[fixture.session] else {
      Issue.record("the session is not loading")
      return
    }
    #expect(waiters.all.count == 1)
  }
}
