import JSONText
import PickerModel
import Testing

import PickerHost
@testable import PickerHub
@testable import PickerSession
@testable import PickerWire

extension HubFixture {
  /// Waits until the session is evicted.
  ///
  /// - Returns: Its state.
  fileprivate func evict() -> SessionFold {
    let evicted = fold
    wait(10_000)
    return evicted
  }

  fileprivate func load(_ fold: SessionFold) {
    let loaded = LoadedSession(fold: fold, entryCount: 0, idleMilliseconds: 0)
    hub.loaded(fold.origin.id, loaded, at: now)
  }
}

/// Eviction and loading of sessions at the limit of the memory of all sessions.
@Suite struct SessionMemoryLoadTests {
  /// A session of 5 revisions that its only member has left, reloaded without its history for
  /// connection 2.
  private struct Left {
    let fixture: HubFixture
    let welcome: JSONTree
    let fold: SessionFold

    init() throws {
      fixture = try HubFixture(letters, canLoad: true)
      fixture.join(1)
      welcome = fixture.received(1)[0]
      for ref in 1...5 { fixture.send(1, select(ref, 0, ref % 3)) }
      fixture.send(1, #"{"type":"leave"}"#)
      fixture.disconnect(1)
      fold = fixture.evict()
      let state = try #require(fixture.log.snapshots.last).state
      fixture.open(2)
      fixture.load(SessionFold(fold.origin, limits: fold.limits, state: state))
    }
  }

  @Test func `eviction and deletion make room for a session`() throws {
    for isDeleted in [false, true] {
      let fixture = try HubFixture(
        largeList, limited(try HubFixture(largeList).sessionsBytes), canLoad: true)
      #expect(try fixture.create(otherLargeList) == .full(.sessionsBytes))

      if isDeleted { fixture.delete(fixture.session) } else { fixture.wait(10_000) }

      // What it stores counts while it is in memory.
      (fixture.log.records, fixture.log.snapshots) = ([], [])
      #expect(fixture.sessionsBytes == 0)
      #expect(try fixture.create(otherLargeList) == nil)
    }
  }

  @Test func `a session is not loaded while the memory is full`() throws {
    let fixture = try HubFixture(letters, canLoad: true)
    let fold = fixture.evict()
    try fixture.create(largeList)
    let large = try #require(fixture.log.lastCreated)
    fixture.hub.change(limited(fixture.sessionsBytes).limits)

    fixture.join(1)
    let problem = fixture.read(fixture.session)

    #expect(fixture.port.closes == [1: 4503] && problem() == .noMemory)
    #expect(fixture.log.loads == [])
    fixture.delete(large)
    fixture.join(2)
    fixture.load(fold)
    #expect(fixture.log.loads == [0] && fixture.types(2).first == "welcome")
  }

  /// Fills the history of a session.
  private func tap(_ fixture: HubFixture, in session: SessionID) {
    fixture.open(9, session: session)
    fixture.send(9, #"{"type":"join"}"#)
    for ref in 1...64 {
      fixture.wait(100)
      fixture.send(9, select(ref, 0, ref % 3))
    }
  }

  @Test func `histories are dropped to create a session`() throws {
    let fixture = try HubFixture(letters)
    tap(fixture, in: fixture.session)
    let full = fixture.sessionsBytes
    fixture.hub.change(limited(full).limits)
    #expect(fixture.hub.creationProblem == nil)

    #expect(try fixture.create(letters) == nil)

    #expect(fixture.fold.history.isEmpty && fixture.sessionsBytes < full)
    fixture.send(9, select(65, 0, 2))
    #expect(fixture.received(9).last?["revision"]?.integer == fixture.fold.revision)
  }

  @Test func `histories are dropped to load a session`() throws {
    let fixture = try HubFixture(letters, canLoad: true)
    let first = fixture.session
    let fold = fixture.evict()
    try fixture.create(letters)
    let second = try #require(fixture.log.lastCreated)
    tap(fixture, in: second)
    fixture.hub.change(limited(fixture.sessionsBytes).limits)

    let problem = fixture.read(first)
    fixture.load(fold)

    #expect(problem() == nil && fixture.hub.session(first) != nil)
    #expect(fixture.hub.session(second)?.fold.history.isEmpty == true)
  }

  @Test func `it is known why new sessions are refused`() throws {
    let fixture = try HubFixture(largeList)
    let size = fixture.sessionsBytes
    #expect(fixture.hub.creationProblem == nil)
    var limits = HubConfiguration().limits
    limits.sessions = 1
    fixture.hub.change(limits)
    #expect(fixture.hub.creationProblem == .full(.sessions))
    fixture.hub.change(limited(size).limits)
    #expect(fixture.hub.creationProblem == .full(.sessionsBytes))

    fixture.hub.change(limited(5 * size / 2).limits)
    #expect(fixture.hub.creationProblem == nil)
    #expect(try fixture.create(otherLargeList) == nil && fixture.hub.creationProblem == nil)
    // Half as much as it needs is left.
    let third = otherLargeList.replacing("b row", with: "c row")
    #expect(try fixture.create(third) == .full(.sessionsBytes))
    #expect(fixture.hub.creationProblem == .full(.sessionsBytes))
    #expect(try fixture.create(letters) == nil && fixture.hub.creationProblem == nil)
  }

  @Test func `a session is not loaded if the memory has become full meanwhile`() throws {
    let fixture = try HubFixture(largeList, canLoad: true)
    let fold = fixture.evict()
    try fixture.create(letters)
    // The definition of the session that is loaded counts already.
    let others = fixture.sessionsBytes - fold.definition.byteCount
    for (raw, limit) in [(1 as UInt64, others), (2, others + 1)] {
      fixture.hub.change(limited(.max).limits)
      fixture.join(raw)
      fixture.hub.change(limited(limit).limits)
      fixture.load(fold)
    }

    #expect(fixture.port.closes == [1: 4503] && fixture.types(2).first == "welcome")
    #expect(fixture.log.loads.count == 2)
  }

  @Test(arguments: [false, true])
  func `a session that is not in memory is deleted although the memory is full`(
    isClustered: Bool
  ) throws {
    let fixture = try HubFixture(letters, canLoad: true, isClustered: isClustered)
    let fold = fixture.evict()
    try fixture.create(largeList)
    let size = fixture.sessionsBytes
    fixture.hub.change(limited(size).limits)

    fixture.delete(fixture.session)
    if isClustered {
      let dormant = DormantSession(
        id: fixture.session, ttlSeconds: 60, idleMilliseconds: 0, nextTick: nil, hasMembers: false)
      fixture.log.lookups.removeFirst().completion(.found(dormant))
    }
    fixture.load(fold)

    guard case .ended? = fixture.log.records.last else {
      _ = Issue.record("the session has not ended")
      return
    }
    // The other one belongs to no node of a cluster's log.
    #expect(fixture.hub.sessionCount == (isClustered ? 0 : 1) && fixture.sessionsBytes == size)
  }

  @Test func `a refused deletion while the memory is full leaves no session in memory`() throws {
    var configuration = HubConfiguration()
    configuration.authentication = .token
    let fixture = try HubFixture(letters, configuration, canLoad: true)
    let fold = fixture.evict()
    fixture.hub.change(limited(0).limits)

    var problem: HubProblem?
    fixture.hub.begin { host throws(HubProblem) in
      try await host.delete(fixture.session, token: nil, at: fixture.now)
    } answer: {
      if case .failure(let failure) = $0 { problem = failure }
    }
    fixture.join(1)
    let readProblem = fixture.read(fixture.session)
    fixture.load(fold)

    #expect(problem == .noToken && readProblem() == .noMemory)
    #expect(fixture.port.closes == [1: 4503])
    #expect(fixture.sessionsBytes == fold.definition.byteCount, "only the test has it")
    #expect(fixture.hub.contents.dormant == 1)
  }

  @Test func `a claimed session is loaded when there is memory for it`() throws {
    let fixture = try HubFixture(letters, canLoad: true, isClustered: true)
    let claimed = DormantSession(
      id: SessionID("claimed"), ttlSeconds: 60, idleMilliseconds: 0, nextTick: nil,
      hasMembers: true)
    fixture.hub.change(limited(0).limits)

    fixture.hub.restore([claimed], at: fixture.now)
    #expect(fixture.log.loads == [])
    fixture.hub.change(limited(.max).limits)
    fixture.wait(60_000)

    #expect(fixture.log.loads == [0] && fixture.log.lookups.isEmpty)
  }

  @Test func `an expired session is ended with its event when there is memory to load it`() throws {
    let fixture = try HubFixture(
      letters, fields: #","ttlSeconds":60"#, canLoad: true)
    let fold = fixture.evict()
    _ = fixture.read(fixture.session)
    fixture.hub.loaded(fixture.session, nil, at: fixture.now)

    // The memory becomes full while the session is loaded to be ended.
    fixture.wait(60_000)
    fixture.hub.change(limited(0).limits)
    fixture.load(fold)
    fixture.join(1)
    fixture.wait(120_000)
    let early = fixture.log.records.count
    fixture.hub.change(limited(.max).limits)
    fixture.wait(60_000)
    fixture.load(fold)

    #expect(early == 1 && fixture.port.closes == [1: 4503], "only the creation is logged")
    guard case .ended(let event?, _)? = fixture.log.records.last else {
      _ = Issue.record("the session has not ended with an event")
      return
    }
    #expect(event.session == fixture.session)
  }

  @Test func `a tick that is due while the memory is full is applied later`() throws {
    let fixture = try HubFixture(slot, canLoad: true)
    let fold = fixture.evict()
    fixture.hub.change(limited(0).limits)

    fixture.wait(1_200_000)
    #expect(fixture.log.loads == [])
    fixture.hub.change(limited(.max).limits)
    fixture.wait(60_000)
    fixture.load(fold)

    #expect(fixture.log.loads == [0] && fixture.fold.revision == 1)
  }

  @Test func `a member that resumes at the limit of memory gets a snapshot`() throws {
    let left = try Left()
    let fixture = left.fixture
    fixture.hub.change(limited(fixture.sessionsBytes).limits)

    fixture.send(2, #"{"type":"join"\#(fixture.resume(left.welcome, revision: 2))}"#)

    let answer = fixture.received(2).first
    #expect(answer?["snapshot"] != nil && fixture.log.readings.isEmpty)
  }

  @Test func `the history that is read for a client counts`() throws {
    let left = try Left()
    let (fixture, count) = (left.fixture, left.fixture.sessionsBytes)

    fixture.send(2, #"{"type":"join"\#(fixture.resume(left.welcome, revision: 2))}"#)
    fixture.log.outcome = .pending
    fixture.log.readings.removeFirst().completion(
      HistoryPage(deltas: Array(left.fold.history), next: nil))

    #expect(fixture.sessionsBytes >= count + 5 * 512)
    fixture.store()
    #expect(fixture.types(2).first == "welcome")
  }
}
