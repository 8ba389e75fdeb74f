import CivilTime
import Foundation
import Testing

@Suite struct ZoneRulesTests {
  @Test func `UTC has no changes`() {
    #expect(ZoneRules.utc.offsetSeconds(at: Instant(seconds: 1 << 40)) == 0)
    #expect(ZoneRules.utc.nextTransition(after: Instant.first) == nil)
    #expect(ZoneRules.utc.localDate(at: Instant(milliseconds: -1)).iso == "1969-12-31")
  }

  @Test func `an instant outside the years 0001 to 9999 has the nearest date`() {
    #expect(ZoneRules.utc.localDate(at: Instant(milliseconds: .max / 4)) == .last)
    #expect(ZoneRules.utc.localDate(at: Instant(milliseconds: .min / 4)) == .first)
    #expect(ZoneRules.utc.nextDateChange(after: .last) == nil)
  }

  @Test(arguments: ZoneFiles.odd)
  func `offsets equal Foundation's around every change from 2000 to 2024`(_ name: String) {
    let zone = ZoneFiles.rules(name)
    let other = TimeZone(identifier: name)!
    var seconds: [Int64] = Array(stride(from: 946_684_800, to: 1_735_689_600, by: 864_000))
    for change in zone.changes(from: "2000-01-01T00:00:00Z", to: "2025-01-01T00:00:00Z") {
      seconds += [change - 1, change, change + 1]
    }

    let wrong = seconds.filter { second in
      let offset = other.secondsFromGMT(for: Date(timeIntervalSince1970: Double(second)))
      return zone.offsetSeconds(at: Instant(seconds: second)) != offset
    }

    #expect(wrong == [])
  }

  @Test func `the next change is found from one second before it, but not from itself`() {
    let zone = ZoneFiles.rules("America/New_York")
    for change in zone.changes(from: "2000-01-01T00:00:00Z", to: "2080-01-01T00:00:00Z") {
      #expect(zone.nextTransition(after: Instant(seconds: change - 1))?.at == change)
      #expect(zone.nextTransition(after: Instant(seconds: change))!.at > change)
      let before = zone.offsetSeconds(at: Instant(seconds: change - 1))
      let after = zone.offsetSeconds(at: Instant(seconds: change))
      #expect(before != after)
    }
    #expect(zone.changes(from: "2000-01-01T00:00:00Z", to: "2080-01-01T00:00:00Z").count == 160)
  }

  @Test(arguments: ZoneFiles.odd)
  func `local times around every change from 2000 to 2037 match a walk minute by minute`(
    _ name: String
  ) {
    let zone = ZoneFiles.rules(name)
    let changes = zone.changes(from: "2000-01-01T00:00:00Z", to: "2038-01-01T00:00:00Z")
    #expect(changes.count > 0 || name == "Asia/Kathmandu")
    var wrong: [String] = []

    for change in changes.isEmpty ? [999_999_960] : changes {
      // Every minute from three days before to three days after, computed from the offset.
      let minutes = stride(from: change - 259_200, to: change + 259_200, by: 60).map { second in
        let local = second + Int64(zone.offsetSeconds(at: Instant(seconds: second)))
        return (second: second, local: local)
      }
      var seen: [Int64: [Int64]] = [:]
      for minute in minutes where minute.local % 300 == 0 {
        seen[minute.local, default: []].append(minute.second)
      }
      let day = (change + Int64(zone.offsetSeconds(at: Instant(seconds: change - 1)))) / 86_400
      for day in (day - 1)...(day + 1) {
        let date = CivilDate(ordinal: Int(day) + CivilDate.epochOrdinal)
        for minute in stride(from: 0, to: 1_440, by: 5) {
          let found = zone.occurrences(of: date, minuteOfDay: minute).map(\.seconds)
          let expected = seen[day * 86_400 + Int64(minute) * 60] ?? []
          if found != expected { wrong.append("\(date) \(minute): \(found) \(expected)") }
        }
        let start = minutes.first { $0.local >= day * 86_400 }!.second
        if zone.startOfDay(date).seconds != start { wrong.append("start of \(date)") }
      }
      wrong += wrongDateChanges(zone, minutes)
    }

    #expect(wrong.prefix(3) == [])
  }

  /// The minutes for which the next change of the date differs from that in `minutes`.
  private func wrongDateChanges(
    _ zone: ZoneRules, _ minutes: [(second: Int64, local: Int64)]
  ) -> [String] {
    var wrong: [String] = []
    var next: Int64?
    for index in (0..<minutes.count - 1).reversed() {
      let isChange = minutes[index].local / 86_400 != minutes[index + 1].local / 86_400
      if isChange { next = minutes[index + 1].second }
      guard let next, isChange || index % 211 == 0 else { continue }
      let found = zone.nextDateChange(after: Instant(seconds: minutes[index].second))!.seconds
      if found != next { wrong.append("date after \(minutes[index].second): \(found) \(next)") }
    }
    return wrong
  }

  @Test func `a skipped day starts with the next day`() {
    let apia = ZoneFiles.rules("Pacific/Apia")
    let skipped = CivilDate(iso: "2011-12-30".utf8)!

    #expect(apia.wallStretches(of: skipped) == [])
    #expect(apia.occurrences(of: skipped, minuteOfDay: 720) == [])
    #expect(apia.startOfDay(skipped).rfc3339 == "2011-12-30T10:00:00.000Z")
    #expect(apia.startOfDay(skipped.adding(days: 1)!) == apia.startOfDay(skipped))
    let before = Instant(rfc3339: "2011-12-30T09:59:59Z".utf8)!
    #expect(apia.nextDateChange(after: before)?.rfc3339 == "2011-12-30T10:00:00.000Z")
  }

  @Test func `clocks set back past midnight return to the previous day`() {
    let zone = ZoneFiles.rules("America/St_Johns")
    let midnight = Instant(rfc3339: "2005-10-30T02:30:00Z".utf8)!

    #expect(zone.localDate(at: midnight).iso == "2005-10-30")
    let back = zone.nextDateChange(after: midnight)!
    #expect(back.rfc3339 == "2005-10-30T02:31:00.000Z")
    #expect(zone.localDate(at: back).iso == "2005-10-29")
    #expect(zone.nextDateChange(after: back)?.rfc3339 == "2005-10-30T03:30:00.000Z")
  }
}
