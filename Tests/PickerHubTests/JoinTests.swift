import PickerModel
import Testing

@testable import PickerHub
@testable import PickerSession

@Suite struct JoinTests {
  @Test func `a resumed member receives missed deltas, its own with their refs`() throws {
    let fixture = try HubFixture(letters)
    fixture.join(1)
    fixture.join(2)
    let welcome = fixture.received(1)[0]
    fixture.send(1, select(1, 0, 1))
    fixture.send(2, select(1, 0, 2))
    fixture.disconnect(1)

    fixture.join(3, fixture.resume(welcome, revision: 0))

    let received = fixture.received(3)
    #expect(received.prefix(3).map { $0["type"]?.string } == ["welcome", "delta", "delta"])
    #expect(received[0]["resumed"] == .bool(true))
    #expect(received[0]["revision"] == .integer(0))
    #expect(received.prefix(3).map { $0["ref"]?.integer } == [1, 1, nil])
    #expect(
      received[1...2].map { $0["changes"]?.array?.last?["result"]?["keys"] }
        == [.array([.string("b"), .string("x")]), .array([.string("c"), .string("x")])])
  }

  @Test func `resuming from a future revision returns a snapshot for the same member`() throws {
    let fixture = try HubFixture(letters)
    fixture.join(1)
    let welcome = fixture.received(1)[0]
    fixture.disconnect(1)

    fixture.join(2, fixture.resume(welcome, revision: 1))

    let answer = fixture.received(2)[0]
    #expect(answer["resumed"] == .bool(false))
    #expect(answer["snapshot"] != nil)
    #expect(answer["member"]?["id"] == welcome["member"]?["id"])
  }

  @Test func `resuming from before the history returns a snapshot`() throws {
    var configuration = HubConfiguration()
    configuration.limits.session.history = 2
    let fixture = try HubFixture(letters, configuration)
    fixture.join(1)
    let welcome = fixture.received(1)[0]
    for ref in 1...3 { fixture.send(1, select(ref, 0, ref % 3)) }
    fixture.disconnect(1)

    fixture.join(2, fixture.resume(welcome, revision: 1))
    #expect(fixture.received(2)[0]["resumed"] == .bool(true))
    fixture.join(3, fixture.resume(welcome, revision: 0))
    #expect(fixture.received(3)[0]["resumed"] == .bool(false))
  }

  @Test func `resuming with a wrong secret closes with 4301`() throws {
    let fixture = try HubFixture(letters)
    fixture.join(1)
    let welcome = fixture.received(1)[0]

    fixture.join(2, fixture.resume(welcome, revision: 0, secret: "wrong"))

    #expect(fixture.port.closes == [2: 4301])
  }

  @Test func `a second connection of a member closes the first with 4409`() throws {
    let fixture = try HubFixture(letters)
    fixture.join(1)
    let welcome = fixture.received(1)[0]

    fixture.join(2, fixture.resume(welcome, revision: 0))
    fixture.disconnect(1)

    #expect(fixture.port.closes == [1: 4409])
    #expect(fixture.hub.session(fixture.session)?.listeners.map(\.connection.raw) == [2])
    #expect(fixture.fold.members.count == 1)
  }

  @Test func `a member closed for a protocol error can resume`() throws {
    let fixture = try HubFixture(letters)
    fixture.join(1)
    let welcome = fixture.received(1)[0]
    fixture.send(1, "{")
    #expect(fixture.port.closes == [1: 4400])
    fixture.disconnect(1)

    fixture.join(2, fixture.resume(welcome, revision: 0))

    #expect(fixture.types(2) == ["welcome"])
    #expect(fixture.hub.contents(of: fixture.session) == contents(listeners: 1))
  }

  @Test func `a member leaves 120 s after its connection has closed`() throws {
    let fixture = try HubFixture(letters)
    fixture.join(1)
    fixture.join(2)
    fixture.disconnect(1)

    fixture.wait(119_999)
    #expect(fixture.fold.members.count == 2)
    fixture.wait(1)

    #expect(fixture.fold.membersInOrder.map(\.role) == [.owner])
  }

  @Test func `a member that has left resumes as the same member and is broadcast as joined`() throws
  {
    let fixture = try HubFixture(letters)
    fixture.join(1, #","name":"Ana""#)
    fixture.join(2)
    let welcome = fixture.received(1)[0]
    fixture.send(1, select(5, 0, 1))
    fixture.disconnect(1)
    fixture.wait(120_100)
    #expect(fixture.received(2).last?["left"] == .array([welcome["member"]!["id"]!]))

    fixture.join(3, fixture.resume(welcome, revision: 1))
    fixture.wait(100)

    let again = fixture.received(3)[0]
    #expect(again["member"]?["id"] == welcome["member"]?["id"])
    #expect(again["member"]?["name"] == .string("Ana"))
    #expect(again["member"]?["role"] == .string("owner"))
    #expect(again["ref"] == .integer(5))
    #expect(again["resumed"] == .bool(true))
    let joined = fixture.received(2).flatMap { $0["joined"]?.array ?? [] }
    #expect(joined.map { $0["id"] } == [welcome["member"]?["id"]])
    #expect(joined.first?["role"] == .string("owner"))
    #expect(fixture.hub.contents(of: fixture.session) == contents(listeners: 2))
  }

  /// Regression: they were not answered, although they were done.
  @Test func `commands before a leave are answered, and messages after it are ignored`() throws {
    let fixture = try HubFixture(letters)
    for raw in [1, 2] as [UInt64] { fixture.join(raw) }
    fixture.log.outcome = .pending
    fixture.forgetAll()

    fixture.send(1, select(1, 0, 1))
    fixture.send(1, #"{"type":"leave"}"#)
    fixture.send(1, select(2, 0, 2))
    fixture.send(1, "not JSON")
    #expect(fixture.closes.isEmpty)
    fixture.hub.committed(1, of: fixture.session, at: fixture.now)

    let answers = fixture.received(1).filter { $0["type"]?.string == "delta" }
    #expect(answers.map { $0["command"]?["ref"]?.integer ?? $0["ref"]?.integer } == [1])
    #expect(fixture.closes == [1: 1000])
    fixture.store()
    #expect(fixture.fold.members.count == 1 && fixture.fold.revision == 1)
  }

  @Test func `a member leaves although its client closes before the commands are stored`() throws {
    for isBack in [false, true] {
      let fixture = try HubFixture(letters)
      for raw in [1, 2] as [UInt64] { fixture.join(raw) }
      let welcome = fixture.received(1)[0]
      fixture.log.outcome = .pending

      fixture.send(1, select(1, 0, 1))
      fixture.send(1, #"{"type":"leave"}"#)
      fixture.disconnect(1)
      if isBack { fixture.join(3, fixture.resume(welcome, revision: 0)) }
      for _ in 0..<3 { fixture.store() }

      #expect(fixture.fold.revision == 1)
      #expect(fixture.fold.members.count == (isBack ? 2 : 1))
    }
  }

  @Test func `a member that sent leave can resume, but only with its secret`() throws {
    let fixture = try HubFixture(letters)
    fixture.join(1)
    let welcome = fixture.received(1)[0]
    fixture.send(1, #"{"type":"leave"}"#)
    fixture.disconnect(1)

    fixture.join(2, fixture.resume(welcome, revision: 0, secret: "wrong"))
    fixture.join(3, fixture.resume(welcome, revision: 0))

    #expect(fixture.port.closes == [1: 1000, 2: 4301])
    #expect(fixture.received(3)[0]["member"]?["id"] == welcome["member"]?["id"])
  }

  @Test func `a returning member counts towards the member limit`() throws {
    var configuration = HubConfiguration()
    configuration.limits.session.members = 1
    let fixture = try HubFixture(letters, configuration)
    fixture.join(1)
    let welcome = fixture.received(1)[0]
    fixture.send(1, #"{"type":"leave"}"#)
    fixture.disconnect(1)
    fixture.join(2)

    fixture.join(3, fixture.resume(welcome, revision: 0))

    #expect(fixture.port.closes == [1: 1000, 3: 4503])
  }

  @Test func `a member that returns twice while its join is pending is one member`() throws {
    let fixture = try HubFixture(letters)
    fixture.join(1)
    let welcome = fixture.received(1)[0]
    fixture.send(1, #"{"type":"leave"}"#)
    fixture.disconnect(1)
    fixture.log.outcome = .pending

    fixture.join(2, fixture.resume(welcome, revision: 0))
    fixture.join(3, fixture.resume(welcome, revision: 0))
    fixture.store()
    fixture.disconnect(2)

    #expect(fixture.port.closes == [1: 1000, 2: 4409])
    #expect(fixture.types(3).first == "welcome")
    #expect(fixture.hub.contents(of: fixture.session) == contents(listeners: 1))
  }

  @Test func `no join within 10 s closes with 4508`() throws {
    let fixture = try HubFixture(letters)
    fixture.open(1)

    fixture.wait(9_999)
    #expect(fixture.port.closes.isEmpty)
    fixture.wait(1)

    #expect(fixture.port.closes == [1: 4508])
  }

  @Test func `a join over the member limit, which counts offline members, closes with 4503`() throws
  {
    var configuration = HubConfiguration()
    configuration.limits.session.members = 2
    let fixture = try HubFixture(letters, configuration)
    fixture.join(1)
    fixture.join(2)
    fixture.disconnect(2)
    #expect(fixture.port.closes.isEmpty)

    fixture.join(3)

    #expect(fixture.port.closes == [3: 4503])
  }

  @Test func `a missing and a second join close with 4400, an unknown session with 4404`() throws {
    let fixture = try HubFixture(letters)
    fixture.open(1)
    fixture.send(1, #"{"type":"wish"}"#)
    fixture.join(2)
    fixture.send(2, #"{"type":"join"}"#)
    fixture.open(3, session: SessionID("nobody"))

    #expect(fixture.port.closes == [1: 4400, 2: 4400, 3: 4404])
  }

  @Test func `invalid input of a member does not affect the others`() throws {
    let fixture = try HubFixture(letters)
    fixture.join(1)
    fixture.join(2)
    fixture.wait(100)
    fixture.forgetAll()

    fixture.send(1, String(repeating: "[", count: 60_000))

    #expect(fixture.types(2) == ["presence"])
    #expect(fixture.port.closes == [1: 4400])
  }

  @Test func `leave closes with 1000 and is broadcast`() throws {
    let fixture = try HubFixture(letters)
    fixture.join(1)
    fixture.join(2)
    let id = fixture.received(2)[0]["member"]!["id"]!
    fixture.wait(100)
    fixture.forgetAll()

    fixture.send(2, #"{"type":"leave"}"#)
    fixture.disconnect(2)
    fixture.wait(100)

    #expect(fixture.port.closes == [2: 1000])
    #expect(fixture.received(1).map { $0["left"] } == [.array([id])])
    #expect(fixture.hub.contents(of: fixture.session) == contents(listeners: 1))
  }

  @Test func `presence about a member itself only has changes of its role`() throws {
    let fixture = try HubFixture(letters)
    fixture.join(1)
    fixture.join(2)
    let bo = fixture.received(2)[0]["member"]!["id"]!
    fixture.join(3)
    fixture.wait(100)
    fixture.forgetAll()

    fixture.send(1, #"{"type":"leave"}"#)
    fixture.disconnect(1)
    fixture.wait(100)

    let received = fixture.received(2)
    #expect(received.map { $0["type"] } == [.string("presence")])
    #expect(received.first?["changed"]?.array?.map { $0["id"] } == [bo])
    #expect(received.first?["changed"]?.array?.first?["role"] == .string("owner"))
    #expect(fixture.received(3) == received)
  }

  @Test func `a member that resumes with another role gets it only in its welcome`() throws {
    var configuration = HubConfiguration()
    configuration.authentication = .token
    let fixture = try HubFixture(letters, configuration)
    let token = fixture.tokens
    fixture.join(1, #","token":"\#(token["owner"]!)""#)
    fixture.join(2, #","token":"\#(token["editor"]!)""#)
    let welcome = fixture.received(1)[0]
    fixture.disconnect(1)
    fixture.wait(100)
    fixture.forgetAll()

    fixture.join(3, #","token":"\#(token["viewer"]!)""# + fixture.resume(welcome, revision: 0))
    fixture.wait(100)

    let received = fixture.received(3)
    #expect(received.map { $0["type"] } == [.string("welcome")])
    #expect(received[0]["member"]?["role"] == .string("viewer"))
    let changed = fixture.received(2).flatMap { $0["changed"]?.array ?? [] }
    #expect(changed.last?["role"] == .string("viewer"))
  }

  @Test func `names are truncated to 64 characters, and empty names become guest`() throws {
    let fixture = try HubFixture(letters)
    fixture.join(1, #","name":"\#(String(repeating: "é", count: 70))""#)
    fixture.join(2, #","name":"  ""#)

    #expect(fixture.fold.membersInOrder.map(\.name.count) == [64, 5])
    #expect(fixture.fold.membersInOrder[1].name == "guest")
  }

  @Test func `a long name is truncated between characters`() throws {
    let fixture = try HubFixture(letters)
    let family = "👨‍👩‍👧"
    fixture.join(1, #","name":"\#(String(repeating: family, count: 64))""#)

    #expect(fixture.fold.membersInOrder[0].name == String(repeating: family, count: 12))
  }

  @Test func `draining is sent to all connections, even to write-blocked ones`() throws {
    let fixture = try HubFixture(letters)
    fixture.join(1)
    fixture.port.full = [2]
    fixture.join(2)
    fixture.forgetAll()

    fixture.hub.drain(at: fixture.now)

    #expect(fixture.types(1).last == "draining")
    #expect(fixture.types(2).last == "draining")
    #expect(fixture.port.closes == [1: 1001, 2: 1001])
  }

  @Test func `a patient drain leaves a write-blocked connection open until it has read`() throws {
    let fixture = try HubFixture(letters)
    fixture.join(1)
    fixture.port.full = [2]
    fixture.join(2)

    #expect(!fixture.hub.drain(isPatient: true, at: fixture.now))
    #expect(fixture.port.closes == [1: 1001])
    fixture.port.full = []
    fixture.becomeWritable(2)

    #expect(fixture.hub.drain(isPatient: true, at: fixture.now))
    #expect(fixture.port.closes == [1: 1001, 2: 1001])
    #expect(fixture.types(2) == ["welcome", "draining"])
  }
}
