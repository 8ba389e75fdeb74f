import CivilTime
import JSONText
import PickerModel
import Testing

import PickerHost
@testable import PickerHub
@testable import PickerSession
@testable import PickerWire

/// Joining, renewal and expiry with `--auth keys`.
@Suite struct MemberTokenTests {
  @Test func `a member has the role, name, subject and info of its token`() throws {
    let fixture = try HubFixture.keys()
    fixture.enter(1, #"role=viewer sub=17 name=Ada info=[1] meta=[2]"#, #","name":"Eve""#)

    let welcome = fixture.received(1)[0]
    #expect(welcome["member"]?["role"] == .string("viewer"))
    let member = welcome["members"]?.array?.first
    #expect(member?["name"] == .string("Ada") && member?["subject"] == .string("17"))
    #expect(member?["info"] == .array([.integer(1)]) && member?["meta"] == nil)
    guard case .entry(let entry)? = fixture.log.records.last, case .joined(let joining) = entry.body
    else { throw HubProblem.noSuchMember }
    #expect(joining.meta == "[2]")
  }

  /// Regression: the connection kept a role that another token of its user had given to the member.
  @Test(arguments: [false, true])
  func `a connection has the rights of its own token only`(isRenewed: Bool) throws {
    let fixture = try HubFixture.keys()
    fixture.enter(1, "role=viewer sub=17")
    let member = fixture.received(1)[0]["member"]
    let (id, secret) = (member?["id"]?.string ?? "", member?["secret"]?.string ?? "")
    let text =
      #"{"member":"\#(id)","secret":"\#(secret)","type":"select","ref":1,"#
      + #""column":0,"row":1,"generation":1}"#
    let request = try CommandRequest(Array(text.utf8))
    fixture.hub.post(
      request, to: fixture.session, token: try fixture.credential("role=owner sub=17"),
      locale: nil, at: fixture.now
    ) { _ in }
    #expect(fixture.fold.members.values.first?.role == .owner)
    fixture.forgetAll()

    if isRenewed { fixture.renew(1, fixture.token("role=viewer sub=17 seconds=7200")) }
    fixture.send(1, select(2, 0, 2))

    let codes = fixture.received(1).compactMap { $0["code"]?.string }
    #expect(codes == ["notAllowed"] && fixture.fold.revision == 1)
    #expect(fixture.fold.members.values.first?.role == .viewer)
  }

  @Test func `without a valid token a connection is closed and learns nothing`() throws {
    let fixture = try HubFixture.keys()
    fixture.join(1)
    fixture.join(2, #","token":"nonsense""#)
    fixture.join(3, #","token":"session=other role=owner""#)
    for raw in [4, 5, 6] as [UInt64] { fixture.open(raw, session: SessionID("nothing")) }
    fixture.send(4, #"{"type":"join"}"#)
    fixture.send(5, #"{"type":"join","token":"nonsense"}"#)
    fixture.send(6, #"{"type":"join","token":"session=nothing"}"#)
    fixture.open(7)
    fixture.open(8, session: SessionID("nothing"))
    for raw in [7, 8] as [UInt64] { fixture.send(raw, #"{"type":"leave"}"#) }
    fixture.open(9)
    fixture.open(10, session: SessionID("nothing"))
    fixture.wait(20_000)

    #expect(
      fixture.closes == [
        1: 4301, 2: 4301, 3: 4404, 4: 4301, 5: 4301, 6: 4404, 7: 4400, 8: 4400, 9: 4508, 10: 4508,
      ])
    for (one, other) in [(1, 4), (2, 5), (3, 6), (7, 8), (9, 10)] as [(UInt64, UInt64)] {
      #expect(fixture.received(one) == fixture.received(other), "\(one) and \(other) differ")
    }
  }

  @Test func `a session with keys admits nobody without keys, and the other way round`() throws {
    let open = try HubFixture(letters)
    open.session = try open.hub.adopt(open.fold.origin.definition, .keys)
    open.enter(1, "role=owner")
    #expect(open.closes == [1: 4301])
    #expect(open.read(nil) == .noToken && open.read(.token("x")) == .badToken)
    #expect(open.read(.key) == .badToken)

    for access in [.open, .tokens([:])] as [SessionOrigin.Access] {
      let keyed = try HubFixture.keys()
      #expect(keyed.fold.origin.access == .keys)
      keyed.session = try keyed.hub.adopt(keyed.fold.origin.definition, access)
      keyed.enter(2, "role=owner")
      #expect(keyed.closes == [2: 4404])
      #expect(keyed.read(try keyed.credential("role=owner")) == .noSuchSession)
      #expect(keyed.read(nil) == .noToken && keyed.read(.token("x")) == .badToken)
      #expect(keyed.read(.key) == nil)
    }
  }

  @Test func `members may read, and a key everything`() throws {
    let fixture = try HubFixture.keys()
    #expect(fixture.read(try fixture.credential("role=viewer")) == nil)
    #expect(fixture.read(.key) == nil)
    #expect(fixture.read(nil) == .noToken)
    var problem: HubProblem?
    let owner = try fixture.credential("role=owner")
    fixture.hub.begin { host throws(HubProblem) in
      try await host.delete(fixture.session, token: owner, at: fixture.now)
    } answer: {
      if case .failure(let found) = $0 { problem = found }
    }
    #expect(problem == .noSuchSession)
  }

  @Test func `a connection is closed 25 seconds after its token expires`() throws {
    let fixture = try HubFixture.keys()
    fixture.enter(1, "seconds=60")
    fixture.enter(2, "seconds=-20")
    fixture.enter(3, "seconds=-25")
    #expect(fixture.closes == [3: 4302])

    fixture.wait(5_000)
    #expect(fixture.closes == [2: 4302, 3: 4302])
    fixture.wait(79_999)
    #expect(fixture.closes[1] == nil)
    fixture.wait(1)
    #expect(fixture.closes[1] == 4302)
    #expect(fixture.received(1).last?["code"] == .string("tokenExpired"))
  }

  @Test func `a welcome contains the time until the token expires`() throws {
    let fixture = try HubFixture.keys()
    fixture.enter(1, "seconds=60")
    fixture.enter(2, "seconds=-20")

    let token = fixture.received(1)[0]["token"]
    #expect(token?["expires"] == .string("2026-11-20T12:01:00.000Z"))
    #expect(token?["expiresInSeconds"] == .integer(60))
    #expect(fixture.received(2)[0]["token"]?["expiresInSeconds"] == .integer(0))
    let open = try HubFixture(letters)
    open.join(1)
    #expect(open.received(1)[0]["token"] == nil)
  }

  @Test func `a token that expired before its connection closes with 4302`() throws {
    let fixture = try HubFixture.keys()
    fixture.enter(1, "seconds=-30")
    fixture.enter(2, "seconds=60")
    fixture.renew(2, fixture.token("seconds=-30"))

    #expect(fixture.closes == [1: 4302, 2: 4302])
  }

  @Test func `a renewed token is answered and counts from then on`() throws {
    let fixture = try HubFixture.keys()
    fixture.enter(1, "role=editor sub=17 seconds=60")
    fixture.enter(2, "role=viewer")
    fixture.wait(100)
    fixture.forgetAll()

    fixture.renew(1, fixture.token("role=viewer sub=17 seconds=600"))
    fixture.wait(100)

    let received = fixture.received(1)
    let answer = received.first { $0["type"] == .string("token") }
    #expect(answer?["expires"] == .string("2026-11-20T12:10:00.000Z"))
    #expect(answer?["expiresInSeconds"] == .integer(600))
    let changed = fixture.received(2).flatMap { $0["changed"]?.array ?? [] }
    #expect(changed.map { $0["role"] } == [.string("viewer")])
    fixture.send(1, select(1, 0, 1))
    #expect(fixture.received(1).last?["code"] == .string("notAllowed"))
    fixture.wait(100_000)
    #expect(fixture.closes == [:])
    fixture.wait(600_000)
    #expect(fixture.closes[1] == 4302)
  }

  @Test func `a token that ends earlier counts as well`() throws {
    let fixture = try HubFixture.keys()
    fixture.enter(1, "seconds=600")
    fixture.renew(1, fixture.token("seconds=10"))
    fixture.wait(35_000)

    #expect(fixture.closes == [1: 4302])
  }

  @Test func `renewals do not fill the queue of timers`() throws {
    let fixture = try HubFixture.keys()
    fixture.enter(1, "seconds=600")
    let count = fixture.hub.contents.timers
    for round in 0..<1000 {
      fixture.renew(1, fixture.token("seconds=\(round.isMultiple(of: 2) ? 601 : 3600)"))
      fixture.wait(100)
    }

    #expect(fixture.closes == [:])
    #expect(fixture.hub.contents.timers <= count)
  }

  @Test(arguments: [
    "nonsense", "session=other role=editor sub=17", "session=S role=editor sub=18",
    "session=S role=editor",
  ])
  func `a renewal of another session or subject closes with 4301`(text: String) throws {
    let fixture = try HubFixture.keys()
    fixture.enter(1, "role=editor sub=17")
    fixture.renew(1, text.replacing("S", with: fixture.session.text))

    #expect(fixture.closes == [1: 4301])
  }

  @Test func `without keys a renewal is ignored, and before the join it is not allowed`() throws {
    let open = try HubFixture(letters)
    open.join(1)
    open.forgetAll()
    open.renew(1, "any")
    #expect(open.closes == [:] && open.received(1) == [])

    let keyed = try HubFixture.keys()
    keyed.open(1)
    keyed.renew(1, keyed.token("role=editor"))
    #expect(keyed.closes == [1: 4400])
    keyed.enter(2, "role=editor")
    keyed.send(2, #"{"type":"token"}"#)
    #expect(keyed.closes == [1: 4400, 2: 4400])
  }

  @Test func `resuming needs the subject of the member`() throws {
    let fixture = try HubFixture.keys()
    fixture.enter(1, "sub=17")
    let welcome = fixture.received(1)[0]
    fixture.disconnect(1)
    fixture.enter(2, "sub=18", fixture.resume(welcome, revision: 0))
    fixture.enter(3, "role=viewer sub=17", fixture.resume(welcome, revision: 0))

    #expect(fixture.closes == [2: 4301])
    #expect(fixture.received(3)[0]["member"]?["id"] == welcome["member"]?["id"])
    #expect(fixture.received(3).isEmpty)
    #expect(fixture.fold.members.values.map(\.role) == [.viewer])
  }
}

/// `oneMember`: a subject is one member on all devices.
@Suite struct OneMemberTests {
  private func fixture() throws -> HubFixture { try HubFixture.keys(#","oneMember":true"#) }

  @Test func `a second device is the same member, and the first one is closed`() throws {
    let fixture = try fixture()
    fixture.enter(1, "sub=17")
    fixture.send(1, select(1, 0, 1))
    fixture.enter(2, "role=owner sub=17")
    fixture.enter(3, "sub=18")

    #expect(fixture.closes == [1: 4409])
    let welcome = fixture.received(2)[0]
    #expect(welcome["member"]?["id"] == fixture.received(1)[0]["member"]?["id"])
    #expect(welcome["ref"] == .integer(1) && welcome["member"]?["role"] == .string("owner"))
    #expect(fixture.fold.members.count == 2)
  }

  @Test func `each device resumes with the secret that it got`() throws {
    let fixture = try fixture()
    fixture.enter(1, "sub=17")
    let first = fixture.received(1)[0]
    fixture.enter(2, "sub=17")
    let second = fixture.received(2)[0]
    #expect(first["member"]?["secret"] != second["member"]?["secret"])
    fixture.disconnect(2)
    fixture.enter(3, "sub=17", fixture.resume(second, revision: 0))
    fixture.enter(4, "sub=17", fixture.resume(first, revision: 0))
    fixture.enter(5, "sub=18", fixture.resume(first, revision: 0, secret: "guess"))

    #expect(fixture.received(3)[0]["resumed"] == .bool(true))
    #expect(fixture.received(4)[0]["resumed"] == .bool(true))
    #expect(fixture.closes == [1: 4409, 3: 4409, 5: 4301])
    #expect(fixture.fold.members.count == 1)
  }

  @Test func `two devices that join while the store is slow are one member`() throws {
    let fixture = try fixture()
    fixture.log.outcome = .pending
    fixture.enter(1, "sub=17")
    fixture.enter(2, "role=viewer sub=17")
    fixture.store()

    #expect(fixture.closes == [1: 4409])
    #expect(fixture.fold.members.values.map(\.role) == [.viewer])
    #expect(fixture.received(2)[0]["type"] == .string("welcome"))
    #expect(fixture.hub.contents(of: fixture.session)?.connections == 1)
  }

  @Test func `a member that has left is the same when it joins again`() throws {
    let fixture = try fixture()
    fixture.enter(1, "sub=17")
    let id = fixture.received(1)[0]["member"]?["id"]
    fixture.send(1, #"{"type":"leave"}"#)
    fixture.enter(2, "sub=17")

    #expect(fixture.received(2)[0]["member"]?["id"] == id)
  }

  @Test(arguments: [AppendOutcome.stored, .pending])
  func `subjects that differ only in normalization are two members`(outcome: AppendOutcome) throws {
    let fixture = try fixture()
    fixture.log.outcome = outcome
    fixture.enter(1, "sub=\u{E9}")
    fixture.enter(2, "sub=e\u{301}")
    fixture.store()

    #expect(fixture.fold.members.count == 2 && fixture.closes == [:])
    fixture.renew(1, fixture.token("sub=e\u{301}"))
    #expect(fixture.closes == [1: 4301])
  }

  @Test func `without it, and without a subject, each device is a member`() throws {
    let fixture = try HubFixture.keys()
    fixture.enter(1, "sub=17")
    fixture.enter(2, "sub=17")
    #expect(fixture.fold.members.count == 2 && fixture.closes == [:])

    let one = try self.fixture()
    one.enter(1, "role=editor")
    one.enter(2, "role=editor")
    #expect(one.fold.members.count == 2 && one.closes == [:])
  }
}
