import CivilTime
import JSONText
import PickerModel
import Testing

import PickerHost
@testable import PickerHub
@testable import PickerSession
@testable import PickerWire

/// Event streams receive all broadcasts of a session, but are not members.
@Suite struct WatchTests {
  /// Opens an event stream on connection `raw`.
  ///
  /// - Returns: The epoch of the stream, or the problem.
  @discardableResult
  private func watch(
    _ fixture: HubFixture, _ raw: UInt64, _ request: WatchRequest = WatchRequest()
  ) -> Result<String, HubProblem>? {
    var result: Result<String, HubProblem>?
    fixture.hub.watch(fixture.session, request, at: fixture.now) { opened in
      result = opened
      return (try? opened.get()).map { _ in ConnectionID(raw: raw) }
    }
    return result
  }

  @Test func `a stream receives a welcome without a member and then every delta`() throws {
    let fixture = try HubFixture(letters)
    fixture.join(1)
    fixture.forgetAll()

    let opened = watch(fixture, 9)
    fixture.send(1, select(1, 0, 2))

    #expect(opened == .success(fixture.fold.origin.epoch))
    let received = fixture.received(9)
    #expect(received.map { $0["type"]?.string } == ["welcome", "delta"])
    #expect(received[0]["member"] == nil)
    #expect(received[0]["snapshot"] != nil)
    #expect(received[1]["revision"] == .integer(1))
    #expect(received[1]["ref"] == nil, "only the author's copy has the ref")
  }

  @Test func `a stream is not in the presence and not in the log`() throws {
    let fixture = try HubFixture(letters)
    fixture.join(1)
    fixture.forgetAll()
    let records = fixture.log.records.count

    watch(fixture, 9)
    fixture.disconnect(9)
    fixture.wait(1_000)

    #expect(fixture.received(1) == [])
    #expect(fixture.log.records.count == records)
    #expect(fixture.fold.members.count == 1)
  }

  @Test func `the first member after a stream is the owner`() throws {
    let fixture = try HubFixture(letters)

    watch(fixture, 9)
    fixture.join(1)

    #expect(fixture.received(1)[0]["member"]?["role"]?.string == "owner")
  }

  @Test func `a stream receives presence`() throws {
    let fixture = try HubFixture(letters)
    watch(fixture, 9)
    fixture.forgetAll()

    fixture.join(1, #","name":"Ana""#)
    fixture.wait(100)

    let joined = fixture.received(9).first { $0["type"]?.string == "presence" }?["joined"]?.array
    #expect(joined?.first?["name"]?.string == "Ana")
  }

  @Test func `a stream that resumes receives the missed deltas`() throws {
    let fixture = try HubFixture(letters)
    fixture.join(1)
    for ref in 1...3 { fixture.send(1, select(ref, 0, ref % 3)) }
    let mark = ServerSentEvent.epochMark(of: fixture.fold.origin.epoch)

    var request = WatchRequest()
    request.seen = (mark, 1)
    watch(fixture, 9, request)

    let received = fixture.received(9)
    #expect(received[0]["resumed"] == .bool(true))
    #expect(received[0]["snapshot"] == nil)
    #expect(received.dropFirst().map { $0["revision"]?.integer } == [2, 3])
  }

  @Test(arguments: ["", "otherepo"])
  func `a stream that resumes from another history receives a snapshot`(mark: String) throws {
    let fixture = try HubFixture(letters)
    fixture.join(1)
    fixture.send(1, select(1, 0, 1))

    var request = WatchRequest()
    request.seen = (mark, 0)
    watch(fixture, 9, request)

    let received = fixture.received(9)
    #expect(received.map { $0["type"]?.string } == ["welcome"])
    #expect(received[0]["resumed"] == .bool(false))
    #expect(received[0]["revision"] == .integer(1))
  }

  @Test func `a stream that resumes from a future revision receives a snapshot`() throws {
    let fixture = try HubFixture(letters)
    var request = WatchRequest()
    request.seen = (ServerSentEvent.epochMark(of: fixture.fold.origin.epoch), 8)

    watch(fixture, 9, request)

    #expect(fixture.received(9)[0]["resumed"] == .bool(false))
  }

  @Test func `a stream has its own locale and months`() throws {
    let fixture = try HubFixture(calendar)
    fixture.join(1)
    var request = WatchRequest()
    request.locale = "zh-Hans"
    request.view = MonthView(from: CivilMonth(iso: "2026-11".utf8)!, count: 1)

    watch(fixture, 9, request)
    fixture.send(1, #"{"type":"tap","ref":1,"date":"2026-11-20"}"#)

    let received = fixture.received(9)
    let months = received.first { $0["type"]?.string == "months" }?["months"]?.array
    #expect(months?.map { $0["month"]?.string } == ["2026-11"])
    #expect(months?.first?["cells"]?.array?.first?["text"]?.string != nil)
    let changes = received.last?["changes"]?.array?.compactMap { $0["change"]?.string }
    #expect(changes == ["range", "bands"])
  }

  @Test func `the member limit applies to streams`() throws {
    var configuration = HubConfiguration()
    configuration.limits.session.members = 2
    let fixture = try HubFixture(letters, configuration)

    #expect(try watch(fixture, 8)?.get() != nil)
    #expect(try watch(fixture, 9)?.get() != nil)
    #expect(watch(fixture, 10) == .failure(.sessionFull))
    fixture.disconnect(9)
    #expect(try watch(fixture, 11)?.get() != nil)
  }

  @Test func `a stream of a missing session is refused`() throws {
    let fixture = try HubFixture(letters)
    fixture.session = SessionID("nobody")

    #expect(watch(fixture, 9) == .failure(.noSuchSession))
    #expect(fixture.hub.connectionCount == 0)
  }

  @Test func `a stream requires a token with token authentication`() throws {
    let fixture = try HubFixture(letters, HubConfiguration(authentication: .token))

    #expect(watch(fixture, 9) == .failure(.noToken))
    var request = WatchRequest()
    request.token = .token("wrong")
    #expect(watch(fixture, 9, request) == .failure(.badToken))
  }

  @Test func `a slow stream receives one snapshot instead of its missed deltas`() throws {
    var configuration = HubConfiguration()
    configuration.limits.outboxBytes = 400
    let fixture = try HubFixture(letters, configuration)
    fixture.join(1)
    watch(fixture, 9)
    fixture.forgetAll()
    fixture.port.full = [9]

    for ref in 1...9 { fixture.send(1, select(ref, 0, ref % 3)) }
    fixture.port.full = []
    fixture.becomeWritable(9)

    let received = fixture.received(9)
    #expect(received.last?["type"]?.string == "snapshot")
    #expect(received.last?["revision"] == .integer(9))
    #expect(received.count < 9)
  }

  @Test func `a stream that disconnects before it is opened is dropped`() throws {
    let fixture = try HubFixture(letters)

    fixture.hub.watch(fixture.session, WatchRequest(), at: fixture.now) { _ in nil }

    #expect(fixture.hub.connectionCount == 0)
  }

  @Test func `a drawn month has the current range`() throws {
    let fixture = try HubFixture(calendar)
    fixture.join(1)
    fixture.send(1, #"{"type":"tap","ref":1,"date":"2026-11-20"}"#)
    fixture.send(1, #"{"type":"tap","ref":2,"date":"2026-11-24"}"#)

    let content = try month(fixture, "2026-11").get()

    #expect(content.cells.count == 42)
    #expect(content.bands.map(\.row) == [2, 3])
  }

  @Test func `a month outside the calendar is refused`() throws {
    let fixture = try HubFixture(calendar)

    let problem = HubProblem.outsideMonths(
      "2027-01 is outside the months of this calendar, 2026-10 to 2026-12")
    #expect(throws: problem) { try month(fixture, "2027-01").get() }
  }

  @Test func `columns have no months`() throws {
    let fixture = try HubFixture(letters)

    #expect(throws: HubProblem.wrongKind("only a calendar has months to draw")) {
      try month(fixture, "2026-11").get()
    }
  }

  private func month(
    _ fixture: HubFixture, _ iso: String
  ) throws -> Result<MonthContent, HubProblem> {
    var answer: Result<MonthContent, HubProblem>?
    fixture.hub.begin { host throws(HubProblem) in
      try await host.month(
        CivilMonth(iso: iso.utf8)!, of: fixture.session, token: nil, locale: nil, at: fixture.now
      )
    } answer: {
      answer = $0
    }
    return try #require(answer)
  }
}
