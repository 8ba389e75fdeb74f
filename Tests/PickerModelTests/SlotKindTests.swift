import CivilTime
@testable import PickerModel
import Testing

/// All slots in a period of time, found minute by minute from the zone's offset.
private struct SlotWorld {
  struct Slot {
    let instant: Int64
    /// Days since 1970-01-01 in local time.
    let day: Int64
    let minute: Int64
  }

  let zone: ZoneRules
  let slots: [Slot]

  init(zone: ZoneRules, from first: Int64, to last: Int64, step: Int64) {
    self.zone = zone
    slots = stride(from: first / 60 * 60, to: last, by: 60).compactMap { instant in
      let local = instant + Int64(zone.offsetSeconds(at: Instant(seconds: instant)))
      guard local % (step * 60) == 0 else { return nil }
      return Slot(instant: instant, day: local / 86_400, minute: local % 86_400 / 60)
    }
  }

  /// The bookable minutes and their instants per day, ascending.
  func bookable(
    now: Int64, lead: Int64, days: Int
  ) -> [(day: Int64, minutes: [Int64: Int64])] {
    let start = now / 60 * 60 + lead * 60
    let later = slots.filter { $0.instant >= start }
    let first = later.first!.day
    var found: [Int64: [Int64: Int64]] = [:]
    for slot in later where slot.day >= first && found[slot.day]?[slot.minute] == nil {
      found[slot.day, default: [:]][slot.minute] = slot.instant
    }
    return found.keys.sorted().prefix(days).map { ($0, found[$0]!) }
  }

  func definition(step: Int, lead: Int) throws -> Definition {
    try Definition.make(
      """
      {"kind":"slot","timeZone":"\(zone.name)","stepMinutes":\(step),"leadMinutes":\(lead),
       "days":2}
      """)
  }

  /// The differences between the rows of a picker at `now` and the bookable slots.
  func differences(_ definition: Definition, lead: Int, now: Int64) throws -> [String] {
    var picker = try Picker(definition, now: Instant(seconds: now))
    let expected = bookable(now: now, lead: Int64(lead), days: 2)
    var wrong: [String] = []
    func check(_ column: Int, _ keys: [String], _ place: String) {
      let found = picker.columns[column].rows.keys
      if found != keys { wrong.append("\(place) at \(now): \(found) not \(keys)") }
    }
    check(0, expected.map { iso($0.day) }, "days")
    for (row, day) in expected.enumerated() {
      _ = try picker.select(row: row, column: 0)
      let hours = Set(day.minutes.keys.map { $0 / 60 }).sorted()
      check(1, hours.map(padded), "hours of \(iso(day.day))")
      for (row, hour) in hours.enumerated() {
        _ = try picker.select(row: row, column: 1)
        let minutes = day.minutes.keys.filter { $0 / 60 == hour }.sorted()
        check(2, minutes.map { padded($0 % 60) }, "minutes of \(iso(day.day)) \(hour)")
        let instant = Instant(seconds: day.minutes[minutes[0]]!).rfc3339Seconds
        if picker.result["instant"]?.string != instant { wrong.append("instant of \(hour)") }
      }
    }
    if let sentence = picker._checkInvariants() { wrong.append(sentence) }
    return wrong
  }

  private func iso(_ day: Int64) -> String {
    CivilDate(ordinal: Int(day) + CivilDate.epochOrdinal).iso
  }

  private func padded(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
}

@Suite struct SlotKindTests {
  @Test(arguments: [(10, 20), (15, 0), (60, 61)])
  func `the rows are the bookable slots at every minute of a day`(_ step: Int, _ lead: Int) throws {
    let midnight = Instant("2018-11-23T00:00:00+08:00").seconds
    let world = SlotWorld(
      zone: Zones.named("Asia/Shanghai")!, from: midnight, to: midnight + 4 * 86_400,
      step: Int64(step))

    let definition = try world.definition(step: step, lead: lead)

    var wrong: [String] = []
    for minute in 0..<1_440 {
      let now = midnight + Int64(minute * 60 + minute % 60)
      wrong += try world.differences(definition, lead: lead, now: now)
    }

    #expect(wrong.prefix(3) == [])
  }

  @Test(arguments: [
    "Australia/Lord_Howe", "Pacific/Apia", "Asia/Kathmandu", "Africa/Cairo", "America/Sao_Paulo",
    "America/Havana", "America/St_Johns", "Africa/Casablanca", "Europe/Dublin",
    "America/New_York", "Asia/Tehran", "Antarctica/Troll", "Asia/Pyongyang",
  ])
  func `the rows are the bookable slots around every clock change from 2000 to 2037`(
    _ name: String
  ) throws {
    let zone = Zones.named(name)!
    var wrong: [String] = []
    var instant = Instant("2000-01-01T00:00:00Z")
    var count = 0

    while let change = zone.nextTransition(after: instant)?.at, change < 2_145_916_800 {
      instant = Instant(seconds: change)
      count += 1
      let step = [10, 20, 30, 60, 5][count % 5]
      let world = SlotWorld(
        zone: zone, from: change - 2 * 86_400, to: change + 4 * 86_400, step: Int64(step))
      let before = [86_400 + 600, 7_200, 4_200, 3_000, 1_200, 60][count % 6]
      let definition = try world.definition(step: step, lead: 20)
      for now in [change - Int64(before), change + Int64(count % 7 * 600 - 600)] {
        wrong += try world.differences(definition, lead: 20, now: now)
      }
    }

    #expect(wrong.prefix(3) == [])
    #expect(count > 0 || name == "Asia/Kathmandu")
  }

  @Test func `a repeated local time is its first bookable occurrence`() throws {
    let json = #"{"kind":"slot","timeZone":"America/New_York","leadMinutes":0}"#
    var picker = try Picker(json, at: "2018-11-04T01:20:00-04:00")

    #expect(picker.columns[2].rows.keys == ["00", "10", "20", "30", "40", "50"])
    #expect(picker.result["instant"]?.string == "2018-11-04T06:00:00Z")
    _ = try picker.select(key: "20", column: 2)
    #expect(picker.result["instant"]?.string == "2018-11-04T05:20:00Z")
    let answer = picker.tick("2018-11-04T01:21:00-04:00")
    #expect(answer.changes == [])
    #expect(picker.result["instant"]?.string == "2018-11-04T06:20:00Z")
  }

  @Test func `keep selects the same time, else the next one, else the last one`() throws {
    let json = #"{"kind":"slot","timeZone":"America/New_York","onParentChange":"keep"}"#
    var picker = try Picker(json, at: "2018-03-10T01:00:00-05:00")
    _ = try picker.select(key: "02", column: 1)
    _ = try picker.select(key: "30", column: 2)

    let skipped = try picker.select(key: "2018-03-11", column: 0)

    #expect(
      summary(skipped) == [
        "reload 1 #2 of 23", "row 0 2018-03-11 select", "row 1 03 clamp noSuchTime 02",
        "row 2 00 clamp noSuchTime 30",
      ])
    _ = try picker.select(key: "00", column: 1)
    let early = try picker.select(key: "2018-03-10", column: 0)
    #expect(
      summary(early) == [
        "reload 1 #3 of 23", "reload 2 #3 of 4", "row 0 2018-03-10 select",
        "row 1 01 clamp min 00", "row 2 20 clamp min 00",
      ])
  }

  @Test func `a tick back in time clamps a slot on the last day`() throws {
    var picker = try Picker(#"{"kind":"slot"}"#, at: "2018-11-23T10:00:00Z")
    _ = try picker.select(key: "2018-11-25", column: 0)

    let answer = picker.tick("2018-11-22T10:00:00Z")

    #expect(
      summary(answer.changes) == [
        "reload 0 #2 of 3", "row 0 2018-11-24 clamp noSuchTime 2018-11-25",
        "row 1 23 clamp noSuchTime 00", "row 2 50 clamp noSuchTime 00",
      ])
  }

  @Test func `a date without slots is skipped`() throws {
    let json = #"{"kind":"slot","timeZone":"Pacific/Apia","days":366}"#
    let picker = try Picker(json, at: "2011-12-29T12:00:00-10:00")

    let rows = picker.columns[0].rows
    #expect(rows.count == 365)
    #expect(rows.key(at: 1) == "2011-12-31")
    #expect(rows.key(at: 364) == "2012-12-28")
    #expect(rows.row(ofKey: "2011-12-30") == nil)
    #expect(rows.row(ofKey: "2012-12-28") == 364)
    #expect(rows.row(ofKey: "2012-12-29") == nil)
  }

  @Test func `slots end with the year 9999`() throws {
    #expect(throws: DefinitionProblem.self) {
      try Picker(#"{"kind":"slot"}"#, at: "9999-12-31T23:50:00Z")
    }
    var picker = try Picker(
      #"{"kind":"slot","days":5,"timeZone":"America/New_York"}"#, at: "9999-12-29T10:00:00-05:00")
    #expect(picker.columns[0].rows.keys == ["9999-12-29", "9999-12-30"])
    let late = picker.tick("9999-12-31T23:00:00Z")
    #expect(summary(late.changes) == ["reload 0 #2 of 2"])
    #expect(picker._checkInvariants() == nil)
  }
}
