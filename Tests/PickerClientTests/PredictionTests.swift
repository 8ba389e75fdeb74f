import Testing

@testable import PickerClient

/// Own taps show at once, and the server's answer corrects them.
@Suite struct PredictionTests {
  private func day(_ iso: String) -> PickerDay { PickerDay(iso)! }

  /// Ana looks at November 2026; the 25th cannot be picked.
  private func looking(at snapshot: String) -> ClientFixture {
    var ana = ClientFixture()
    ana.join(snapshot)
    ana.give(.look(from: PickerMonth("2026-11")!, count: 1))
    ana.hear(monthsMessage("2026-11", disabled: ["2026-11-25"]))
    ana.effects = []
    return ana
  }

  @Test func `a select is shown before it is done`() {
    var ana = ClientFixture()
    ana.join()

    ana.give(.command(.select(column: 0, row: 2, generation: 1, key: "c")))

    #expect(ana.state.columns[0].shown?.key == "c")
    #expect(ana.state.columns[0].selected?.key == "a", "the server's last word")
    #expect(ana.state.pendingCount == 1)
  }

  @Test func `a select that is corrected shows the correction`() {
    var ana = ClientFixture()
    ana.join()
    ana.give(.command(.select(column: 0, row: 2, generation: 1, key: "c")))

    ana.hear(delta(1, moved(0, 1, "b"), by: "m_ana", ref: 1))

    #expect(ana.state.columns[0].shown?.key == "b")
  }

  @Test func `a select that is refused shows where the wheel stands`() {
    var ana = ClientFixture()
    ana.join()
    ana.give(.command(.select(column: 0, row: 2, generation: 1, key: "c")))

    ana.hear(
      refused(
        1, "noSuchRow", revision: 0,
        #"{"change":"row","column":0,"row":1,"key":"b","text":"B"}"#))

    #expect(ana.state.columns[0].shown?.key == "b")
  }

  @Test func `others' moves do not take away what is not answered yet`() {
    var ana = ClientFixture()
    ana.join()
    ana.give(.command(.select(column: 0, row: 2, generation: 1, key: "c")))

    ana.hear(delta(1, moved(0, 1, "b")))

    #expect(ana.state.columns[0].selected?.key == "b")
    #expect(ana.state.columns[0].shown?.key == "c")
  }

  @Test func `a row of a list that changed is found by its key, or not at all`() {
    var ana = ClientFixture()
    ana.join()
    ana.give(.command(.select(column: 1, row: 1, generation: 1, key: "y")))

    ana.hear(
      delta(
        1,
        #"{"change":"reload","column":1,"generation":2,"count":2,"from":0,"#
          + #""rows":[{"key":"y","text":"Y"},{"key":"z","text":"Z"}],"row":1}"#))
    #expect(ana.state.columns[1].shown?.key == "y")
    ana.hear(
      delta(
        2,
        #"{"change":"reload","column":1,"generation":3,"count":1,"from":0,"#
          + #""rows":[{"key":"z","text":"Z"}],"row":0}"#))

    #expect(ana.state.columns[1].shown?.key == "z")
  }

  @Test func `two taps make a range, in either order`() {
    var ana = looking(at: calendar)

    ana.give(.command(.tap(day("2026-11-20"))))
    #expect(ana.state.shownRange.map(ana.state.isOpen) == true)
    ana.give(.command(.tap(day("2026-11-17"))))

    #expect(ana.state.shownRange?.start == day("2026-11-17"))
    #expect(ana.state.shownRange?.end == day("2026-11-20"))
    #expect(ana.state.range == nil, "the server's last word")
  }

  @Test func `a tap within reach is guessed as the server will cut it`() {
    var ana = looking(
      at: calendarSnapshot(
        #","maxDays":5"#,
        range: #"{"start":"2026-11-10","end":"2026-11-10","hits":1,"by":"m_ana","#
          + #""reach":{"from":"2026-11-06","through":"2026-11-14"}}"#))

    ana.give(.command(.tap(day("2026-11-20"))))

    #expect(ana.state.shownRange?.end == day("2026-11-14"))
  }

  @Test func `where only the server's reach tells, nothing is guessed`() {
    var ana = looking(at: calendarSnapshot(#","maxDays":5"#))
    ana.give(.command(.tap(day("2026-11-10"))))

    ana.give(.command(.tap(day("2026-11-20"))))

    #expect(ana.state.shownRange?.end == day("2026-11-10"))
  }

  @Test func `a tap that will be refused shows nothing`() {
    var ana = looking(at: calendarSnapshot(#","minDays":3"#))

    ana.give(.command(.tap(day("2026-11-25"))))
    #expect(ana.state.shownRange == nil, "it cannot be picked")
    ana.give(.command(.tap(day("2026-11-10"))))
    ana.give(.command(.tap(day("2026-11-11"))))

    #expect(ana.state.shownRange?.end == day("2026-11-10"), "two days are too few")
  }

  @Test func `an optimistic tap is corrected by its answer`() {
    var ana = looking(at: calendar)
    ana.give(.command(.tap(day("2026-11-20"))))
    ana.give(.command(.tap(day("2026-11-24"))))

    ana.hear(
      delta(1, ranged("2026-11-20", "2026-11-20", hits: 1, #","by":"m_ana""#), by: "m_ana", ref: 1))
    #expect(ana.state.shownRange?.end == day("2026-11-24"), "the second tap still waits")
    ana.hear(
      delta(
        2,
        ranged(
          "2026-11-20", "2026-11-22", hits: 2,
          #","by":"m_ana","reason":"maxDays","wanted":"2026-11-24""#),
        by: "m_ana", ref: 2))

    #expect(ana.state.shownRange?.end == day("2026-11-22"))
    #expect(ana.state.shownRange == ana.state.range)
  }

  @Test func `a single day is the last one tapped`() {
    var ana = looking(at: calendarSnapshot(#","selection":"single""#))

    ana.give(.command(.tap(day("2026-11-10"))))
    ana.give(.command(.tap(day("2026-11-12"))))

    #expect(ana.state.shownRange?.start == day("2026-11-12"))
    #expect(ana.state.shownRange?.end == day("2026-11-12"))
  }

  @Test func `a clear shows nothing at once`() {
    var ana = looking(
      at: calendarSnapshot(range: #"{"start":"2026-11-20","end":"2026-11-23","hits":2}"#))

    ana.give(.command(.clear))

    #expect(ana.state.shownRange == nil)
    #expect(ana.state.bands(of: PickerMonth("2026-11")!) == [])
  }
}
