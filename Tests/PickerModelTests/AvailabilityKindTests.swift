import CivilTime
import JSONText
import Testing

@testable import PickerModel

private let now = Instant("2026-11-20T10:00:00Z")

private let oneDay = #""dates":["2026-11-23"]"#

@Suite struct AvailabilityKindTests {
  private func problem(_ options: String, at now: Instant? = now) -> String? {
    let json = #"{"kind":"availability",\#(options)}"#
    do {
      _ = try Picker(Definition.make(json, now: now), now: now ?? Instant("2026-11-20T10:00:00Z"))
      return nil
    } catch {
      return (error as? DefinitionProblem)?.pointer ?? "\(error)"
    }
  }

  @Test(arguments: [
    (#""stepMinutes":30"#, "/dates"), (#""dates":5"#, "/dates"),
    (#""dates":{"from":"2026-11-24"}"#, "/dates/through"),
    (#""dates":{"from":"2026-11-24","through":"2026-11-23"}"#, "/dates/from"),
    (#""dates":{"from":"today+P1D","through":"today"}"#, "/dates/from"),
    (#""dates":{"from":"today","through":"tomorrow"}"#, "/dates/through"),
    (#""dates":{"from":"today","through":"today","step":1}"#, "/dates/step"),
    (#""dates":["2026-11-24","2026-11-24"]"#, "/dates/1"),
    (#""dates":["2026-11-23","2026-11-24","2026-11-25","2026-11-24"]"#, "/dates/3"),
    (#""dates":["today"]"#, "/dates/0"), (#""dates":[]"#, "/dates"),
    (#""dates":{"from":"2026-01-01","through":"2027-01-02"}"#, "/dates"),
    (#""dates":{"from":"today","through":"today+P366D"}"#, "/dates"),
    (#"\#(oneDay),"stepMinutes":7"#, "/stepMinutes"),
    (#"\#(oneDay),"stepMinutes":1"#, "/stepMinutes"),
    (#"\#(oneDay),"stepMinutes":null"#, "/stepMinutes"),
    (#"\#(oneDay),"length":32"#, "/length"), (#"\#(oneDay),"length":0"#, "/length"),
    (#"\#(oneDay),"stepMinutes":30,"length":49"#, "/length"),
    (#"\#(oneDay),"minimum":0"#, "/minimum"), (#"\#(oneDay),"minimum":1001"#, "/minimum"),
    (#"\#(oneDay),"unmarked":"maybe"#, ""), (#"\#(oneDay),"unmarked":"maybe""#, "/unmarked"),
    (#"\#(oneDay),"results":"nobody""#, "/results"), (#"\#(oneDay),"maybe":1"#, "/maybe"),
    (#"\#(oneDay),"closes":"soon""#, "/closes"), (#"\#(oneDay),"firstWeekday":8"#, "/firstWeekday"),
    (#"\#(oneDay),"hours":[{"from":"10:00","until":"09:00"}]"#, "/hours/0/until"),
    (
      #"\#(oneDay),"exceptions":{"2026-11-23":[{"from":"10:00"}]}"#,
      "/exceptions/2026-11-23/0/until"
    ),
    (#"\#(oneDay),"blocked":[{"from":"2026-11-23","through":"2026-11-22"}]"#, "/blocked/0/through"),
    (#"\#(oneDay),"undo":true"#, "/undo"),
  ])
  func `a problem of a definition has its place`(_ options: String, _ pointer: String) {
    // Text that is no JSON has no place.
    let found = problem(options)
    #expect(pointer.isEmpty ? found != nil : found == pointer)
  }

  @Test(arguments: [
    #""dates":{"from":"2026-01-01","through":"2027-01-01"}"#,
    #"\#(oneDay),"length":31"#, #"\#(oneDay),"stepMinutes":30,"length":48"#,
    #"\#(oneDay),"stepMinutes":30,"hours":[]"#, #"\#(oneDay),"closes":"2020-01-01T00:00""#,
  ])
  func `the limits are possible, and no cells are, too`(_ options: String) {
    #expect(problem(options) == nil)
  }

  @Test func `4,033 cells are too many, at the field dates`() {
    let hours = #""stepMinutes":5,"hours":[{"from":"00:00","until":"24:00"}]"#
    #expect(problem(#""dates":{"from":"2026-11-23","through":"2026-12-06"},\#(hours)"#) == nil)
    #expect(
      problem(#""dates":{"from":"2026-11-23","through":"2026-12-07"},\#(hours)"#) == "/dates")
    #expect(problem(#""dates":{"from":"today","through":"today+P14D"},\#(hours)"#) == "/dates")
  }

  @Test func `a definition shows its defaults, and can be made again from what it shows`() throws {
    let made = try Definition.make(
      #"{"kind":"availability","dates":{"from":"today","through":"today+P6D"},"closes":"2026-11-22T18:00"}"#
    )
    #expect(
      String(decoding: made.json, as: UTF8.self)
        == #"{"kind":"availability","timeZone":"UTC","locale":"en","dates":{"from":"today","#
        + #""through":"today+P6D"},"hours":[{"from":"09:00","until":"17:00"}],"bufferMinutes":0,"#
        + #""firstWeekday":1,"length":1,"unmarked":"no","minimum":1,"maybe":true,"#
        + #""results":"everyone","closes":"2026-11-22T18:00"}"#)
    let again = try Definition.make(String(decoding: made.json, as: UTF8.self))
    #expect(again.json == made.json)
  }

  private func window(_ start: String, _ until: String, _ texts: any RowTexts) -> String {
    texts.window(.time(Instant(start), until: Instant(until)), in: Zones.named("Europe/Berlin")!)
  }

  @Test func `windows have texts in English and Chinese`() {
    let dates = CivilDate("2018-11-23")...CivilDate("2018-11-25")
    for (texts, expected) in [
      (
        EnglishTexts() as any RowTexts,
        [
          "Fri, Nov 23, 09:00–10:30", "Fri, Nov 23, 23:30 – Sat, Nov 24, 00:30",
          "Fri, Nov 23, 23:00–24:00", "Fri, Nov 23 – Sun, Nov 25", "Fri, Nov 23",
        ]
      ),
      (
        SimplifiedChineseTexts(),
        [
          "11月23日 星期五 09:00–10:30", "11月23日 星期五 23:30 – 11月24日 星期六 00:30",
          "11月23日 星期五 23:00–24:00", "11月23日 星期五 – 11月25日 星期天", "11月23日 星期五",
        ]
      ),
    ] {
      #expect(
        [
          window("2018-11-23T08:00:00Z", "2018-11-23T09:30:00Z", texts),
          window("2018-11-23T22:30:00Z", "2018-11-23T23:30:00Z", texts),
          window("2018-11-23T22:00:00Z", "2018-11-23T23:00:00Z", texts),
          texts.window(.dates(dates), in: .utc),
          texts.window(.dates(dates.lowerBound...dates.lowerBound), in: .utc),
        ] == expected)
    }
  }

  /// In the Azores the clock is set back from 01:00 to 00:00.
  @Test(arguments: [
    ("2029-10-28T00:30:00Z", "2029-10-28T01:00:00Z", "Sun, Oct 28, 00:30–01:00"),
    ("2029-10-27T23:30:00Z", "2029-10-28T01:00:00Z", "Sat, Oct 27, 23:30 – Sun, Oct 28, 01:00"),
    ("2029-10-28T01:00:00Z", "2029-10-28T01:30:00Z", "Sun, Oct 28, 00:00–00:30"),
  ])
  func `a window ends where its last minute does, at a repeated midnight too`(
    _ start: String, _ until: String, _ text: String
  ) {
    let zone = Zones.named("Atlantic/Azores")!
    let span = WindowSpan.time(Instant(start), until: Instant(until))
    #expect(EnglishTexts().window(span, in: zone) == text)
  }

  @Test func `a new zone database moves marks with their instants`() throws {
    let definition = try Definition.make(
      #"{"kind":"availability","dates":["2026-11-23"],"stepMinutes":60,"timeZone":"Europe/Berlin"}"#
    )
    var picker = try Picker(definition, now: now)
    _ = try picker.perform(
      .mark(CellMark(grade: "yes", cells: [0..<2], generation: 1)), by: "a")
    let other = try Definition.make(
      #"{"kind":"availability","dates":["2026-11-23"],"stepMinutes":60,"timeZone":"Europe/London"}"#
    )

    let restored = Picker(other, state: picker.state)

    #expect(restored.availability?.marks["a"]?.runs == [MarkRun(0..<1, .yes)])
    #expect(restored.availability?.generation == 2)
    #expect(restored._checkInvariants() == nil)
  }
}
