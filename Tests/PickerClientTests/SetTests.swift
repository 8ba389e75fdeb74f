import JSONText
import Testing

@testable import PickerClient

/// Whole values: their messages, and what is shown until the server answers.
@Suite struct SetTests {
  private func day(_ iso: String) -> PickerDay { PickerDay(iso)! }

  private func range(_ start: String, _ end: String) -> PickerCommand {
    .set(.range(day(start), day(end)))
  }

  /// Ana has November 2026 in view; the 25th is disabled.
  private func looking(at snapshot: String) -> ClientFixture {
    var ana = ClientFixture()
    ana.join(snapshot)
    ana.give(.look(from: PickerMonth("2026-11")!, count: 1))
    ana.receive(monthsMessage("2026-11", disabled: ["2026-11-25"]))
    ana.effects = []
    return ana
  }

  private func shown(_ state: PickerState) -> String? {
    state.shownRange.map { "\($0.start) \($0.end) \($0.hits) \($0.by ?? "")" }
  }

  @Test(arguments: [
    (PickerValue.day(PickerDay("2026-11-20")!), #"{"date":"2026-11-20"}"#),
    (.local("2026-12-03T14:20"), #"{"local":"2026-12-03T14:20"}"#),
    (.instant("2026-12-03T14:20:00+01:00"), #"{"instant":"2026-12-03T14:20:00+01:00"}"#),
    (.keys(["a", "é"]), #"{"keys":["a","é"]}"#),
    (
      PickerValue(.nights(PickerDay("2026-11-20")!, until: PickerDay("2026-11-22")!)),
      #"{"start":"2026-11-20","end":"2026-11-22"}"#
    ),
  ])
  func `a set has its value in the form of results, and the revision that its user saw`(
    value: PickerValue, result: String
  ) throws {
    var ana = ClientFixture()
    ana.join(revision: 41)

    ana.give(.command(.set(value)))

    let wanted = #"{"type":"set","ref":1,"at":41,"result":\#(result)}"#
    #expect(ana.sent() == [try JSONTree.parse(Array(wanted.utf8))])
  }

  @Test(arguments: [
    PickerValue.local("2026-02-30T14:20"), .local("2026-12-03T24:00"), .local("2026-12-03 14:20"),
    .local("2026-12-03T14:20:00"), .local(""), .instant("2026-12-03T14:20"),
    .keys([String(repeating: "k", count: 10_001)]),
  ])
  func `a value after which the server would close the connection is not sent`(value: PickerValue) {
    var ana = ClientFixture()
    ana.join()

    ana.give(.command(.set(value)))

    #expect(ana.effects.contains(.settled(ref: 1, .failure(.badValue))))
    #expect(ana.sent().isEmpty && ana.state.pendingCount == 0)
  }

  @Test func `a range is shown until the answer`() {
    var ana = looking(at: calendar)

    ana.give(.command(range("2026-11-20", "2026-11-17")))
    #expect(shown(ana.state) == "2026-11-17 2026-11-20 2 m_ana" && ana.state.range == nil)
    ana.receive(refused(1, "blocked", revision: 0))

    #expect(ana.state.shownRange == nil)
  }

  @Test(arguments: [
    ("2026-11-10", "2026-11-11", #","minDays":3"#), ("2026-11-25", "2026-11-26", ""),
    ("2026-11-24", "2026-11-26", ""), ("2026-11-24", "2026-11-26", #","maxDays":5"#),
    ("2026-11-10", "2026-11-12", #","selection":"single""#),
    ("2026-11-10", "2026-11-12", #","unit":"nights","minNights":3"#),
  ])
  func `a range that the server will refuse is not shown`(
    start: String, end: String, options: String
  ) {
    var ana = looking(at: calendarSnapshot(options))

    ana.give(.command(range(start, end)))

    #expect(ana.state.shownRange == nil && ana.state.shownHits == 0)
    #expect(ana.sent().map { $0["type"]?.string } == ["set"], "the server decides")
  }

  @Test(arguments: [
    ("2026-11-10", "2026-11-12", #","maxDays":5"#), ("2026-12-24", "2026-12-26", ""),
    ("2026-11-24", "2026-11-26", #","allowBlockedInside":true"#),
    ("2026-11-10", "2026-11-13", #","unit":"nights","minNights":3"#),
  ])
  func `a range that the server may accept is shown`(start: String, end: String, options: String) {
    var ana = looking(at: calendarSnapshot(options))

    ana.give(.command(range(start, end)))

    #expect(shown(ana.state) == "\(start) \(end) 2 m_ana")
  }

  @Test func `a set replaces an open range and a whole one, and the same value changes nothing`() {
    var ana = looking(
      at: calendarSnapshot(
        range: #"{"start":"2026-11-10","end":"2026-11-12","hits":2,"by":"m_bo"}"#))

    ana.give(.command(range("2026-11-10", "2026-11-12")))
    #expect(shown(ana.state) == "2026-11-10 2026-11-12 2 m_bo")
    ana.give(.command(.tap(day("2026-11-16"))))
    ana.give(.command(range("2026-11-17", "2026-11-18")))

    #expect(shown(ana.state) == "2026-11-17 2026-11-18 2 m_ana")
  }

  @Test func `a single day has one hit, and only it is shown`() {
    var ana = looking(at: calendarSnapshot(#","selection":"single""#))

    ana.give(.command(.set(.day(day("2026-11-20")))))
    #expect(shown(ana.state) == "2026-11-20 2026-11-20 1 m_ana")
    ana.give(.command(.set(.day(day("2026-11-25")))))

    #expect(shown(ana.state) == "2026-11-20 2026-11-20 1 m_ana", "the 25th is disabled")
  }

  @Test func `rows are shown by their keys, up to the first column without that row`() {
    var ana = ClientFixture()
    ana.join()

    ana.give(.command(.set(.keys(["b", "y"]))))
    #expect(ana.state.columns.map(\.shown?.key) == ["b", "y"])
    #expect(ana.state.columns.map(\.selected?.key) == ["a", "x"], "the confirmed state")
    ana.give(.command(.set(.keys(["c", "unknown"]))))
    #expect(ana.state.columns.map(\.shown?.key) == ["c", "y"])
    ana.give(.command(.set(.keys(["unknown", "x"]))))

    #expect(ana.state.columns.map(\.shown?.key) == ["c", "y"])
  }

  @Test(arguments: [
    (PickerValue.day(PickerDay("2026-12-03")!), ["2026", "12", "03"]),
    (.local("2026-12-03T14:20"), ["2026-12-03", "14", "20"]),
    (.instant("2026-12-03T14:20:00Z"), ["-", "-", "-"]),
  ])
  func `a date and a time are shown by the keys of their rows`(value: PickerValue, keys: [String]) {
    var ana = ClientFixture()
    let columns = [["2026", "2026-12-03"], ["12", "14"], ["03", "20"]].map { keys in
      let rows = (["-"] + keys).map { #"{"key":"\#($0)","text":"\#($0)"}"# }
      return #"{"generation":1,"count":3,"from":0,"row":0,"#
        + #""rows":[\#(rows.joined(separator: ","))]}"#
    }
    ana.join(
      #""definition":{"kind":"date"},"status":"open","result":null,"#
        + #""columns":[\#(columns.joined(separator: ","))]"#)

    ana.give(.command(.set(value)))

    #expect(ana.state.columns.map(\.shown?.key) == keys)
  }

  @Test func `taps after a set have its hits when they are sent again`() {
    var ana = looking(at: calendar)
    ana.give(.command(.tap(day("2026-11-10"))))
    ana.give(.closed(code: 1006))
    ana.give(.command(range("2026-11-17", "2026-11-18")))
    ana.give(.command(.tap(day("2026-11-20"))))
    ana.wait(1_000)
    ana.give(.opened)
    ana.effects = []

    ana.receive(welcome(nil))

    #expect(ana.sent().map { $0["hits"]?.integer } == [0, nil, 2])
  }

  @Test func `a set over the rate is not sent after what followed it`() {
    var ana = looking(at: calendar)
    ana.give(.command(range("2026-11-17", "2026-11-18")))
    ana.give(.command(.tap(day("2026-11-20"))))
    ana.effects = []

    ana.receive(refused(1, "tooMany", revision: 0))

    guard case .failure(.refused(.tooMany, _, _))? = ana.settled()[1] else {
      Issue.record("the set waits")
      return
    }
    #expect(ana.state.pendingCount == 1)
  }
}
