import Testing

@testable import PickerClient

/// Own commands are shown immediately, and the server's answer corrects them.
@Suite struct PredictionTests {
  private func day(_ iso: String) -> PickerDay { PickerDay(iso)! }

  /// Ana has November 2026 in view; the 25th is disabled.
  private func looking(at snapshot: String) -> ClientFixture {
    var ana = ClientFixture()
    ana.join(snapshot)
    ana.give(.look(from: PickerMonth("2026-11")!, count: 1))
    ana.receive(monthsMessage("2026-11", disabled: ["2026-11-25"]))
    ana.effects = []
    return ana
  }

  @Test func `a pending select is shown`() {
    var ana = ClientFixture()
    ana.join()

    ana.give(.command(.select(column: 0, row: 2, generation: 1, key: "c")))

    #expect(ana.state.columns[0].shown?.key == "c")
    #expect(ana.state.columns[0].selected?.key == "a", "the confirmed state")
    #expect(ana.state.pendingCount == 1)
  }

  @Test func `a corrected select shows the correction`() {
    var ana = ClientFixture()
    ana.join()
    ana.give(.command(.select(column: 0, row: 2, generation: 1, key: "c")))

    ana.receive(delta(1, moved(0, 1, "b"), by: "m_ana", ref: 1))

    #expect(ana.state.columns[0].shown?.key == "b")
  }

  @Test func `a refused select shows the current row`() {
    var ana = ClientFixture()
    ana.join()
    ana.give(.command(.select(column: 0, row: 2, generation: 1, key: "c")))

    ana.receive(
      refused(
        1, "noSuchRow", revision: 0,
        #"{"change":"row","column":0,"row":1,"key":"b","text":"B"}"#))

    #expect(ana.state.columns[0].shown?.key == "b")
  }

  @Test func `selects of others do not replace a pending select`() {
    var ana = ClientFixture()
    ana.join()
    ana.give(.command(.select(column: 0, row: 2, generation: 1, key: "c")))

    ana.receive(delta(1, moved(0, 1, "b")))

    #expect(ana.state.columns[0].selected?.key == "b")
    #expect(ana.state.columns[0].shown?.key == "c")
  }

  @Test func `a pending select in a reloaded column is matched by its key`() {
    var ana = ClientFixture()
    ana.join()
    ana.give(.command(.select(column: 1, row: 1, generation: 1, key: "y")))

    ana.receive(
      delta(
        1,
        #"{"change":"reload","column":1,"generation":2,"count":2,"from":0,"#
          + #""rows":[{"key":"y","text":"Y"},{"key":"z","text":"Z"}],"row":1}"#))
    #expect(ana.state.columns[1].shown?.key == "y")
    ana.receive(
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
    #expect(ana.state.range == nil, "the confirmed state")
  }

  @Test func `a tap beyond the reach is predicted as clamped`() {
    var ana = looking(
      at: calendarSnapshot(
        #","maxDays":5"#,
        range: #"{"start":"2026-11-10","end":"2026-11-10","hits":1,"by":"m_ana","#
          + #""reach":{"from":"2026-11-06","through":"2026-11-14"}}"#))

    ana.give(.command(.tap(day("2026-11-20"))))

    #expect(ana.state.shownRange?.end == day("2026-11-14"))
  }

  @Test(arguments: [
    #","maxDays":5"#, #","blocked":[{"weekdays":[1]}]"#,
  ])
  func `a bounded second tap is not predicted without the reach`(bound: String) {
    var ana = looking(at: calendarSnapshot(bound))
    ana.give(.command(.tap(day("2026-11-10"))))

    ana.give(.command(.tap(day("2026-11-20"))))

    #expect(ana.state.shownRange?.end == day("2026-11-10"))
  }

  @Test func `a second tap beyond a disabled day is not predicted without the reach`() {
    for (options, end) in [("", "2026-11-24"), (#","allowBlockedInside":true"#, "2026-11-26")] {
      var ana = looking(at: calendarSnapshot(options))
      ana.give(.command(.tap(day("2026-11-24"))))

      ana.give(.command(.tap(day("2026-11-26"))))

      #expect(ana.state.shownRange?.end == day(end))
    }
  }

  @Test func `a tap that the server will refuse is not predicted`() {
    var ana = looking(at: calendarSnapshot(#","minDays":3"#))

    ana.give(.command(.tap(day("2026-11-25"))))
    #expect(ana.state.shownRange == nil, "the day is disabled")
    ana.give(.command(.tap(day("2026-11-10"))))
    ana.give(.command(.tap(day("2026-11-11"))))

    #expect(ana.state.shownRange?.end == day("2026-11-10"), "less than minDays")
  }

  @Test(arguments: [
    ("2026-11-12", "", "2026-11-10 2026-11-12 2"), ("2026-11-25", "", "2026-11-10 2026-11-14 2"),
    ("2026-11-02", "", "2026-11-08 2026-11-10 2"), ("2026-11-10", "", "2026-11-10 2026-11-10 1"),
    ("2026-11-12", #","minNights":3"#, "2026-11-10 2026-11-10 1"),
    ("2026-11-12", #","stays":[{"minNights":3}]"#, "2026-11-10 2026-11-10 1"),
    (
      "2026-11-13", #","stays":[{"weekdays":[6],"departure":false}]"#,
      "2026-11-10 2026-11-12 2"
    ),
    (
      "2026-11-08", #","stays":[{"from":"2026-11-08","arrival":false}]"#,
      "2026-11-09 2026-11-10 2"
    ),
  ])
  func `the second tap of a stay is predicted within the reach`(
    tapped: String, options: String, shown: String
  ) {
    var ana = looking(
      at: calendarSnapshot(
        #","unit":"nights"\#(options)"#,
        range: #"{"start":"2026-11-10","end":"2026-11-10","hits":1,"by":"m_ana","#
          + #""reach":{"from":"2026-11-08","through":"2026-11-14"}}"#))

    ana.give(.command(.tap(day(tapped))))

    let range = ana.state.shownRange
    #expect(range.map { "\($0.start) \($0.end) \($0.hits)" } == shown)
    #expect(ana.state.definition?.isNights == true)
  }

  @Test func `a predicted tap is corrected by its answer`() {
    var ana = looking(at: calendar)
    ana.give(.command(.tap(day("2026-11-20"))))
    ana.give(.command(.tap(day("2026-11-24"))))

    ana.receive(
      delta(1, ranged("2026-11-20", "2026-11-20", hits: 1, #","by":"m_ana""#), by: "m_ana", ref: 1))
    #expect(ana.state.shownRange?.end == day("2026-11-24"), "the second tap is still pending")
    ana.receive(
      delta(
        2,
        ranged(
          "2026-11-20", "2026-11-22", hits: 2,
          #","by":"m_ana","reason":"maxDays","wanted":"2026-11-24""#),
        by: "m_ana", ref: 2))

    #expect(ana.state.shownRange?.end == day("2026-11-22"))
    #expect(ana.state.shownRange == ana.state.range)
  }

  @Test func `a single selection shows the last tap`() {
    var ana = looking(at: calendarSnapshot(#","selection":"single""#))

    ana.give(.command(.tap(day("2026-11-10"))))
    ana.give(.command(.tap(day("2026-11-12"))))

    #expect(ana.state.shownRange?.start == day("2026-11-12"))
    #expect(ana.state.shownRange?.end == day("2026-11-12"))
  }

  @Test func `a clear is shown immediately`() {
    var ana = looking(
      at: calendarSnapshot(range: #"{"start":"2026-11-20","end":"2026-11-23","hits":2}"#))

    ana.give(.command(.clear))

    #expect(ana.state.shownRange == nil)
    #expect(ana.state.bands(of: PickerMonth("2026-11")!) == [])
  }
}
