import CivilTime
import JSONText
import PickerModel
import Testing

import PickerHost
@testable import PickerHub
@testable import PickerSession
@testable import PickerWire

extension HubFixture {
  /// Changes the notes, as the host does.
  @discardableResult
  func note(_ json: String, token: String? = nil) -> Result<JSONTree, HubProblem>? {
    var result: Result<JSONTree, HubProblem>?
    let request = DocumentRequest(
      format: .mergePatch, body: Array(json.utf8), versions: nil, valuesMax: .max)
    hub.begin { [self] host throws(HubProblem) in
      try await host.change(.notes, of: session, request, token: token.map { .token($0) }, at: now)
    } answer: { answer in
      result = answer.map { (try? JSONTree.parse($0.body)) ?? .null }
    }
    return result
  }
}

@Suite struct NoteTests {
  private let prices =
    #"{"days":{"2026-10-31":{"text":"a"},"2026-12-24":{"text":{"en":"full","zh":"满"}}}}"#

  private func changes(_ fixture: HubFixture, _ raw: UInt64) -> [JSONTree] {
    fixture.received(raw).filter { $0["type"]?.string == "delta" }
      .compactMap { $0["changes"]?.array }.flatMap { $0 }
  }

  @Test func `members receive notes of days in their months, including adjacent cells`() throws {
    let fixture = try HubFixture(calendar)
    fixture.join(1, #","months":{"from":"2026-12","count":1}"#)
    fixture.join(2, #","months":{"from":"2026-11","count":1},"locale":"zh-Hans""#)
    fixture.join(3)
    fixture.join(4, #","months":{"from":"2027-01","count":1}"#)
    fixture.forgetAll()

    let answer = try #require(fixture.note(prices)).get()

    #expect(answer["revision"] == .integer(1) && answer["version"] == .integer(1))
    #expect(answer["changes"]?.array?[0]["days"]?.members?.count == 2)
    let own = changes(fixture, 1)
    #expect(own.count == 1 && own[0]["days"]?.members?.map(\.key) == ["2026-12-24"])
    #expect(own[0]["days"]?["2026-12-24"]?["text"] == .string("full"))
    // The grid of November has the days from November 1 to December 12.
    #expect(changes(fixture, 2).isEmpty)
    fixture.note(
      #"{"days":{"2026-12-12":{"text":{"en":"full","zh":"满"}},"2026-12-13":{"text":"x"}}}"#)
    let neighbour = changes(fixture, 2)
    #expect(neighbour.count == 1 && neighbour[0]["days"]?.members?.count == 1)
    #expect(neighbour[0]["days"]?["2026-12-12"]?["text"] == .string("满"))
    #expect(fixture.received(3).compactMap { $0["changes"]?.array?.count } == [0, 0])
    #expect(changes(fixture, 4).isEmpty, "a month outside the calendar has no notes")
  }

  @Test func `cells and rows have their notes`() throws {
    let fixture = try HubFixture(calendar)
    fixture.note(prices)
    fixture.join(1, #","months":{"from":"2026-12","count":1}"#)
    let months = try #require(fixture.received(1).first { $0["type"]?.string == "months" })
    let noted = months["months"]?.array?[0]["cells"]?.array?.filter { $0["note"] != nil }
    #expect(noted?.count == 1 && noted?[0]["note"]?["text"] == .string("full"))

    let columns = try HubFixture(letters)
    columns.note(#"{"columns":{"0":{"b":{"text":"€ 5","tone":"low"}}}}"#)
    columns.join(1)
    let welcome = columns.received(1)[0]
    let rows = welcome["snapshot"]?["columns"]?.array?[0]["rows"]?.array
    #expect(rows?.map { $0["note"] != nil } == [false, true, false])
    columns.send(1, #"{"type":"rows","column":0,"from":1,"count":1}"#)
    let row = columns.received(1)[0]["rows"]?.array?[0]["note"]
    #expect(row == .object([.init("text", .string("€ 5")), .init("tone", .string("low"))]))
  }

  @Test func `a delta is encoded once for each locale and view`() throws {
    let fixture = try HubFixture(calendar)
    for raw in 1...30 as ClosedRange<UInt64> {
      let locale = raw.isMultiple(of: 2) ? "en" : "zh-Hans"
      fixture.join(raw, #","months":{"from":"2026-12","count":1},"locale":"\#(locale)""#)
    }
    let before = fixture.hub.encoder.deltaEncodeCount
    fixture.note(prices)
    #expect(fixture.hub.encoder.deltaEncodeCount - before == 2)
  }

  @Test func `notes differ between regions of a language, other changes do not`() throws {
    let fixture = try HubFixture(letters)
    fixture.join(1, #","locale":"en""#)
    fixture.join(2, #","locale":"en-GB""#)
    fixture.forgetAll()
    fixture.send(1, select(1, 0, 1))
    let plain = (fixture.received(1), fixture.received(2))
    #expect(plain.0[0]["changes"] == plain.1[0]["changes"])
    fixture.note(#"{"columns":{"0":{"a":{"text":{"en":"fall","en-GB":"autumn"}}}}}"#)
    #expect(changes(fixture, 1)[0]["rows"]?["a"]?["text"] == .string("fall"))
    #expect(changes(fixture, 2)[0]["rows"]?["a"]?["text"] == .string("autumn"))
  }

  @Test func `a resumed member gets missed deltas without notes of days, and months with them`()
    throws
  {
    let fixture = try HubFixture(calendar)
    fixture.join(1, #","name":"Ana""#)
    let welcome = fixture.received(1)[0]
    fixture.disconnect(1)
    fixture.note(prices)
    fixture.join(
      2, #","months":{"from":"2026-12","count":1}"# + fixture.resume(welcome, revision: 0))
    let received = fixture.received(2)
    #expect(received.compactMap { $0["type"]?.string }.prefix(3) == ["welcome", "delta", "months"])
    #expect(received[1]["changes"] == .array([]) && received[0]["resumed"] == .bool(true))
    let cells = received[2]["months"]?.array?[0]["cells"]?.array
    #expect(cells?.contains { $0["note"] != nil } == true)
  }

  @Test func `an equal note makes no revision, and an invalid one is rejected`() throws {
    let fixture = try HubFixture(calendar)
    fixture.note(prices)
    let again = try #require(fixture.note(prices)).get()
    #expect(again["changes"] == .array([]) && again["revision"] == .integer(1))
    guard case .failure(.badRequest)? = fixture.note(#"{"days":{"2026-12-24":{"text":""}}}"#),
      case .failure(.badRequest)? = fixture.note("{"),
      case .failure(.tooLarge)? = fixture.note(String(repeating: " ", count: 262_145))
    else {
      Issue.record("problems have their codes")
      return
    }
    #expect(fixture.fold.revision == 1)
  }

  @Test func `more than 20 changes of notes and definitions a second are rejected`() throws {
    let fixture = try HubFixture(letters)
    for _ in 0..<20 { fixture.note("{}") }
    #expect(fixture.note("{}") == .failure(.tooMany))
    let request = DocumentRequest(
      format: .mergePatch, body: Array("{}".utf8), versions: nil, valuesMax: .max)
    var problem: HubProblem?
    fixture.hub.begin { host throws(HubProblem) in
      try await host.change(.definition, of: fixture.session, request, token: nil, at: fixture.now)
    } answer: {
      if case .failure(let found) = $0 { problem = found }
    }
    #expect(problem == .tooMany)
    fixture.wait(1_000)
    #expect((try? fixture.note("{}")?.get()) != nil)
  }

  @Test func `a change waits for a pending one and is checked against its result`() throws {
    let fixture = try HubFixture(letters)
    fixture.join(1)
    fixture.log.outcome = .pending
    fixture.send(1, select(1, 0, 1))
    var versions: [Int?] = []
    for tags in ["\"1\"", "\"1\""] {
      let request = DocumentRequest(
        format: .mergePatch, body: Array(#"{"locale":"de"}"#.utf8), versions: .oneOf([tags]),
        valuesMax: .max)
      fixture.hub.begin { host throws(HubProblem) in
        try await host.change(
          .definition, of: fixture.session, request, token: nil, at: fixture.now)
      } answer: {
        versions.append((try? $0.get())?.version)
      }
    }
    fixture.store()
    fixture.store()
    #expect(versions == [2, nil], "the second one has an old version")
    #expect(fixture.fold.version == 2)
  }

  @Test func `a viewer may read notes, and only an owner may change them`() throws {
    let fixture = try HubFixture(letters, HubConfiguration(authentication: .token))
    #expect(fixture.note("{}") == .failure(.noToken))
    guard case .failure(.notAllowed)? = fixture.note("{}", token: fixture.tokens["editor"]) else {
      Issue.record("an editor may not")
      return
    }
    fixture.note(
      #"{"columns":{"0":{"b":{"text":"€ 5"}}}}"#, token: fixture.tokens["owner"])
    var body: [UInt8] = []
    let viewer = fixture.tokens["viewer"].map { Credential.token($0) }
    fixture.hub.begin { host throws(HubProblem) in
      try await host.read(.notes, of: fixture.session, token: viewer, at: fixture.now)
    } answer: {
      body = (try? $0.get().body) ?? []
    }
    #expect(
      String(decoding: body, as: UTF8.self)
        == #"{"days":{},"columns":{"0":{"b":{"text":"€ 5"}}}}"#)
  }
}
