import JSONText
import Testing

@testable import PickerClient

/// Tokens that expire, for apps with and without a token provider.
@Suite struct TokenRenewalTests {
  /// A client with a token provider, connected with a token that expires in `seconds`.
  private static func renewing(expiresInSeconds seconds: Int) -> ClientFixture {
    var ana = ClientFixture(ClientProfile(token: "first"), renewsTokens: true)
    ana.open()
    ana.receive(welcome(expiresInSeconds: seconds))
    ana.effects = []
    return ana
  }

  private static func answer(expiresInSeconds seconds: Int) -> String {
    #"{"type":"token","expires":"2026-11-20T13:00:00.000Z","expiresInSeconds":\#(seconds)}"#
  }

  @Test(arguments: [(3_600, 3_540_000), (100, 50_000), (12, 6_000), (3, 5_000), (0, 5_000)])
  func `a token is requested before it expires`(seconds: Int, milliseconds: Int64) {
    var ana = Self.renewing(expiresInSeconds: seconds)

    ana.wait(milliseconds - 1)
    #expect(!ana.takeEffects().contains(.requestToken))
    ana.wait(1)

    #expect(ana.takeEffects().filter { $0 == .requestToken }.count == 1)
  }

  @Test func `a provided token is sent, and the next one is requested before it expires`() {
    var ana = Self.renewing(expiresInSeconds: 120)
    ana.wait(60_000)
    #expect(ana.takeEffects() == [.requestToken])

    ana.give(.tokenProvided("second"))
    #expect(ana.sent().map(\.text) == [#"{"type":"token","token":"second"}"#])
    ana.receive(Self.answer(expiresInSeconds: 600))

    #expect(ana.state.connection == .live)
    #expect(ana.state.tokenExpires == "2026-11-20T13:00:00.000Z")
    ana.wait(540_000)
    #expect(ana.takeEffects().contains(.requestToken))
  }

  @Test func `a request without an answer is repeated after ten seconds, one at a time`() {
    var ana = Self.renewing(expiresInSeconds: 120)
    ana.wait(60_000)
    ana.effects = []

    ana.wait(30_000)
    #expect(!ana.takeEffects().contains(.requestToken), "the first one is not answered yet")
    ana.give(.tokenUnavailable(isFinal: false))
    ana.wait(9_999)
    #expect(!ana.takeEffects().contains(.requestToken))
    ana.wait(1)

    #expect(ana.takeEffects().contains(.requestToken))
  }

  @Test func `after 4302 the client resumes with a new token`() {
    var ana = Self.renewing(expiresInSeconds: 3_600)
    ana.receive(delta(1, moved(0, 1, "b")))

    ana.give(.closed(code: 4302))
    ana.wait(0)
    #expect(ana.state.connection == .connecting)
    #expect(ana.takeEffects().filter { $0 == .requestToken || $0 == .connect } == [.requestToken])
    ana.give(.tokenProvided("second"))
    #expect(ana.takeEffects().contains(.connect))
    ana.give(.opened)

    let join = ana.sent().last
    #expect(join?["token"]?.string == "second")
    #expect(join?["resume"]?["member"]?.string == "m_ana")
    #expect(join?["resume"]?["revision"]?.integer == 1)
  }

  @Test func `a token that the server rejects at once is not requested again`() {
    var ana = Self.renewing(expiresInSeconds: 3_600)
    ana.give(.closed(code: 4302))
    ana.wait(0)
    ana.give(.tokenProvided("second"))
    ana.give(.opened)
    ana.effects = []

    ana.give(.closed(code: 4302))

    #expect(ana.state.connection == .needsCredentials(code: 4302))
    #expect(ana.machine.nextTick == nil)
    ana.give(.retry)
    #expect(ana.takeEffects().contains(.requestToken))
  }

  @Test func `a rejected token keeps the identity until a new token is rejected too`() {
    var ana = Self.renewing(expiresInSeconds: 3_600)
    ana.readd()
    ana.give(.closed(code: 4301))
    ana.wait(2_000)
    ana.give(.tokenProvided("second"))
    ana.give(.opened)
    #expect(ana.sent().last?["resume"]?["member"]?.string == "m_ana")

    ana.give(.closed(code: 4301))
    ana.give(.opened)

    let join = ana.sent().last
    #expect(join?["resume"] == nil && join?["token"]?.string == "second")
  }

  @Test func `a connection without a token requests one before it connects`() {
    var ana = ClientFixture(renewsTokens: true)

    ana.give(.start)
    #expect(ana.takeEffects() == [.requestToken, .changed])
    ana.give(.tokenProvided("first"))
    ana.give(.opened)

    #expect(ana.sent().last?["token"]?.string == "first")
  }

  @Test func `without a provided token the client backs off, and ends if that is final`() {
    var ana = ClientFixture(renewsTokens: true)
    ana.give(.start)
    ana.give(.tokenUnavailable(isFinal: false))
    #expect(ana.state.connection == .waiting)
    ana.effects = []
    ana.wait(500)
    #expect(ana.takeEffects().contains(.requestToken))

    ana.give(.tokenUnavailable(isFinal: true))

    #expect(ana.state.connection == .needsCredentials(code: 4301))
    #expect(ana.machine.nextTick == nil)
  }

  @Test func `a final answer while connected leaves the connection open until 4302`() {
    var ana = Self.renewing(expiresInSeconds: 120)
    ana.wait(60_000)
    ana.give(.tokenUnavailable(isFinal: true))
    #expect(ana.state.connection == .live)

    ana.give(.closed(code: 4302))
    ana.wait(0)
    ana.give(.tokenUnavailable(isFinal: true))

    #expect(ana.state.connection == .needsCredentials(code: 4302))
  }

  @Test func `a token that arrives while joining is sent after the welcome`() {
    var ana = Self.renewing(expiresInSeconds: 120)
    ana.wait(60_000)
    ana.readd()
    ana.give(.tokenProvided("second"))
    ana.effects = []

    ana.receive(welcome(nil, expiresInSeconds: 30))

    #expect(ana.sent().map(\.text) == [#"{"type":"token","token":"second"}"#])
  }

  @Test func `a provided token after the end of the connection does not reconnect`() {
    var ana = Self.renewing(expiresInSeconds: 120)
    ana.wait(60_000)
    ana.give(.stop)
    ana.effects = []

    ana.give(.tokenProvided("second"))

    #expect(ana.takeEffects() == [])
    #expect(ana.state.connection == .idle)
  }

  @Test func `a token that the app sets renews that of the open connection`() {
    var ana = ClientFixture(ClientProfile(token: "first"))
    ana.open()
    ana.receive(welcome(expiresInSeconds: 120))
    ana.effects = []
    #expect(ana.state.tokenExpires == "2026-11-20T12:00:00.000Z")

    ana.give(.token("second"))

    #expect(ana.sent().map(\.text) == [#"{"type":"token","token":"second"}"#])
    ana.wait(120_000)
    #expect(!ana.takeEffects().contains(.requestToken), "there is no provider")
    ana.readd()
    #expect(ana.sent().last?["token"]?.string == "second")
  }

  @Test func `a token that the app sets ends the wait for the provider`() {
    var ana = ClientFixture(renewsTokens: true)
    ana.give(.start)
    ana.effects = []

    ana.give(.token("mine"))
    #expect(ana.takeEffects() == [.connect])
    ana.give(.tokenProvided("late"))
    ana.give(.opened)

    #expect(ana.sent().last?["token"]?.string == "mine")
  }
}

extension JSONTree {
  fileprivate var text: String { String(decoding: serialized(), as: UTF8.self) }
}
