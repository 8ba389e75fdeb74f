import JSONText
import Testing

@testable import PickerClient

/// A late command says what its user saw, and is never sent about another history.
@Suite struct LateCommandTests {
  private func tap(_ day: Int) -> PickerCommand {
    .tap(PickerDay(year: 2026, month: 11, day: day)!)
  }

  /// Ana has a range with two hits and November in view.
  private func joined(revision: Int = 41) -> ClientFixture {
    var ana = ClientFixture()
    ana.join(
      calendarSnapshot(range: #"{"start":"2026-11-03","end":"2026-11-05","hits":2}"#),
      revision: revision)
    ana.give(.look(from: PickerMonth("2026-11")!, count: 1))
    ana.receive(monthsMessage("2026-11", disabled: ["2026-11-25"], revision: revision))
    ana.effects = []
    return ana
  }

  @Test(arguments: [PickerCommand.clear, .undo, .redo, .confirm, .cancel, .reopen])
  func `a command about the value has the newest revision that its user saw`(
    command: PickerCommand
  ) {
    var ana = joined()
    ana.receive(delta(42, ranged("2026-11-07", "2026-11-07", hits: 3)))

    ana.give(.command(command))

    #expect(ana.sent().map { $0["at"]?.integer } == [42])
  }

  @Test func `a command that is sent again has the revision that its user saw`() {
    var ana = joined()
    ana.give(.command(.confirm))
    let first = ana.sent()
    ana.readd()
    ana.effects = []

    ana.receive(welcome(nil, revision: 41))
    ana.receive(delta(42, ranged("2026-11-07", "2026-11-07", hits: 3)))
    #expect(ana.sent() == first)
    ana.readd()
    ana.effects = []
    ana.receive(welcome(calendar, revision: 50))

    #expect(ana.sent() == first && first[0]["at"]?.integer == 41)
  }

  @Test func `a tap has no hits when it is sent for the first time on an open connection`() {
    var ana = joined()

    ana.give(.command(tap(20)))

    let sent = ana.sent()
    #expect(sent.map { $0["date"]?.string } == ["2026-11-20"])
    #expect(sent[0]["hits"] == nil && sent[0]["at"] == nil)
  }

  @Test func `taps that are sent again have the hits that their user saw`() {
    var ana = joined()
    for day in [20, 22, 25, 24] { ana.give(.command(tap(day))) }
    for _ in 0..<2 {
      ana.readd()
      ana.effects = []

      ana.receive(welcome(nil, revision: 41))
      ana.receive(delta(ana.state.revision + 1, ranged("2026-11-07", "2026-11-07", hits: 9)))

      let hits = ana.sent().filter { $0["type"]?.string == "tap" }.map { $0["hits"]?.integer }
      #expect(hits == [2, 3, 4, 4], "the tap on a disabled day does not count")
    }
  }

  @Test func `taps made without a connection have the hits that their user saw`() {
    var ana = joined()
    ana.give(.command(tap(20)))
    ana.give(.closed(code: 1006))
    ana.give(.command(tap(22)))
    ana.give(.command(.clear))
    ana.give(.command(tap(24)))
    ana.give(.command(.tap(PickerDay("2026-12-24")!)))
    ana.give(.command(tap(26)))
    ana.wait(1_000)
    ana.give(.opened)
    ana.effects = []

    ana.receive(welcome(nil, revision: 41))

    let sent = ana.sent()
    #expect(sent.map { $0["hits"]?.integer } == [2, 3, nil, 0, 1, 2])
    #expect(sent.map { $0["at"]?.integer } == [nil, nil, 41, nil, nil, nil])
  }

  @Test func `commands from before the first welcome are about its value`() {
    var ana = ClientFixture()
    ana.give(.start)
    ana.give(.command(tap(20)))
    ana.give(.command(tap(22)))
    ana.give(.command(.clear))
    ana.give(.opened)
    ana.effects = []

    ana.receive(
      welcome(
        calendarSnapshot(range: #"{"start":"2026-11-03","end":"2026-11-05","hits":2}"#),
        revision: 7))

    let sent = ana.sent()
    #expect(sent.map { $0["hits"]?.integer } == [2, 3, nil])
    #expect(sent.map { $0["at"]?.integer } == [nil, nil, 7])
  }

  @Test func `with another epoch the fate of sent commands about the value is unknown`() {
    var ana = joined()
    ana.give(.command(.undo))
    ana.give(.command(tap(20)))
    ana.give(.command(.confirm))
    ana.readd()
    ana.effects = []

    ana.receive(welcome(calendar, revision: 3, epoch: "e2"))

    #expect(ana.effects.contains(.notice(.lost(.confirm))))
    #expect(ana.effects.contains(.settled(ref: 1, .failure(.lost))))
    #expect(ana.effects.contains(.settled(ref: 3, .failure(.lost))))
    #expect(ana.sentTypes() == ["tap"] && ana.state.pendingCount == 1)
    ana.readd()
    ana.effects = []
    ana.receive(welcome(calendar, revision: 3, epoch: "e2"))
    #expect(ana.sentTypes() == ["tap"])
  }

  @Test func `with another epoch a queued clear is refused, because it was never sent`() {
    var ana = joined()
    ana.give(.closed(code: 1006))
    ana.give(.command(.clear))
    ana.wait(1_000)
    ana.give(.opened)
    ana.effects = []

    ana.receive(welcome(calendar, revision: 99, epoch: "e2"))

    #expect(ana.effects.contains { if case .send = $0 { true } else { false } } == false)
    guard case .failure(.refused(.stale, _, RefusalParams()))? = ana.settled()[1] else {
      Issue.record("the clear is not refused")
      return
    }
  }

  @Test func `a command can refer to a state that its user saw before`() {
    var ana = joined()
    let alert = ana.state
    ana.receive(delta(42, ranged("2026-11-07", "2026-11-07", hits: 3)))

    ana.give(.command(.confirm, seen: alert))
    ana.give(.command(tap(20), seen: alert))
    #expect(ana.sent().map { $0["at"]?.integer ?? $0["hits"]?.integer } == [41, nil])
    ana.give(.closed(code: 1006))
    let offline = ana.state
    ana.wait(1_000)
    ana.give(.opened)
    ana.receive(welcome(nil, revision: 42))
    ana.effects = []
    ana.give(.command(tap(22), seen: offline))

    #expect(ana.sent().map { $0["hits"]?.integer } == [4], "with the tap on the 20th")
  }

  @Test func `a command about the state of another epoch is refused`() {
    var ana = joined()
    let alert = ana.state
    ana.readd()
    ana.receive(welcome(calendar, revision: 41, epoch: "e2"))
    ana.effects = []

    ana.give(.command(.confirm, seen: alert))

    #expect(ana.state.pendingCount == 0)
    guard case .failure(.refused(.stale, _, _))? = ana.settled()[1] else {
      Issue.record("the confirm is not refused")
      return
    }
  }

  @Test func `a stale command is refused with the change that its user had not seen`() {
    var ana = joined()
    ana.give(.command(.confirm))
    ana.effects = []

    ana.receive(
      #"{"type":"refused","ref":1,"code":"stale","detail":"no","revision":41,"changes":[],"#
        + #""params":{"revision":40,"by":"m_bo"}}"#)

    let params = RefusalParams(revision: 40, by: "m_bo")
    let notice = PickerNotice.refused(
      code: .stale, detail: "no", params: params, command: .confirm)
    #expect(ana.effects.contains(.notice(notice)))
    #expect(
      ana.settled() == [1: .failure(.refused(.stale, detail: "no", params: params))])
  }
}
