import JSONText
import Testing

@testable import PickerClient

/// The reaction of a client to each range of close codes.
@Suite struct ClosingTests {
  @Test(arguments: [1002, 1003, 1007, 1009, 4400, 4403, 4404, 4409, 4410, 4499])
  func `the client does not reconnect`(code: Int) {
    var ana = ClientFixture()
    ana.join()

    ana.give(.closed(code: code))

    #expect(ana.state.connection == .away(code: code))
    #expect(ana.machine.nextTick == nil)
  }

  @Test(arguments: [1000, 1005, 1006, 1011, 4500, 4503, 4508, 4529, 4599])
  func `the client reconnects with back-off`(code: Int) {
    var ana = ClientFixture()
    ana.join()

    ana.give(.closed(code: code))

    #expect(ana.state.connection == .waiting)
    #expect(ana.machine.nextTick == 500, "one second with a jitter of one half")
  }

  @Test(arguments: [4302, 4303, 4399])
  func `the client requests a new token and joins with it`(code: Int) {
    var ana = ClientFixture(ClientProfile(token: "old"))
    ana.join()

    ana.give(.closed(code: code))
    #expect(ana.state.connection == .needsCredentials(code: code))
    ana.give(.token("new"))
    ana.give(.opened)

    #expect(ana.sent().last?["token"]?.string == "new")
  }

  @Test func `after a wrong secret the client joins once as a new member`() {
    var ana = ClientFixture()
    ana.join()
    ana.readd()
    ana.effects = []

    ana.give(.closed(code: 4301))
    ana.give(.opened)
    #expect(ana.sent().last?["resume"] == nil, "joins as a new member")
    ana.give(.closed(code: 4301))

    #expect(ana.state.connection == .needsCredentials(code: 4301))
  }

  @Test func `the back-off doubles up to thirty seconds and resets after a stable connection`() {
    var ana = ClientFixture()
    ana.give(.start)

    var pauses: [Int64] = []
    for _ in 0..<7 {
      ana.give(.closed(code: 1006))
      pauses.append(ana.machine.nextTick! - ana.now)
      ana.wait(pauses.last!)
    }
    #expect(pauses == [500, 1_000, 2_000, 4_000, 8_000, 15_000, 15_000])

    ana.give(.opened)
    ana.receive(welcome())
    ana.wait(5_000)
    ana.give(.closed(code: 1006))
    #expect(ana.machine.nextTick! - ana.now == 500)
  }

  @Test func `retry connects immediately`() {
    var ana = ClientFixture()
    ana.join()
    ana.give(.closed(code: 1006))

    ana.give(.retry)

    #expect(ana.state.connection == .connecting)
  }

  @Test(arguments: [1001, 1006])
  func `the client reconnects to a draining server after the announced delay`(code: Int) {
    var ana = ClientFixture()
    ana.join()

    ana.receive(#"{"type":"draining","reconnectAfterMs":1500}"#)
    ana.give(.closed(code: code))

    #expect(ana.machine.nextTick == 1_500)
  }

  @Test func `the server's error is available until the next connection`() {
    var ana = ClientFixture()
    ana.open()

    ana.receive(#"{"type":"error","code":"noSuchSession","detail":"there is none"}"#)
    ana.give(.closed(code: 4404))

    #expect(ana.state.problem == PickerProblem(code: "noSuchSession", detail: "there is none"))
    ana.open()
    #expect(ana.state.problem == nil)
  }

  @Test func `the reason for a failed connection is available`() {
    var ana = ClientFixture()
    ana.give(.start)

    ana.give(.closed(code: 1006, reason: "Unable to connect"))

    #expect(ana.state.problem == PickerProblem(code: "closed", detail: "Unable to connect"))
  }

  @Test func `a gap in the revisions reconnects, first immediately and then with back-off`() {
    var ana = ClientFixture()
    ana.join()
    ana.receive(delta(1, moved(0, 1, "b")))

    ana.receive(delta(3, moved(0, 2, "c")))
    #expect(ana.state.revision == 1, "the delta after the gap is not applied")
    #expect(ana.state.connection == .waiting)
    #expect(ana.machine.nextTick == ana.now, "immediately")
    ana.wait(0)
    ana.give(.opened)
    #expect(ana.sent().last?["resume"]?["revision"]?.integer == 1)

    ana.receive(welcome(nil, revision: 1))
    ana.receive(delta(3, moved(0, 2, "c")))
    #expect(ana.machine.nextTick == ana.now + 1_000, "the second gap waits")
  }

  @Test func `an old delta is ignored`() {
    var ana = ClientFixture()
    ana.join(revision: 4)

    ana.receive(delta(3, moved(0, 2, "c")))

    #expect(ana.state.revision == 4)
    #expect(ana.state.columns[0].selected?.key == "a")
    #expect(ana.state.connection == .live)
  }
}
