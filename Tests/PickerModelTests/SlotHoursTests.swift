import CivilTime
@testable import PickerModel
import Testing

@Suite struct SlotHoursTests {
  /// The differences between all days and hours of a picker and the oracle's.
  private func differences(_ oracle: SlotOracle) throws -> [String] {
    let now = Instant(seconds: oracle.now)
    var picker = try Picker(Definition.make(oracle.json), now: now)
    // Days outside the range of the oracle are not compared.
    let expected = oracle.bookable()
    var wrong: [String] = []
    func check(_ column: Int, _ keys: [String], _ place: String) {
      let found = Array(picker.columns[column].rows.keys.prefix(keys.count))
      if found != keys {
        wrong.append("\(place) of \(oracle.json) at \(now): \(found) not \(keys)")
      }
    }
    check(0, expected.map { CivilDate(ordinal: $0.date).iso }, "days")
    guard wrong.isEmpty else { return wrong }
    for (row, day) in expected.enumerated() {
      _ = try picker.select(row: row, column: 0)
      let hours = Set(day.minutes.keys.map { $0 / 60 }).sorted()
      check(1, hours.map(twoDigits), "hours")
      guard picker.columns[1].rows.count == hours.count else { return wrong + ["count of hours"] }
      for (row, hour) in hours.enumerated() {
        _ = try picker.select(row: row, column: 1)
        let minutes = day.minutes.keys.filter { $0 / 60 == hour }.sorted()
        check(2, minutes.map { twoDigits($0 % 60) }, "minutes")
        let instant = Instant(seconds: day.minutes[minutes[0]]!)
        if picker.result["instant"]?.string != instant.rfc3339Seconds { wrong.append("instant") }
        let until = instant.adding(minutes: oracle.minutes)
        if picker.result["until"]?.string != until.rfc3339Seconds { wrong.append("until") }
      }
    }
    if let sentence = picker._checkInvariants() { wrong.append(sentence) }
    return wrong
  }

  @Test(arguments: [
    "Europe/Berlin", "Australia/Lord_Howe", "Pacific/Apia", "America/Sao_Paulo",
    "America/St_Johns", "America/Havana", "Africa/Casablanca", "UTC", "Asia/Kathmandu",
  ])
  func `random hours and taken times around clock changes match the oracle`(_ name: String) throws {
    let zone = name == "UTC" ? ZoneRules.utc : Zones.named(name)!
    var random = RandomSource(seed: 15)
    var wrong: [String] = []
    var instant = Instant("2001-01-01T00:00:00Z")
    for round in 0..<8 {
      instant =
        zone.nextTransition(after: instant).map { Instant(seconds: $0.at) }
        ?? instant.adding(minutes: 60 * 24 * 40 * round)
      guard instant < Instant("2030-01-01T00:00:00Z") else { break }
      wrong += try differences(SlotOracle(zone: zone, near: instant.seconds, using: &random))
    }
    #expect(wrong.prefix(2) == [])
  }

  @Test(arguments: ["Europe/Berlin", "Australia/Lord_Howe", "Pacific/Apia", "America/Havana"])
  func `a slot that a new definition takes away says why, as the oracle does`(_ name: String)
    throws
  {
    let zone = Zones.named(name)!
    var random = RandomSource(seed: 52)
    var seen: Set<String> = []
    var wrong: [String] = []
    var instant = Instant("2001-01-01T00:00:00Z")
    for round in 0..<60 {
      if round % 10 == 0 { instant = Instant(seconds: zone.nextTransition(after: instant)!.at) }
      let oracles = (0...1).map { _ in
        SlotOracle(zone: zone, near: instant.seconds, using: &random)
      }
      var picker = try Picker(
        Definition.make(oracles[0].json), now: Instant(seconds: oracles[0].now))
      for column in 0...2 where picker.columns[column].rows.count > 0 {
        let row = Int.random(in: 0..<picker.columns[column].rows.count, using: &random)
        _ = try picker.select(row: row, column: column)
      }
      let keys = picker.keys
      let start = picker.result["instant"]?.string.map { Instant($0).seconds }
      let answer = try picker.redefine(Definition.make(oracles[1].json))

      let loss = start.flatMap { picker.keys == keys ? nil : oracles[1].loss(of: $0) }
      if answer.loss != (picker.keys.isEmpty ? loss : nil) { wrong.append("\(answer.loss)") }
      for case .columns(.row(column: _, let move)) in answer.changes {
        if move.loss == loss, (move.reason == .gone) == (loss != nil) { continue }
        wrong.append("\(move.loss) not \(loss) of \(keys), \(oracles.map(\.json))")
      }
      if let loss { seen.insert("\(loss)\(picker.keys.isEmpty ? ", none left" : "")") }
    }
    #expect(wrong.prefix(2) == [])
    #expect(seen.isSuperset(of: ["taken", "closed", "rules"]), "\(seen)")
  }

  @Test func `the booking that was selected decides why it is gone`() throws {
    func changes(_ options: String) throws -> [String] {
      var picker = try Picker(#"{"kind":"slot","leadMinutes":0}"#, at: "2026-11-30T08:00:00Z")
      _ = try picker.select(key: "09", column: 1)
      let answer = try picker.redefine(
        Definition.make(#"{"kind":"slot","leadMinutes":0,\#(options)}"#))
      return summary(
        answer.changes.filter { if case .columns(.reload) = $0 { false } else { true } })
        + [answer.loss.map { "\($0)" } ?? "a slot is left"]
    }
    let morning = #""until":"12:00"}]"#
    #expect(
      try changes(#""taken":{"a":{"from":"2026-11-30T09:00","until":"2026-11-30T09:30"}}"#)
        == ["row 2 30 clamp gone 00 taken", "a slot is left"])
    #expect(
      try changes(
        #""bufferMinutes":10,"taken":{"a":{"from":"2026-11-30T09:15","until":"2026-11-30T09:20"}}"#)
        == ["row 2 30 clamp gone 00 taken", "a slot is left"])
    #expect(
      try changes(#""hours":[{"from":"10:00",\#(morning)"#)
        == ["row 1 10 clamp gone 09 closed", "a slot is left"])
    #expect(
      try changes(#""minutes":60,"hours":[{"from":"08:00","until":"09:30"}]"#)
        == [
          "row 0 2026-12-01 clamp gone 2026-11-30 closed", "row 1 08 clamp gone 09 closed",
          "a slot is left",
        ])
    #expect(
      try changes(#""dates":{"2026-11-30":[]}"#)
        == [
          "row 0 2026-12-01 clamp gone 2026-11-30 closed", "row 1 00 clamp gone 09 closed",
          "a slot is left",
        ])
    #expect(
      try changes(
        #""hours":[],"taken":{"a":{"from":"2026-11-30T09:00","until":"2026-11-30T09:30"}}"#)
        == ["taken"])
    #expect(try changes(#""hours":[]"#) == ["closed"])
    var late = try Picker(#"{"kind":"slot"}"#, at: "2026-11-30T08:00:00Z")
    let answer = try late.redefine(Definition.make(#"{"kind":"slot","leadMinutes":60}"#))
    #expect(
      summary(answer.changes).suffix(2) == [
        "row 1 09 clamp gone 08 rules", "row 2 00 clamp gone 20 rules",
      ])
  }

  @Test func `ticks find the same days as a new picker`() throws {
    var random = RandomSource(seed: 4)
    for (index, name) in ["Europe/Berlin", "America/St_Johns", "Pacific/Apia"].enumerated() {
      let zone = Zones.named(name)!
      let near = ["2026-10-25T01:00:00Z", "2005-10-30T02:31:00Z", "2011-12-30T10:00:00Z"][index]
      for _ in 0..<12 {
        let oracle = SlotOracle(zone: zone, near: Instant(near).seconds, using: &random)
        var now = Instant(seconds: oracle.now)
        var picker = try Picker(Definition.make(oracle.json), now: now)
        for _ in 0..<30 {
          now = now.adding(minutes: .random(in: -60...900, using: &random))
          _ = picker.tick(now)
          let new = try Picker(picker.definition, now: now)
          #expect(picker.columns[0].rows == new.columns[0].rows, "\(oracle.json) at \(now)")
          #expect(picker._checkInvariants() == nil)
        }
      }
    }
  }

  @Test func `a result has an end only with minutes in the definition`() throws {
    let picker = try Picker(#"{"kind":"slot"}"#, at: "2018-11-23T10:00:00Z")
    #expect(picker.result["until"] == nil)
    let given = try Picker(#"{"kind":"slot","minutes":10}"#, at: "2018-11-23T10:00:00Z")
    #expect(given.result["until"]?.string == "2018-11-23T10:30:00Z")
  }

  @Test func `a tick empties all columns when sold out and resets them to the first row`() throws {
    let json = """
      {"kind":"slot","leadMinutes":0,"hours":[],
       "dates":{"2027-11-24":[{"from":"09:00","until":"09:10"}]}}
      """
    var picker = try Picker(json, at: "2026-11-22T23:40:00Z")
    #expect(picker.columns.map(\.rows.count) == [0, 0, 0])
    #expect(picker.value == .keys([]))
    #expect(picker.result == .null)

    #expect(picker.tick("2026-11-23T23:50:00Z").changes == [])
    #expect(
      summary(picker.tick("2026-11-24T00:00:00Z").changes) == [
        "reload 0 #2 of 1", "reload 1 #2 of 1", "reload 2 #2 of 1", "row 0 2027-11-24 reset",
        "row 1 09 reset", "row 2 00 reset",
      ])
    #expect(
      summary(picker.tick("2027-11-24T09:01:00Z").changes) == [
        "reload 0 #3 of 0", "reload 1 #3 of 0", "reload 2 #3 of 0",
      ])
    let stored = try #require(StoredPicker(tree: picker.state.tree))
    #expect(Picker(picker.definition, state: stored) == picker)
    _ = picker.tick("2026-11-24T00:00:00Z")
    #expect(picker.keys == ["2027-11-24", "09", "00"])
    #expect(picker.restore(.keys(["2027-11-24", "09", "00"])) == [])
  }

  @Test func `a removed hour is clamped with elapsed if it has passed, else with noSuchTime`()
    throws
  {
    let json = #"{"kind":"slot","hours":[{"from":"09:00","until":"12:00"}],"days":1}"#
    var picker = try Picker(json, at: "2026-11-23T08:00:00Z")
    _ = try picker.select(key: "11", column: 1)
    #expect(
      summary(picker.tick("2026-11-22T08:00:00Z").changes) == [
        "reload 0 #2 of 1", "row 0 2026-11-22 clamp noSuchTime 2026-11-23",
        "row 2 50 clamp noSuchTime 00",
      ])
    #expect(
      summary(picker.tick("2026-11-22T11:50:00Z").changes) == [
        "reload 0 #3 of 1", "row 0 2026-11-23 clamp elapsed 2026-11-22",
        "row 1 09 clamp elapsed 11", "row 2 00 clamp elapsed 50",
      ])
  }

  @Test func `bookings end within the year 9999`() throws {
    let json = """
      {"kind":"slot","timeZone":"Etc/GMT+12","minutes":1440,"leadMinutes":0,"days":9}
      """
    let picker = try Picker(json, at: "9999-12-29T10:00:00Z")
    #expect(picker.columns[0].rows.keys == ["9999-12-28", "9999-12-29", "9999-12-30"])
    var last = picker
    _ = try last.select(key: "9999-12-30", column: 0)
    #expect(last.columns[1].rows.keys.last == "11")
    let start = try Picker(
      #"{"kind":"slot","timeZone":"Etc/GMT-14","hours":[{"from":"00:00","until":"24:00"}]}"#,
      at: "0001-01-01T00:00:00Z")
    #expect(start.columns[0].rows.key(at: 0) == "0001-01-01")
  }

  @Test func `5,000 overlapping taken times are merged`() throws {
    let taken = (0..<5_000).map { index in
      let minute = clockText(index % 1_380)
      return #""\#(index)":{"from":"2026-11-23T\#(minute)","until":"2026-11-23T23:30"}"#
    }
    let json = """
      {"kind":"slot","leadMinutes":0,"days":2,"taken":{\(taken.joined(separator: ","))}}
      """
    var picker = try Picker(json, at: "2026-11-23T00:00:00Z")
    #expect(picker.keys == ["2026-11-23", "23", "30"])
    _ = try picker.select(row: 1, column: 0)
    #expect(picker.columns[1].rows.count == 24)
  }
}
