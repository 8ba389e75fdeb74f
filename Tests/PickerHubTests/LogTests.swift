import CivilTime
import PickerModel
import Testing

import PickerHost
@testable import PickerHub
@testable import PickerSession
@testable import PickerWire

@Suite struct LogTests {
  @Test func `nothing is broadcast before it is stored`() throws {
    let fixture = try HubFixture(letters)
    fixture.join(1)
    fixture.join(2)
    fixture.wait(100)
    fixture.forgetAll()
    fixture.log.outcome = .pending

    fixture.send(1, select(1, 0, 1))
    #expect(fixture.types(1).isEmpty)
    #expect(fixture.fold.revision == 0)
    fixture.store()

    #expect(fixture.types(1) == ["delta"])
    #expect(fixture.types(2) == ["delta"])
  }

  @Test func `reads are answered after earlier commands that are pending in the log`() throws {
    let fixture = try HubFixture(letters)
    fixture.join(1)
    fixture.wait(100)
    fixture.forgetAll()
    fixture.log.outcome = .pending

    fixture.send(1, select(1, 0, 1))
    fixture.send(1, #"{"type":"rows","column":0,"from":0,"count":1}"#)
    fixture.send(1, select(2, 7, 1))
    fixture.hub.committed(1, of: fixture.session, at: fixture.now)
    #expect(fixture.types(1) == ["delta", "rows"])
    fixture.store()

    #expect(fixture.types(1) == ["refused"])
  }

  @Test func `months are answered after earlier commands that are pending in the log`() throws {
    let fixture = try HubFixture(calendar)
    fixture.join(1)
    fixture.wait(100)
    fixture.forgetAll()
    fixture.log.outcome = .pending

    fixture.send(1, #"{"type":"tap","ref":1,"date":"2026-11-20"}"#)
    fixture.send(1, #"{"type":"months","from":"2026-11","count":1}"#)
    fixture.store()

    let received = fixture.received(1)
    #expect(received.map { $0["type"]?.string } == ["delta", "months"])
    #expect(received.map { $0["revision"]?.integer } == [1, 1])
  }

  /// Regression: the end was appended while the denial was pending, so that the feed had no denial,
  /// and an end that was still confirming.
  @Test func `deleting a session that is confirming denies it before it ends`() throws {
    let fixture = try HubFixture(
      letters, fields: #","decide":{"by":"host","seconds":60}"#)
    fixture.join(1)
    fixture.send(1, #"{"type":"confirm","ref":1}"#)
    fixture.log.outcome = .pending
    var isDeleted = false

    fixture.hub.begin { host throws(HubProblem) in
      try await host.delete(fixture.session, token: nil, at: fixture.now)
    } answer: { _ in
      isDeleted = true
    }
    fixture.hub.committed(1, of: fixture.session, at: fixture.now)
    #expect(!isDeleted && fixture.fold.status == .open)
    fixture.store()

    #expect(isDeleted && fixture.hub.sessionCount == 0)
    guard case .ended(let event?, _)? = fixture.log.records.last else {
      return #expect(Bool(false), "the last record is the end")
    }
    #expect(String(decoding: event.data, as: UTF8.self).contains(#""status":"open""#))
  }

  @Test func `a failing log also closes connections whose join is pending`() throws {
    let fixture = try HubFixture(letters)
    fixture.log.outcome = .pending
    fixture.join(1)
    fixture.log.outcome = .failed

    fixture.send(1, select(1, 0, 1))

    #expect(fixture.port.closes[1] == 4503)
    fixture.store()
    #expect(fixture.types(1) == ["error"])
  }

  @Test func `a member is welcomed when its join is stored`() throws {
    let fixture = try HubFixture(letters)
    fixture.log.outcome = .pending
    fixture.join(1)
    fixture.send(1, select(1, 0, 1))
    #expect(fixture.types(1).isEmpty)

    fixture.store()

    #expect(fixture.types(1) == ["welcome", "delta"])
  }

  @Test func `a member that disconnects before its join is stored is offline`() throws {
    let fixture = try HubFixture(letters)
    fixture.log.outcome = .pending
    fixture.join(1)
    fixture.disconnect(1)
    fixture.store()
    #expect(fixture.fold.members.count == 1)

    fixture.log.outcome = .stored
    fixture.wait(120_000)

    #expect(fixture.hub.contents(of: fixture.session) == contents())
  }

  @Test func `a failing log closes with 4503, and the command is not executed`() throws {
    let fixture = try HubFixture(letters)
    fixture.join(1)
    fixture.join(2)
    fixture.log.outcome = .failed

    fixture.send(1, select(1, 0, 1))

    #expect(fixture.port.closes == [1: 4503, 2: 4503])
    #expect(fixture.fold.revision == 0)
  }

  @Test func `a join that cannot be stored is closed and does not reserve a member slot`() throws {
    let fixture = try HubFixture(letters)
    fixture.log.outcome = .failed

    fixture.join(1)
    fixture.disconnect(1)

    #expect(fixture.port.closes == [1: 4503])
    #expect(fixture.hub.contents(of: fixture.session) == contents())
  }

  @Test func `a timed entry that could not be stored is retried`() throws {
    let fixture = try HubFixture(letters)
    fixture.join(1)
    fixture.disconnect(1)
    fixture.log.outcome = .failed
    fixture.wait(120_500)
    #expect(fixture.fold.members.count == 1)

    fixture.log.outcome = .stored
    fixture.wait(1_000)

    #expect(fixture.fold.members.isEmpty)
  }

  @Test func `a pending tick is appended once`() throws {
    let fixture = try HubFixture(slot)
    fixture.log.outcome = .pending
    fixture.log.records = []

    fixture.wait(700_000)

    #expect(fixture.log.records.count == 1)
    fixture.store()
    #expect(fixture.fold.revision == 1)
  }

  @Test func `a tick that the log refuses is retried after a second, not immediately`() throws {
    let fixture = try HubFixture(slot)
    fixture.log.outcome = .failed

    fixture.wait(700_000)

    #expect(fixture.hub.nextTimer(at: fixture.now, clockRuns: true)! > fixture.machine)
    fixture.log.outcome = .stored
    fixture.wait(1_001)
    #expect(fixture.fold.revision == 1)
  }

  @Test func `repeated confirm and reopen leave one entry in the tick queue`() throws {
    let fixture = try HubFixture(slot)
    fixture.join(1)

    for ref in 1...20 {
      fixture.send(1, #"{"type":"\#(ref % 2 == 1 ? "confirm" : "reopen")","ref":\#(ref)}"#)
    }

    #expect(fixture.fold.revision == 20)
    #expect(fixture.hub.contents.ticks == 1)
  }

  @Test func `after delete a session sends nothing but 4410`() throws {
    let fixture = try HubFixture(letters)
    fixture.join(1)
    fixture.join(2)
    fixture.wait(100)
    fixture.forgetAll()
    fixture.log.outcome = .pending

    fixture.hub.begin { host throws(HubProblem) in
      try await host.delete(fixture.session, token: nil, at: fixture.now)
    } answer: { _ in
    }
    fixture.send(1, select(1, 0, 1))
    fixture.disconnect(2)
    fixture.wait(200)
    #expect(fixture.types(1).isEmpty)
    fixture.store()

    #expect(fixture.types(1) == ["error"])
    #expect(fixture.port.closes == [1: 4410])
    #expect(fixture.hub.contents.sessions == 0)
  }

  /// Regression: the session failed every second, and its members reconnected every few seconds.
  @Test func `a session whose log is exhausted ends with a reason`() throws {
    let fixture = try HubFixture(slot)
    fixture.join(1)
    fixture.join(2)
    fixture.open(3)
    fixture.forgetAll()
    fixture.log.outcome = .exhausted

    fixture.send(1, #"{"type":"undo","ref":1}"#)
    fixture.send(3, #"{"type":"join"}"#)

    #expect(fixture.port.closes == [1: 4410, 2: 4410, 3: 4410])
    #expect(fixture.received(1).first?["detail"]?.string?.contains("maximum") == true)
    #expect(fixture.hub.contents.sessions == 0)
  }

  @Test func `a join in a session whose log is exhausted ends the session`() throws {
    let fixture = try HubFixture(letters)
    fixture.log.outcome = .exhausted

    fixture.join(1)

    #expect(fixture.port.closes == [1: 4410])
    #expect(fixture.hub.contents.sessions == 0)
  }

  @Test func `a session ends after its time to live`() throws {
    let fixture = try HubFixture(letters)
    fixture.join(1)

    fixture.wait(86_399_999)
    #expect(fixture.hub.contents.sessions == 1)
    fixture.wait(1)

    #expect(fixture.port.closes == [1: 4410])
    #expect(fixture.hub.contents.sessions == 0)
  }

  @Test func `setting the clock ticks every session once and then completes`() throws {
    let fixture = try HubFixture(slot)
    let back = HubTime(session: noon.adding(milliseconds: -3_600_000), machine: 0)
    var isAnswered = false

    fixture.hub.clockSet(at: back) { isAnswered = true }

    #expect(isAnswered)
    #expect(fixture.fold.revision == 1)
  }

  @Test func `setting the clock completes even if a session ends in the meantime`() throws {
    let fixture = try HubFixture(slot)
    let later = HubTime(session: noon.adding(milliseconds: 3_600_000), machine: 0)
    fixture.log.outcome = .pending
    var isAnswered = false

    fixture.hub.begin { host throws(HubProblem) in
      try await host.delete(fixture.session, token: nil, at: fixture.now)
    } answer: { _ in
    }
    fixture.hub.clockSet(at: later) { isAnswered = true }
    fixture.store()

    #expect(isAnswered)
  }
}
