import Testing

import PickerHost
@testable import PickerHub
@testable import PickerModel
@testable import PickerSession
@testable import PickerWire

/// With `--auth keys` a stranger does not learn which sessions exist, not even from the time that
/// the server needs: it does the same for a session that exists and for one that does not.
@Suite struct SecrecyTests {
  private let foreign = #","token":"session=another role=owner""#

  /// A fixture whose session is in the log only.
  private func evicted() throws -> HubFixture {
    let configuration = HubConfiguration(authentication: .keys(TestVerifier()))
    let fixture = try HubFixture(letters, configuration, canLoad: true)
    fixture.wait(10_000)
    try #require(fixture.hub.session(fixture.session) == nil)
    return fixture
  }

  @Test func `a request with a token of another session is answered without a load`() throws {
    let fixture = try evicted()
    let token = Credential.member(try TestVerifier().verify("session=another role=owner"))
    var problems: [HubProblem?] = []

    for session in [fixture.session, SessionID("unknown")] {
      fixture.hub.begin { host throws(HubProblem) in
        try await host.admitViewer(to: session, token: token, ticket: nil, at: fixture.now)
      } answer: {
        if case .failure(let problem) = $0 { problems.append(problem) }
      }
    }

    #expect(problems == [.noSuchSession, .noSuchSession])
    #expect(fixture.log.loads.isEmpty && fixture.log.lookups.isEmpty)
  }

  @Test func `a join with a token of another session is answered without a load`() throws {
    let fixture = try evicted()

    fixture.open(1)
    fixture.open(2, session: SessionID("unknown"))
    for raw in [1, 2] as [UInt64] { fixture.send(raw, #"{"type":"join"\#(foreign)}"#) }

    #expect(fixture.closes == [1: 4404, 2: 4404])
    #expect(fixture.received(1) == fixture.received(2))
    #expect(fixture.log.loads.isEmpty && fixture.log.lookups.isEmpty)
  }

  @Test func `a join without a valid token is answered without a load`() throws {
    let fixture = try evicted()

    fixture.open(1)
    fixture.open(2, session: SessionID("unknown"))
    for raw in [1, 2] as [UInt64] { fixture.send(raw, #"{"type":"join","token":"forged"}"#) }

    #expect(fixture.closes == [1: 4301, 2: 4301])
    #expect(fixture.received(1) == fixture.received(2))
    #expect(fixture.log.loads.isEmpty && fixture.log.lookups.isEmpty)
  }
}
