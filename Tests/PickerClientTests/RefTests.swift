import JSONText
import Testing

@testable import PickerClient

/// Each command is executed once and matched with its answer.
@Suite struct RefTests {
  private let tap = PickerCommand.tap(PickerDay("2026-11-20")!)

  /// Reconnects with a tap that was sent and a clear that was not.
  private func reconnecting() -> ClientFixture {
    var ana = ClientFixture()
    ana.join(calendar)
    ana.give(.command(tap))
    ana.give(.closed(code: 1006))
    ana.give(.command(.clear))
    ana.wait(1_000)
    ana.give(.opened)
    ana.effects = []
    return ana
  }

  @Test func `a command is answered by its delta, a reply or a refusal`() {
    var ana = ClientFixture()
    ana.join()
    for _ in 0..<3 { ana.give(.command(.undo)) }
    #expect(ana.sent().compactMap { $0["ref"]?.integer } == [1, 2, 3])

    ana.receive(delta(1, moved(0, 1, "b"), by: "m_ana", ref: 1))
    ana.receive(#"{"type":"reply","ref":2,"revision":1}"#)
    ana.receive(refused(3, "nothingToUndo", revision: 1))

    #expect(
      ana.settled() == [
        1: .success(1), 2: .success(1),
        3: .failure(.refused(.nothingToUndo, detail: "no")),
      ])
    #expect(ana.state.pendingCount == 0)
  }

  @Test func `an unanswered command is repeated with the same ref`() {
    var ana = ClientFixture()
    ana.join(calendar)
    ana.give(.command(tap))
    ana.effects = []

    ana.readd()
    ana.receive(welcome(nil))

    let again = ana.sent().filter { $0["type"]?.string == "tap" }
    #expect(again.map { $0["ref"]?.integer } == [1])
    ana.receive(#"{"type":"reply","ref":1,"revision":0}"#)
    #expect(ana.settled() == [1: .success(0)])
  }

  @Test func `a duplicate answer is ignored`() {
    var ana = ClientFixture()
    ana.join(calendar)
    ana.give(.command(tap))
    ana.readd()
    ana.receive(welcome(nil))
    ana.effects = []

    ana.receive(delta(1, ranged("2026-11-20", "2026-11-20", hits: 1), by: "m_ana", ref: 1))
    ana.receive(#"{"type":"reply","ref":1,"revision":1}"#)

    #expect(ana.takeEffects().filter { $0 == .settled(ref: 1, .success(1)) }.count == 1)
    #expect(ana.state.range?.hits == 1)
  }

  @Test func `only selects, taps and clears are queued without a connection`() {
    var ana = ClientFixture()
    ana.join()
    ana.give(.closed(code: 1006))
    ana.effects = []

    ana.give(.command(.select(column: 0, row: 1, generation: 1, key: "b")))
    ana.give(.command(.undo))

    #expect(ana.settled() == [2: .failure(.offline)])
    ana.wait(1_000)
    ana.give(.opened)
    ana.receive(welcome(nil))
    #expect(ana.sentTypes() == ["join", "select"])
  }

  @Test func `a queued select replaces an earlier one of its column`() {
    var ana = ClientFixture()
    ana.join()
    ana.give(.closed(code: 1006))
    ana.effects = []

    ana.give(.command(.select(column: 0, row: 1, generation: 1, key: "b")))
    ana.give(.command(.select(column: 1, row: 1, generation: 1, key: "y")))
    ana.give(.command(.select(column: 0, row: 2, generation: 1, key: "c")))

    #expect(ana.settled() == [1: .failure(.replaced)])
    #expect(ana.state.columns.map(\.shownRow) == [2, 1])
  }

  @Test func `at most twenty commands are queued`() {
    var ana = ClientFixture()
    ana.join(calendar)
    ana.give(.closed(code: 1006))
    ana.effects = []

    for _ in 0..<20 { ana.give(.command(tap)) }
    #expect(ana.settled() == [:])
    ana.give(.command(tap))

    #expect(ana.settled() == [21: .failure(.offline)])
  }

  @Test func `commands sent as a member that the server has forgotten are lost`() {
    var ana = reconnecting()

    ana.receive(welcome(calendar, id: "m_new"))

    #expect(ana.effects.contains(.settled(ref: 1, .failure(.lost))))
    #expect(ana.effects.contains(.notice(.lost(tap))))
    #expect(ana.sentTypes() == ["clear"], "a queued command is sent")
  }

  private func knowing(_ ref: Int, _ welcome: String) -> String {
    welcome.replacing(#""epoch""#, with: #""ref":\#(ref),"epoch""#)
  }

  /// Regression: it was sent with a known ref, which the server answered without doing it.
  @Test func `a queued command gets a new ref if another device of its member has used that one`() {
    var ana = ClientFixture()
    ana.give(.start)
    ana.give(.command(tap))
    ana.give(.opened)
    ana.effects = []

    ana.receive(knowing(12, welcome(calendar)))
    #expect(ana.sent().compactMap { $0["ref"]?.integer } == [13])
    ana.receive(#"{"type":"reply","ref":13,"revision":0}"#)

    #expect(ana.settled() == [1: .success(0)])
  }

  @Test func `a sent command is lost if another device of its member has used later refs`() {
    var ana = ClientFixture()
    ana.join(calendar)
    ana.give(.command(tap))
    ana.readd()
    ana.effects = []

    ana.receive(knowing(2, welcome(nil)))

    #expect(ana.settled() == [1: .failure(.lost)] && ana.sentTypes().isEmpty)
  }

  @Test func `refs that another device has used are not those of commands that were never sent`() {
    var ana = reconnecting()

    ana.receive(knowing(2, welcome(nil)))

    #expect(ana.effects.contains(.settled(ref: 1, .failure(.lost))))
    #expect(ana.sent().compactMap { $0["ref"]?.integer } == [3])
  }

  @Test func `a missing answer reconnects although other commands are sent`() {
    var ana = ClientFixture()
    ana.join(calendar)
    ana.wait(6_000)
    ana.give(.command(tap))
    ana.wait(9_000)
    ana.give(.command(.clear))
    ana.effects = []

    ana.wait(1_000)

    #expect(ana.takeEffects().contains(.disconnect))
  }

  @Test func `a missing answer reconnects after ten seconds`() {
    var ana = ClientFixture()
    ana.join(calendar)
    ana.wait(6_000)
    ana.give(.command(tap))
    ana.effects = []

    ana.wait(10_000)

    #expect(ana.takeEffects().filter { $0 != .changed } == [.disconnect, .connect])
  }

  @Test func `a reply ahead of the state waits two seconds for its snapshot`() {
    var ana = ClientFixture()
    ana.join()
    ana.give(.command(.undo))
    ana.receive(#"{"type":"reply","ref":1,"revision":5}"#)
    ana.effects = []

    ana.wait(1_999)
    #expect(ana.state.connection == .live)
    ana.wait(1)

    #expect(ana.state.connection == .connecting)
  }

  @Test func `a command after the end of the session fails`() {
    var ana = ClientFixture()
    ana.join(calendar)
    ana.give(.closed(code: 4410))
    ana.effects = []

    ana.give(.command(tap))

    #expect(ana.settled() == [1: .failure(.offline)])
  }

  @Test func `pending commands fail when the session ends`() {
    var ana = ClientFixture()
    ana.join(calendar)
    ana.give(.command(tap))

    ana.give(.closed(code: 4410))

    #expect(ana.settled() == [1: .failure(.lost)])
  }

  @Test func `commands refused with tooMany, and those after them, are sent again with new refs`() {
    var ana = ClientFixture()
    ana.join(calendar)
    ana.give(.command(tap))
    ana.give(.command(.clear))
    ana.receive(refused(1, "tooMany", revision: 0))
    #expect(ana.settled().isEmpty && ana.state.pendingCount == 2)
    ana.receive(#"{"type":"reply","ref":2,"revision":0}"#)
    ana.give(.command(.confirm))
    #expect(ana.sentTypes().isEmpty, "after the tap")

    ana.wait(1_000)

    let again = ana.sent()
    #expect(again.map { $0["type"]?.string } == ["tap", "confirm"])
    #expect(again.map { $0["ref"]?.integer } == [3, 4])
    ana.receive(#"{"type":"reply","ref":3,"revision":0}"#)
    #expect(ana.settled() == [1: .success(0)])
  }

  @Test func `a refusal with tooMany is final for an undo, and for a select that another follows`()
  {
    var ana = ClientFixture()
    ana.join()
    ana.give(.command(.undo))
    for row in 1...2 {
      ana.give(.command(.select(column: 0, row: row, generation: 1, key: nil)))
    }
    for ref in 1...2 { ana.receive(refused(ref, "tooMany", revision: 0)) }
    #expect(ana.settled().keys.sorted() == [1, 2])

    ana.receive(refused(3, "tooMany", revision: 0))
    ana.give(.command(.select(column: 0, row: 0, generation: 1, key: nil)))
    #expect(ana.settled() == [3: .failure(.replaced)])
    ana.wait(1_000)

    #expect(ana.sent().map { $0["row"]?.integer } == [0])
  }
}
