import JSONText
import PickerModel
import Testing

@testable import PickerHub
@testable import PickerSession
@testable import PickerWire

/// Members that send their commands over HTTP.
@Suite struct PostedTests {
  private struct Poster {
    let id: String
    let secret: String
  }

  private func add(
    _ fixture: HubFixture, _ body: String = #"{"name":"Kiosk"}"#, token: String? = nil
  ) throws -> Result<JSONTree, HubProblem> {
    var answer: Result<[UInt8], HubProblem>?
    fixture.hub.addMember(
      to: fixture.session, try MemberRequest(Array(body.utf8)), token: token.map { .token($0) },
      at: fixture.now
    ) { answer = $0 }
    return try #require(answer).map { try! JSONTree.parse($0) }
  }

  private func newPoster(_ fixture: HubFixture) throws -> Poster {
    let member = try add(fixture).get()["member"]
    return Poster(
      id: try #require(member?["id"]?.string), secret: try #require(member?["secret"]?.string))
  }

  /// - Parameter command: Begins with a comma.
  private func body(_ poster: Poster, _ command: String) throws -> CommandRequest {
    let text = #"{"member":"\#(poster.id)","secret":"\#(poster.secret)"\#(command)}"#
    return try CommandRequest(Array(text.utf8))
  }

  private func post(
    _ fixture: HubFixture, _ poster: Poster, _ command: String
  ) throws -> Result<JSONTree, HubProblem>? {
    var answer: Result<[UInt8], HubProblem>?
    fixture.hub.post(
      try body(poster, command), to: fixture.session, token: nil, locale: nil, at: fixture.now
    ) { answer = $0 }
    return answer?.map { try! JSONTree.parse($0) }
  }

  private func picked(_ ref: Int, _ row: Int) -> String {
    #","type":"select","ref":\#(ref),"column":0,"row":\#(row),"generation":1"#
  }

  @Test func `a member created over HTTP is offline and gets a welcome`() throws {
    let fixture = try HubFixture(letters)

    let welcome = try add(fixture).get()

    #expect(welcome["type"]?.string == "welcome")
    #expect(welcome["member"]?["name"]?.string == "Kiosk")
    #expect(welcome["member"]?["role"]?.string == "owner")
    #expect(welcome["member"]?["secret"]?.string != nil)
    #expect(welcome["members"]?.array?.first?["online"] == .bool(false))
    #expect(welcome["snapshot"]?["columns"]?.array?.count == 2)
  }

  @Test func `the member is broadcast as offline`() throws {
    let fixture = try HubFixture(letters)
    fixture.join(1)
    fixture.forgetAll()

    _ = try add(fixture)
    fixture.wait(100)

    let joined = fixture.received(1).compactMap { $0["joined"]?.array?.first }
    #expect(joined.map { $0["name"]?.string } == ["Kiosk"])
    #expect(joined.first?["online"] == .bool(false))
  }

  @Test func `a command is answered with its delta, which is broadcast`() throws {
    let fixture = try HubFixture(letters)
    fixture.join(1)
    let kiosk = try newPoster(fixture)
    fixture.forgetAll()

    let answer = try post(fixture, kiosk, picked(1, 2))?.get()

    #expect(answer?["type"]?.string == "delta")
    #expect(answer?["ref"] == .integer(1))
    #expect(answer?["by"]?.string == kiosk.id)
    let received = fixture.received(1).first { $0["type"]?.string == "delta" }
    #expect(received?["by"]?.string == kiosk.id)
    #expect(received?["ref"] == nil)
  }

  @Test func `a repeated command is executed once`() throws {
    let fixture = try HubFixture(letters)
    let kiosk = try newPoster(fixture)
    _ = try post(fixture, kiosk, picked(1, 2))

    let again = try post(fixture, kiosk, picked(1, 2))?.get()

    #expect(again?["type"]?.string == "reply")
    #expect(again?["revision"] == .integer(1))
    #expect(fixture.fold.revision == 1)
  }

  @Test func `a refusal has the current row and is counted`() throws {
    let fixture = try HubFixture(letters)
    let kiosk = try newPoster(fixture)

    let answer = try post(fixture, kiosk, picked(1, 7))?.get()

    #expect(answer?["type"]?.string == "refused")
    #expect(answer?["code"]?.string == "noSuchRow")
    #expect(answer?["changes"]?.array?.first?["key"]?.string == "a")
    #expect(fixture.hub.counters.commands.refusals == [.columns: [.noSuchRow: 1]])
  }

  @Test func `a wrong secret has no effect`() throws {
    let fixture = try HubFixture(letters)
    let kiosk = try newPoster(fixture)

    let answer = try post(fixture, Poster(id: kiosk.id, secret: "wrong"), picked(1, 2))

    #expect(answer == .failure(.wrongSecret))
    #expect(fixture.fold.revision == 0)
  }

  @Test func `an unknown member is refused`() throws {
    let fixture = try HubFixture(letters)

    let answer = try post(fixture, Poster(id: "m_nobody", secret: "s"), picked(1, 2))

    #expect(answer == .failure(.noSuchMember))
  }

  @Test func `a member leaves two minutes after its last command`() throws {
    let fixture = try HubFixture(letters)
    let kiosk = try newPoster(fixture)

    fixture.wait(100_000)
    _ = try post(fixture, kiosk, picked(1, 1))
    fixture.wait(100_000)
    #expect(try post(fixture, kiosk, picked(2, 2))?.get()["type"]?.string == "delta")
    fixture.wait(130_000)

    #expect(fixture.fold.members.isEmpty)

    // The member is still stored: its next command lets it rejoin with its refs.
    #expect(try post(fixture, kiosk, picked(1, 2))?.get()["type"] == .string("reply"))
    #expect(try post(fixture, kiosk, picked(3, 1))?.get()["type"] == .string("delta"))
    #expect(fixture.fold.members.count == 1)
    #expect(fixture.hub.contents(of: fixture.session)?.absent == 1)
  }

  @Test func `a command over the rate is refused and may be repeated later`() throws {
    var configuration = HubConfiguration()
    configuration.limits.messagesPerSecond = 2
    let fixture = try HubFixture(letters, configuration)
    let kiosk = try newPoster(fixture)

    let answers = try (1...3).map { try post(fixture, kiosk, picked($0, $0 % 3))?.get() }
    #expect(answers.map { $0?["type"]?.string } == ["delta", "delta", "refused"])
    #expect(answers[2]?["code"]?.string == "tooMany")
    fixture.wait(1_000)

    #expect(try post(fixture, kiosk, picked(3, 0))?.get()["type"]?.string == "delta")
  }

  @Test func `no member is created over the member limit`() throws {
    var configuration = HubConfiguration()
    configuration.limits.session.members = 1
    let fixture = try HubFixture(letters, configuration)
    fixture.join(1)

    #expect(try add(fixture) == .failure(.sessionFull))
  }

  @Test func `with tokens the token determines the role`() throws {
    let fixture = try HubFixture(letters, HubConfiguration(authentication: .token))

    #expect(try add(fixture) == .failure(.noToken))
    #expect(try add(fixture, token: "wrong") == .failure(.badToken))
  }

  @Test func `a command is answered when the log has stored it`() throws {
    let fixture = try HubFixture(letters)
    let kiosk = try newPoster(fixture)
    fixture.log.outcome = .pending
    var answers: [JSONTree] = []

    fixture.hub.post(
      try body(kiosk, picked(1, 2)), to: fixture.session, token: nil, locale: nil, at: fixture.now
    ) { result in answers += [result].compactMap { try? JSONTree.parse($0.get()) } }
    #expect(answers.isEmpty)
    fixture.store()

    #expect(answers.map { $0["type"]?.string } == ["delta"])
  }

  @Test func `a failing log responds with unavailable`() throws {
    let fixture = try HubFixture(letters)
    let kiosk = try newPoster(fixture)
    fixture.log.outcome = .failed

    let answer = try post(fixture, kiosk, picked(1, 2))

    #expect(answer == .failure(.unavailable))
  }

  @Test(arguments: [
    #","type":"months","from":"2026-11","count":1"#, #","type":"leave""#,
    #","type":"select","ref":1,"column":0,"row":1,"generation":1,"colour":"red""#,
    #","type":"tap","ref":"1","date":"2026-11-20""#,
  ])
  func `an invalid command is rejected`(command: String) throws {
    #expect(throws: BadMessage.self) {
      try body(Poster(id: "m", secret: "s"), command)
    }
  }
}
