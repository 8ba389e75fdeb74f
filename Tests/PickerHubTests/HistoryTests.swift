import JSONText
import PickerModel
import Testing

@testable import PickerHub
@testable import PickerSession
@testable import PickerWire

/// A session without members is reloaded without its deltas; they are read when a client resumes.
@Suite struct HistoryTests {
  /// A session of 5 revisions that its only member has left and that has been evicted.
  private struct Evicted {
    let fixture: HubFixture
    let welcome: JSONTree
    let fold: SessionFold

    init(history: Int = 1000) throws {
      var configuration = HubConfiguration()
      configuration.limits.session.history = history
      try self.init(configuration) { $0.join(1) }
    }

    /// - Parameter join: Joins with connection 1.
    init(
      _ configuration: HubConfiguration, _ fields: String = "", join: (HubFixture) -> Void
    ) throws {
      fixture = try HubFixture(letters, configuration, fields: fields)
      fixture.log.canLoad = true
      join(fixture)
      welcome = fixture.received(1)[0]
      for ref in 1...5 { fixture.send(1, select(ref, 0, ref % 3)) }
      fold = fixture.fold
      fixture.send(1, #"{"type":"leave"}"#)
      fixture.disconnect(1)
      fixture.wait(10_000)
      #expect(fixture.hub.session(fixture.session) == nil)
      fixture.forgetAll()
    }

    /// Opens a connection, for which the log loads the session from its last snapshot.
    func reopen(_ raw: UInt64) throws {
      fixture.open(raw)
      try load()
    }

    func load() throws {
      let state = try #require(fixture.log.snapshots.last).state
      let reloaded = SessionFold(fold.origin, limits: fold.limits, state: state)
      fixture.hub.loaded(
        fixture.session, LoadedSession(fold: reloaded, entryCount: 7, idleMilliseconds: 0),
        at: fixture.now)
    }

    /// Answers the first page of deltas that is read.
    func answer(_ deltas: some Sequence<Delta>, next: HistoryPosition? = nil) {
      let reading = fixture.log.readings.removeFirst()
      reading.completion(HistoryPage(deltas: Array(deltas), next: next))
    }
  }

  @Test func `a member that resumes gets the deltas that it has missed from the log`() throws {
    let evicted = try Evicted()
    let fixture = evicted.fixture
    try evicted.reopen(2)

    fixture.send(2, #"{"type":"join"\#(fixture.resume(evicted.welcome, revision: 2))}"#)
    fixture.send(2, select(6, 0, 0))
    let early = fixture.received(2)
    let reading = try #require(fixture.log.readings.first)
    evicted.answer(evicted.fold.history[..<3], next: reading.from)
    evicted.answer(evicted.fold.history[3...])

    let received = fixture.received(2)
    #expect(early.isEmpty && reading.from.after == 0 && reading.from.through == 5)
    #expect(received.map { $0["type"]?.string } == ["welcome", "delta", "delta", "delta", "delta"])
    #expect(received[0]["resumed"] == .bool(true) && received[0]["snapshot"] == nil)
    #expect(received.dropFirst().map { $0["revision"]?.integer } == [3, 4, 5, 6])
  }

  /// Regression: only the secret of the member's first device was accepted.
  @Test func `a device that is known by its sub gets the deltas from the log`() throws {
    var configuration = HubConfiguration(authentication: .keys(TestVerifier()))
    configuration.limits.session.history = 1000
    let evicted = try Evicted(configuration, #","oneMember":true"#) { fixture in
      fixture.enter(1, "sub=17")
    }
    let fixture = evicted.fixture
    let resume = fixture.resume(evicted.welcome, revision: 2, secret: "of this device")

    fixture.enter(2, "sub=17", resume)
    try evicted.load()
    #expect(fixture.log.readings.count == 1)
    evicted.answer(evicted.fold.history[...])

    #expect(fixture.types(2) == ["welcome", "delta", "delta", "delta"])
  }

  @Test func `an event stream also resumes after an eviction`() throws {
    let evicted = try Evicted()
    let fixture = evicted.fixture
    try evicted.reopen(2)
    var request = WatchRequest()
    request.seen = (String(evicted.fold.origin.epoch.prefix(8)), 3)

    fixture.hub.watch(fixture.session, request, at: fixture.now) { _ in ConnectionID(raw: 9) }
    #expect(fixture.received(9).isEmpty)
    evicted.answer(evicted.fold.history[...])

    #expect(fixture.received(9).map { $0["revision"]?.integer } == [3, 4, 5])
  }

  /// Regression: access was checked before the log was read, and not afterwards.
  @Test func `a stream whose token or ticket is revoked while the log is read is not opened`()
    throws
  {
    let configuration = HubConfiguration(authentication: .keys(TestVerifier()))
    let evicted = try Evicted(configuration) { fixture in fixture.enter(1, "sub=18 iat=-5") }
    let fixture = evicted.fixture
    fixture.enter(2, "sub=18 iat=-5")
    try evicted.load()
    var (withToken, withTicket, later) = (WatchRequest(), WatchRequest(), WatchRequest())
    withToken.token = try fixture.credential("sub=17 iat=-5")
    withTicket.ticket = try fixture.ticket()
    later.token = try fixture.credential("sub=17 iat=5")
    var answers: [Result<String, HubProblem>] = []
    for (raw, watch) in [(7, withToken), (8, withTicket), (9, later)] as [(UInt64, WatchRequest)] {
      var request = watch
      request.seen = (String(evicted.fold.origin.epoch.prefix(8)), 3)
      fixture.hub.watch(fixture.session, request, at: fixture.now) { answer in
        answers.append(answer)
        return (try? answer.get()).map { _ in ConnectionID(raw: raw) }
      }
    }
    #expect(answers.isEmpty)

    #expect(try fixture.revoke(.subject("17"))?.get().target == .subject("17"))
    evicted.answer(evicted.fold.history[...])

    let epoch = evicted.fold.origin.epoch
    #expect(answers == [.failure(.noSuchSession), .failure(.badToken), .success(epoch)])
    #expect(fixture.received(7).isEmpty && fixture.received(8).isEmpty)
    #expect(fixture.received(9).map { $0["revision"]?.integer } == [3, 4, 5])
  }

  @Test func `a connection that resumes is closed with 4503 if the log cannot be read`() throws {
    let evicted = try Evicted()
    let fixture = evicted.fixture
    try evicted.reopen(2)
    fixture.send(2, #"{"type":"join"\#(fixture.resume(evicted.welcome, revision: 2))}"#)

    fixture.log.readings.removeFirst().completion(nil)

    #expect(fixture.port.closes[2] == 4503)
  }

  @Test func `the log is not read for a current, too old or unknown revision or member`() throws {
    let evicted = try Evicted(history: 3)
    let fixture = evicted.fixture
    try evicted.reopen(2)

    let resumed = fixture.resume(evicted.welcome, revision: 5)
    let late = fixture.resume(evicted.welcome, revision: 1)
    fixture.send(2, #"{"type":"join"\#(resumed)}"#)
    let current = fixture.received(2)[0]
    fixture.join(3, late)
    fixture.join(4, fixture.resume(evicted.welcome, revision: 3, secret: "another"))

    #expect(current["resumed"] == .bool(true))
    #expect(fixture.received(3)[0]["resumed"] == .bool(false))
    #expect(fixture.port.closes[4] == 4301 && fixture.log.readings.isEmpty)
  }

  @Test func `a session is not evicted while its deltas are being read`() throws {
    let evicted = try Evicted()
    let fixture = evicted.fixture
    try evicted.reopen(2)
    fixture.send(2, #"{"type":"join"\#(fixture.resume(evicted.welcome, revision: 2))}"#)

    fixture.wait(9_000)

    #expect(fixture.hub.session(fixture.session) != nil)
    evicted.answer(evicted.fold.history[...])
    #expect(fixture.received(2).first?["resumed"] == .bool(true))
  }
}
