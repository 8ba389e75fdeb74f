import JSONText
import Testing

@testable import PickerClient

/// Joining, resuming and leaving.
@Suite struct JoiningTests {
  @Test func `a client joins as soon as the socket is open`() {
    var ana = ClientFixture(ClientProfile(name: "Ana", locale: "de", token: "t"))

    ana.give(.start)

    #expect(ana.takeEffects() == [.connect, .changed])
    #expect(ana.state.connection == .connecting)
    ana.give(.opened)
    let join = ana.sent().first
    #expect(join?["type"]?.string == "join")
    #expect(join?["name"]?.string == "Ana")
    #expect(join?["locale"]?.string == "de")
    #expect(join?["token"]?.string == "t")
    #expect(join?["resume"] == nil)
  }

  @Test func `a welcome provides the complete state`() {
    var ana = ClientFixture()
    ana.open()

    ana.receive(welcome(members: "," + bo))

    #expect(ana.state.connection == .live)
    #expect(ana.state.me?.id == "m_ana")
    #expect(ana.state.me?.role == .owner)
    #expect(ana.state.members.map(\.name) == ["Ana", "Bo"])
    #expect(ana.state.columns.map(\.selected?.text) == ["A", "X"])
    #expect(ana.state.epoch == "e1")
  }

  @Test func `a join requests the months in view`() {
    var ana = ClientFixture()
    ana.give(.look(from: PickerMonth("2026-11")!, count: 3))
    ana.open()

    let months = ana.sent().first?["months"]

    #expect(months?["from"]?.string == "2026-11")
    #expect(months?["count"]?.integer == 3)
  }

  @Test func `a lost connection resumes from the last revision`() {
    var ana = ClientFixture()
    ana.join()
    ana.receive(delta(1, moved(0, 1, "b")))
    ana.effects = []

    ana.readd()

    let resume = ana.sent().last?["resume"]
    #expect(resume?["member"]?.string == "m_ana")
    #expect(resume?["secret"]?.string == "s3")
    #expect(resume?["epoch"]?.string == "e1")
    #expect(resume?["revision"]?.integer == 1)
    #expect(ana.state.columns[0].selected?.key == "b", "the state remains visible")

    ana.receive(welcome(nil, revision: 1))
    ana.receive(delta(2, moved(1, 1, "y")))

    #expect(ana.state.connection == .live)
    #expect(ana.state.columns.map(\.selected?.key) == ["b", "y"])
    #expect(ana.state.revision == 2)
  }

  @Test func `a snapshot instead of a resume replaces the state`() {
    var ana = ClientFixture()
    ana.join(revision: 7)
    ana.readd()

    ana.receive(welcome(letters, revision: 2, epoch: "e2"))

    #expect(ana.state.revision == 2)
    #expect(ana.state.epoch == "e2")
    #expect(ana.machine.identity?.epoch == "e2")
  }

  @Test func `a stored identity resumes the same member`() throws {
    var ana = ClientFixture()
    ana.join()
    ana.give(.command(.undo))
    let identity = try #require(ana.machine.identity)

    var again = ClientFixture(identity: identity)
    again.open()

    let resume = again.sent().last?["resume"]
    #expect(resume?["member"]?.string == "m_ana")
    #expect(resume?["revision"]?.integer == 9_007_199_254_740_991, "requests a snapshot")
    #expect(again.machine.nextRef == 2, "refs continue")
  }

  @Test func `a missing welcome times out and reconnects`() {
    var ana = ClientFixture()
    ana.open()
    ana.effects = []

    ana.wait(12_000)

    #expect(ana.takeEffects().filter { $0 != .changed } == [.disconnect, .connect])
  }

  @Test func `leave sends a message and discards the identity`() {
    var ana = ClientFixture()
    ana.join()

    ana.give(.leave)

    #expect(ana.takeEffects() == [.send(#"{"type":"leave"}"#), .disconnect, .changed])
    #expect(ana.state.connection == .left)
    #expect(ana.machine.identity == nil)
    #expect(ana.machine.nextTick == nil, "no timer is left")
  }

  @Test func `a stopped client starts again as the same member`() {
    var ana = ClientFixture()
    ana.join()

    ana.give(.stop)
    #expect(ana.state.connection == .idle)
    ana.open()

    #expect(ana.sent().last?["resume"]?["member"]?.string == "m_ana")
  }

  @Test func `a socket that does not open within 12 s is given up`() {
    var ana = ClientFixture()
    ana.give(.start)
    ana.effects = []
    ana.wait(11_999)
    #expect(ana.effects.isEmpty)

    ana.wait(1)

    #expect(ana.takeEffects().filter { $0 == .connect }.count == 1)
    ana.give(.opened)
    #expect(ana.state.connection == .joining)
  }

  @Test func `a quiet connection is checked, and given up if nothing follows`() {
    var ana = ClientFixture()
    ana.join()
    ana.wait(15_000, answersChecks: false)
    #expect(ana.takeEffects() == [ClientFixture.check])
    ana.receive(#"{"type":"refused","code":"wrongKind","detail":"no","revision":0}"#)
    #expect(ana.notices().isEmpty, "the user has asked for nothing")
    ana.give(.retry)
    ana.give(.retry)
    #expect(ana.takeEffects() == [ClientFixture.check], "one at a time")

    ana.wait(4_500, answersChecks: false)

    #expect(ana.takeEffects().contains(.disconnect) && ana.state.connection == .connecting)
  }
}
