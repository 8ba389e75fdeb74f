import CivilTime
import JSONText
import PickerModel
import Testing

import PickerHost
@testable import PickerHub
@testable import PickerSession
@testable import PickerWire

@Suite struct RevocationTests {
  @Test func `a revoked subject is closed with 4403 and can rejoin only with a later token`() throws
  {
    let fixture = try HubFixture.keys()
    fixture.enter(1, "sub=17 iat=-5")
    fixture.enter(2, "sub=18 iat=-5")
    let welcome = fixture.received(1)[0]

    #expect(try fixture.revoke(.subject("17"))?.get().target == .subject("17"))

    #expect(fixture.closes == [1: 4403])
    #expect(fixture.received(1).last?["code"] == .string("notAllowed"))
    fixture.enter(4, "sub=17 iat=-1")
    fixture.enter(5, "sub=17")
    fixture.enter(6, "sub=17 iat=-1", fixture.resume(welcome, revision: 0))
    #expect(fixture.closes == [1: 4403, 4: 4403, 5: 4403, 6: 4403])
    #expect(fixture.read(try fixture.credential("sub=17 iat=-1")) == .noSuchSession)
    #expect(fixture.read(try fixture.credential("sub=17 iat=0")) == nil)
    fixture.enter(7, "sub=17 iat=0", fixture.resume(welcome, revision: 0))
    #expect(fixture.closes[7] == nil)
  }

  @Test func `every connection of a revoked member is closed, whatever the iat of its token`()
    throws
  {
    let fixture = try HubFixture.keys()
    for (number, subject) in [(1, "17"), (2, "17"), (3, "18"), (4, "18"), (5, "19")] {
      fixture.enter(UInt64(number), "sub=\(subject) iat=\(number * 5)")
    }
    let member = MemberID(fixture.received(3)[0]["member"]?["id"]?.string ?? "")

    fixture.revoke(.subject("17"), before: -60)
    #expect(fixture.closes == [1: 4403, 2: 4403])
    fixture.revoke(.member(member), before: -60)
    #expect(fixture.closes.keys.sorted() == [1, 2, 3, 4])
    fixture.revoke(.everyone, before: -60)
    #expect(fixture.closes.keys.sorted() == [1, 2, 3, 4, 5])

    fixture.enter(6, "sub=17 iat=5")
    #expect(fixture.closes[6] == nil, "tokenIssuedBefore decides which token may come back")
  }

  @Test func `a token issued within the clock skew cannot come back under any member id`() throws {
    let fixture = try HubFixture.keys()
    fixture.enter(1, "sub=17 iat=29")
    let welcome = fixture.received(1)[0]
    let member = MemberID(welcome["member"]?["id"]?.string ?? "")

    fixture.revoke(.member(member), before: 30)

    fixture.enter(2, "sub=17 iat=29")
    fixture.enter(3, "sub=17 iat=29", fixture.resume(welcome, revision: 0))
    #expect(fixture.closes == [1: 4403, 2: 4403, 3: 4403])
    let token = try fixture.credential("sub=17 iat=29")
    #expect(fixture.read(token) == .noSuchSession)
    fixture.enter(4, "sub=17 iat=30", fixture.resume(welcome, revision: 0))
    #expect(fixture.closes[4] == nil)
    #expect(fixture.read(token) == .noSuchSession, "the old token stays revoked")
  }

  @Test func `a revoked member takes its subject along`() throws {
    let fixture = try HubFixture.keys()
    fixture.enter(1, "sub=17 iat=-5")
    fixture.enter(2, "iat=-5")
    let ids = [1, 2].map { MemberID(fixture.received($0)[0]["member"]?["id"]?.string ?? "") }

    for id in ids { fixture.revoke(.member(id)) }

    #expect(fixture.closes == [1: 4403, 2: 4403])
    fixture.enter(3, "sub=17 iat=-5")
    fixture.enter(4, "iat=-5")
    #expect(fixture.closes[3] == 4403 && fixture.closes[4] == nil)
    #expect(fixture.revoke(.member(MemberID("m_x"))) == .failure(.noSuchMember))
  }

  @Test func `a subject is revoked whose bytes are equal`() throws {
    let fixture = try HubFixture.keys()
    fixture.enter(1, "sub=\u{E9} iat=-5")
    fixture.enter(2, "sub=e\u{301} iat=-5")

    fixture.revoke(.subject("e\u{301}"))
    #expect(fixture.closes == [2: 4403])
    fixture.revoke(.subject("\u{E9}"))
    #expect(fixture.closes == [1: 4403, 2: 4403])
  }

  @Test func `all tokens issued before an instant are revoked`() throws {
    let fixture = try HubFixture.keys()
    fixture.revoke(.everyone)
    fixture.enter(1, "iat=-5")
    fixture.enter(2, "iat=5")
    fixture.enter(3, "")

    #expect(fixture.closes == [1: 4403, 3: 4403])
  }

  @Test func `a renewal with a revoked token closes with 4403`() throws {
    let fixture = try HubFixture.keys()
    fixture.revoke(.subject("17"))
    fixture.enter(1, "sub=17 iat=5")
    fixture.renew(1, fixture.token("sub=17 iat=-5"))

    #expect(fixture.closes == [1: 4403])
  }

  @Test func `a join before a revocation that is pending is closed when both are stored`() throws {
    let fixture = try HubFixture.keys()
    fixture.log.outcome = .pending
    fixture.revoke(.subject("17"))
    fixture.enter(1, "sub=17 iat=-5")
    var problem: HubProblem?
    let token = try fixture.credential("sub=17 iat=-5")
    fixture.hub.begin { host throws(HubProblem) in
      try await host.admitViewer(to: fixture.session, token: token, at: fixture.now)
    } answer: {
      if case .failure(let found) = $0 { problem = found }
    }
    fixture.store()

    #expect(fixture.closes == [1: 4403])
    #expect(problem == .noSuchSession)
  }

  @Test func `event streams end, and tickets from before are refused`() throws {
    let fixture = try HubFixture.keys()
    var request = WatchRequest()
    request.token = try fixture.credential("sub=17 iat=-5")
    var ticketed = WatchRequest()
    ticketed.ticket = try fixture.ticket()
    for (raw, request) in [(1, request), (2, ticketed)] as [(UInt64, WatchRequest)] {
      fixture.hub.watch(fixture.session, request, at: fixture.now) { _ in ConnectionID(raw: raw) }
    }
    #expect(fixture.types(1) == ["welcome"] && fixture.types(2) == ["welcome"])

    fixture.revoke(.subject("17"))

    #expect(fixture.closes == [1: 4403, 2: 4403])
    #expect(fixture.read(nil, ticket: ticketed.ticket) == .badToken)
    #expect(fixture.read(nil, ticket: try fixture.ticket()) == nil)
  }

  @Test func `a revocation ends all earlier tickets, whatever the clocks of the nodes`() throws {
    let fixture = try HubFixture.keys()
    fixture.revoke(.subject("17"), before: 20)
    let early = try fixture.ticket()
    #expect(fixture.read(nil, ticket: early) == nil)

    fixture.revoke(.subject("17"), before: 10)

    #expect(fixture.read(nil, ticket: early) == .badToken)
    #expect(fixture.read(nil, ticket: try fixture.ticket()) == nil)
  }

  @Test func `a host's own event stream stays open`() throws {
    let fixture = try HubFixture.keys()
    var request = WatchRequest()
    request.token = .key
    fixture.hub.watch(fixture.session, request, at: fixture.now) { _ in ConnectionID(raw: 1) }
    fixture.revoke(.everyone)

    #expect(fixture.closes.isEmpty)
  }

  @Test func `only a key may revoke, also while the log is full`() throws {
    let fixture = try HubFixture.keys()
    let owner = try fixture.credential("role=owner")
    #expect(fixture.revoke(.everyone, token: owner) == .failure(.noSuchSession))
    fixture.log.outcome = .full
    fixture.enter(1, "iat=-5")
    #expect(try fixture.revoke(.everyone)?.get().target == .everyone)
  }

  @Test func `more than 256 targets revoke everyone whose tokens are as old`() throws {
    var revocations = Revocations()
    for number in 0...256 {
      let instant = noon.adding(milliseconds: Int64(number) * 1000)
      revocations.add(Revocation(.subject("\(number)"), issuedBefore: instant, madeAt: instant))
    }

    #expect(revocations.targeted.count == 256 && revocations.everyoneBefore == noon)
    func isRevoked(_ subject: String, _ seconds: Int64) -> Bool {
      revocations.revokes(
        tokenIssuedAt: noon.adding(milliseconds: seconds * 1000), subject: subject, member: nil)
    }
    #expect(isRevoked("0", -1) && !isRevoked("0", 0))
    #expect(isRevoked("stranger", -1) && !isRevoked("stranger", 0))
    #expect(isRevoked("256", 255) && !isRevoked("256", 256))
  }

  @Test func `an earlier revocation does not replace a later one`() throws {
    var revocations = Revocations()
    for seconds in [10, 5] as [Int64] {
      let instant = noon.adding(milliseconds: seconds * 1000)
      revocations.add(Revocation(.subject("a"), issuedBefore: instant, madeAt: instant))
    }
    #expect(
      revocations.revokes(
        tokenIssuedAt: noon.adding(milliseconds: 7000), subject: "a", member: nil))
    #expect(revocations.targeted.count == 1)
  }
}
