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

  /// A client that joins with the token of the app's provider, which has not answered yet.
  private static func starting() -> ClientFixture {
    var ana = ClientFixture(renewsTokens: true)
    ana.give(.start)
    return ana
  }

  @Test(arguments: [4301, 4302, 4403])
  func `rejected tokens are replaced with back-off until one is accepted`(code: Int) {
    var ana = Self.starting()
    var pauses: [Int64] = []
    for number in 0..<7 {
      #expect(ana.takeEffects().filter { $0 == .requestToken }.count == 1)
      #expect(ana.state.isWaitingForToken)
      ana.give(.tokenProvided("\(number)"))
      #expect(!ana.state.isWaitingForToken)
      ana.give(.opened)
      #expect(ana.sent().last?["token"]?.string == "\(number)")
      ana.give(.closed(code: code))
      #expect(ana.state.connection == .waiting && ana.state.isWaitingForToken)
      pauses.append(ana.machine.nextTick! - ana.now)
      ana.effects = []
      ana.wait(pauses.last!)
    }
    ana.give(.tokenProvided("good"))
    ana.give(.opened)
    ana.receive(welcome(expiresInSeconds: 3_600))

    #expect(pauses == [0, 1_000, 2_000, 4_000, 8_000, 15_000, 15_000], "with a jitter of one half")
    #expect(ana.state.connection == .live && !ana.state.isWaitingForToken)
  }

  @Test func `a provider without a token ends the connection with the code of the last one`() {
    for (code, end) in [
      (4301, PickerPhase.needsCredentials(code: 4301)), (4302, .needsCredentials(code: 4302)),
      (4403, .away(code: 4403)),
    ] {
      var ana = Self.renewing(expiresInSeconds: 3_600)
      ana.give(.command(.tap(PickerDay("2026-11-20")!)))
      ana.give(.closed(code: code))
      ana.wait(0)
      ana.give(.tokenUnavailable(isFinal: false))
      #expect(ana.state.connection == .waiting)
      ana.effects = []
      ana.wait(1_000)
      #expect(ana.takeEffects().contains(.requestToken))

      ana.give(.tokenUnavailable(isFinal: true))

      #expect(ana.state.connection == end && !ana.state.isWaitingForToken)
      #expect(ana.machine.nextTick == nil)
      #expect(ana.settled().isEmpty == (code != 4403), "away is final: no command waits for it")
    }
  }

  @Test func `after a revocation the member resumes with a later token`() {
    var ana = Self.renewing(expiresInSeconds: 3_600)

    ana.give(.closed(code: 4403))
    ana.wait(0)
    #expect(ana.takeEffects().contains(.requestToken))
    ana.give(.tokenProvided("second"))
    ana.give(.opened)

    let join = ana.sent().last
    #expect(join?["token"]?.string == "second")
    #expect(join?["resume"]?["member"]?.string == "m_ana")
  }

  @Test func `the user's retry asks a provider again that had no token`() {
    var ana = Self.starting()
    ana.give(.tokenUnavailable(isFinal: true))
    ana.effects = []

    ana.give(.retry)

    #expect(ana.takeEffects().contains(.requestToken))
  }

  @Test func `joining as a new member keeps the identity until a welcome`() {
    var ana = Self.renewing(expiresInSeconds: 3_600)
    ana.give(.closed(code: 4301))
    ana.wait(0)
    for _ in 0..<2 {
      ana.give(.tokenProvided("unknown key"))
      ana.give(.opened)
      #expect(ana.sent().last?["resume"]?["member"]?.string == "m_ana")
      ana.give(.closed(code: 4301))
      ana.give(.opened)
      #expect(ana.sent().last?["resume"] == nil, "the secret may be wrong")
      ana.give(.closed(code: 4301))
      ana.wait(30_000)
    }
    ana.give(.tokenProvided("known key"))
    ana.give(.opened)

    #expect(ana.sent().last?["resume"]?["member"]?.string == "m_ana")
  }

  @Test func `a second request waits for the answer to the first`() {
    var ana = Self.starting()
    ana.give(.token("mine"))
    ana.give(.opened)
    ana.effects = []

    ana.give(.closed(code: 4302))
    ana.wait(0)
    #expect(!ana.takeEffects().contains(.requestToken), "the first one has no answer yet")
    ana.give(.tokenProvided("second"))
    ana.give(.opened)

    #expect(ana.sent().last?["token"]?.string == "second")
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

  @Test(arguments: [4302, 4403])
  func `the first 4301 after another rejection keeps the identity`(code: Int) {
    var ana = Self.renewing(expiresInSeconds: 3_600)
    ana.give(.closed(code: code))
    ana.wait(0)
    ana.give(.tokenProvided("second"))
    ana.give(.opened)
    #expect(ana.state.tokenCloseCode == code)

    ana.give(.closed(code: 4301))
    #expect(ana.state.connection == .waiting, "the provider is asked first")
    #expect(ana.state.tokenCloseCode == 4301)
    ana.wait(2_000)
    ana.give(.tokenProvided("third"))
    ana.give(.opened)
    #expect(ana.sent().last?["resume"]?["member"]?.string == "m_ana")
    ana.receive(welcome(expiresInSeconds: 3_600))

    #expect(ana.state.tokenCloseCode == nil)
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
    #expect(ana.takeEffects() == [.connect, .changed])
    ana.give(.tokenProvided("late"))
    ana.give(.opened)

    #expect(ana.sent().last?["token"]?.string == "mine")
  }
}

extension JSONTree {
  fileprivate var text: String { String(decoding: serialized(), as: UTF8.self) }
}
