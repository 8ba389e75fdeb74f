import PickerModel
import Testing

import PickerHost
@testable import PickerHub
@testable import PickerSession
@testable import PickerWire

@Suite struct TimerTests {
  @Test func `deleted sessions leave no timers and no ticks`() throws {
    let fixture = try HubFixture(slot)
    let request = try CreateRequest(Array(#"{"definition":\#(slot)}"#.utf8))
    let before = fixture.hub.contents

    for _ in 1...1000 {
      fixture.hub.begin { host throws(HubProblem) in
        try await host.create(request, socketBase: "", at: fixture.now)
      } answer: { [unowned fixture] in
        guard let id = try? $0.get().id else { return }
        fixture.hub.begin { host throws(HubProblem) in
          try await host.delete(id, token: nil, at: fixture.now)
        } answer: { _ in
        }
      }
    }

    #expect(fixture.hub.contents.timers <= before.timers + 16)
    #expect(fixture.hub.contents.ticks <= before.ticks + 16)
  }

  @Test func `closed connections leave no timers`() throws {
    let fixture = try HubFixture(letters)
    fixture.join(1)
    let welcome = fixture.received(1)[0]
    fixture.disconnect(1)

    for raw in 2...1000 as ClosedRange<UInt64> {
      fixture.join(raw, fixture.resume(welcome, revision: 0))
      fixture.wait(1)
      fixture.disconnect(raw)
    }

    #expect(fixture.hub.contents.timers <= 64)
    fixture.wait(120_000)
    #expect(fixture.fold.members.isEmpty)
  }

  /// Regression: its timer remained for the session's time to live, up to a year.
  @Test func `an ended session has no timers after an hour`() throws {
    let fixture = try HubFixture(letters)
    fixture.hub.begin { host throws(HubProblem) in
      try await host.delete(fixture.session, token: nil, at: fixture.now)
    } answer: { _ in
    }

    fixture.wait(3_600_000)

    #expect(fixture.hub.contents.timers == 0)
  }

  @Test func `a session ends exactly after its time to live`() throws {
    let fixture = try HubFixture(letters)
    let ttl = Int64(fixture.fold.origin.ttlSeconds) * 1000
    fixture.wait(5_000_000)
    fixture.join(1)
    fixture.disconnect(1)

    fixture.wait(ttl - 1)
    #expect(fixture.hub.sessionCount == 1)
    fixture.wait(1)

    #expect(fixture.hub.sessionCount == 0)
    fixture.wait(3_600_000)
    #expect(fixture.hub.contents.timers == 0)
  }

  /// Regression: it ended when the time for the decision would have been over.
  @Test func `the time to live begins again when the host has decided`() throws {
    let fields = #","ttlSeconds":5,"decide":{"by":"host","seconds":3600}"#
    let fixture = try HubFixture(letters, fields: fields)
    fixture.join(1)
    fixture.send(1, #"{"type":"confirm","ref":1}"#)
    fixture.wait(60_000)
    let op = try #require(fixture.fold.decision.confirmation?.op)
    fixture.hub.begin { host throws(HubProblem) in
      try await host.settle(
        fixture.session, Settle(op: op, isGranted: false), token: nil, at: fixture.now
      )
    } answer: { _ in
    }

    fixture.wait(4_999)
    #expect(fixture.hub.sessionCount == 1)
    fixture.wait(1)
    #expect(fixture.hub.sessionCount == 0)
  }

  @Test func `a session that was evicted while the host decides is not loaded to end it`() throws {
    let fields = #","ttlSeconds":5,"decide":{"by":"host","seconds":3600}"#
    let fixture = try HubFixture(letters, fields: fields, canLoad: true)
    fixture.join(1)
    fixture.send(1, #"{"type":"confirm","ref":1}"#)
    fixture.disconnect(1)
    fixture.wait(200_000)
    #expect(fixture.hub.session(fixture.session) == nil && fixture.hub.sessionCount == 1)
    #expect(fixture.log.loads.isEmpty)
    // The tick that ends the time loads it.
    fixture.wait(3_600_000)
    #expect(fixture.log.loads.count == 1)
  }

  /// Regression: it was closed with 4508 (too slow) and reconnected.
  @Test func `a connection that has not joined is closed with 4410 when its session ends`() throws {
    let fixture = try HubFixture(letters)
    fixture.open(1)
    fixture.hub.begin { host throws(HubProblem) in
      try await host.delete(fixture.session, token: nil, at: fixture.now)
    } answer: { _ in
    }

    fixture.wait(10_000)

    #expect(fixture.port.closes[1] == CloseCode.sessionEnded.rawValue)
  }

  @Test func `a connection that does not join is closed as too slow`() throws {
    let fixture = try HubFixture(letters)
    fixture.open(1)

    fixture.wait(10_000)

    #expect(fixture.port.closes[1] == CloseCode.tooSlow.rawValue)
  }

  /// Regression: it was never evicted.
  @Test func `a session with a pending record is evicted after it is stored`() throws {
    let fixture = try HubFixture(letters)
    fixture.log.canLoad = true
    let request = try CreateRequest(Array(#"{"definition":\#(letters)}"#.utf8))
    var made: SessionID?
    fixture.hub.begin { host throws(HubProblem) in
      try await host.create(request, socketBase: "", at: fixture.now)
    } answer: {
      made = try? $0.get().id
    }
    let second = try #require(made)
    fixture.wait(4_999)
    fixture.log.outcome = .pending
    fixture.hub.clockSet(at: fixture.now) {}
    fixture.wait(60_000)
    #expect(fixture.hub.session(second) != nil)

    fixture.hub.committed(1, of: second, at: fixture.now)
    fixture.wait(10_000)

    #expect(fixture.hub.session(second) == nil)
    #expect(fixture.hub.sessionCount == 2)
  }

  /// Regression: commands waited for seconds behind the leaves of thousands of members.
  @Test func `of the members who leave at once, 50 wait for the log`() throws {
    let fixture = try HubFixture(letters, canLoad: true)
    let raws = 1...101 as ClosedRange<UInt64>
    for raw in raws { fixture.join(raw) }
    for raw in raws { fixture.disconnect(raw) }
    let before = fixture.log.records.count
    var leaves: Int { fixture.log.records.count - before }
    fixture.log.outcome = .pending

    fixture.wait(120_000)
    #expect(leaves == 50)
    fixture.store()
    fixture.wait(0)
    #expect(leaves == 100)
    fixture.hub.lost([fixture.session], at: fixture.now)

    #expect(fixture.hub.buffered.timedStepCount == 0)
  }

  /// Regression: with a frozen clock it was retried only when the clock was set again.
  @Test func `a refused tick is retried once a second although the clock is frozen`() throws {
    let fixture = try HubFixture(slot)
    let later = noon.adding(milliseconds: 700_000)
    func time(_ machine: Int64) -> HubTime { HubTime(session: later, machine: machine) }
    let before = fixture.hub.contents.timers
    fixture.log.outcome = .failed

    fixture.hub.clockSet(at: time(0)) {}
    fixture.hub.timer(at: time(0))
    #expect(fixture.hub.contents.timers == before + 1)
    #expect(fixture.hub.nextTimer(at: time(0), clockRuns: false) == 1000)
    fixture.hub.timer(at: time(1000))
    #expect(fixture.hub.nextTimer(at: time(1000), clockRuns: false) == 2000)
    fixture.log.outcome = .stored
    fixture.hub.timer(at: time(2000))

    #expect(fixture.fold.revision == 1)
    #expect(fixture.hub.contents.timers == before)
  }

  @Test func `a refused tick of a clock that was set back is retried`() throws {
    let fixture = try HubFixture(slot)
    let back = noon.adding(milliseconds: -3_600_000)
    fixture.log.outcome = .failed

    fixture.hub.clockSet(at: HubTime(session: back, machine: 0)) {}
    fixture.log.outcome = .stored
    fixture.hub.timer(at: HubTime(session: back, machine: 1000))

    #expect(fixture.fold.revision == 1)
  }

  /// Regression: only the state was asked, which did not have the command's later time yet.
  @Test func `a command that waits for the log does not keep a session ahead of the clock`()
    throws
  {
    let fixture = try HubFixture(letters)
    fixture.join(1)
    let ahead = HubTime(session: noon.adding(milliseconds: 3_600_000), machine: 0)
    let right = HubTime(session: noon, machine: 0)
    fixture.log.outcome = .pending

    fixture.hub.received(ConnectionID(raw: 1), Array(select(1, 0, 1).utf8).span, at: ahead)
    fixture.hub.clockSet(at: right) {}
    fixture.store()

    let session = fixture.hub.session(fixture.session)!
    #expect(session.revision == 1 && session.latestTime == noon)
  }

  /// Regression: such a session has no tick by which the hub notices the clock.
  @Test func `a command after the clock was set back has the time of the clock`() throws {
    let fixture = try HubFixture(letters)
    fixture.join(1)
    let back = noon.adding(milliseconds: -600_000)

    fixture.hub.received(
      ConnectionID(raw: 1), Array(select(1, 0, 1).utf8).span,
      at: HubTime(session: back, machine: 0))

    #expect(fixture.fold.history.last?.at == back)
  }
}
