import CivilTime
import Testing

/// Month lengths, independent of the arithmetic under test.
func naiveDayCount(year: Int, month: Int) -> Int {
  let isLeap = year % 400 == 0 || (year % 4 == 0 && year % 100 != 0)
  return [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1]
}

@Suite struct CivilDateTests {
  @Test func `every date of ten thousand years converts to its ordinal and back`() {
    var (year, month, day, weekday) = (1, 1, 1, 2)
    var wrong: [Int] = []
    var previous: CivilDate?

    for ordinal in CivilDate.ordinals {
      let date = CivilDate(ordinal: ordinal)
      let isRight =
        date.year == year && date.month == month && date.day == day && date.ordinal == ordinal
        && date.weekday == weekday && (previous.map { $0 < date } ?? true)
      if !isRight { wrong.append(ordinal) }
      previous = date
      weekday = weekday == 7 ? 1 : weekday + 1
      day += 1
      if day > naiveDayCount(year: year, month: month) { (month, day) = (month + 1, 1) }
      if month > 12 { (year, month) = (year + 1, 1) }
    }

    #expect(wrong.prefix(3) == [])
    #expect(year == 10_000)
  }

  @Test func `known dates have their weekdays`() {
    #expect(CivilDate(year: 2026, month: 11, day: 21)!.weekday == 7)
    #expect(CivilDate(year: 1970, month: 1, day: 1)!.weekday == 5)
    #expect(CivilDate(year: 1970, month: 1, day: 1)!.ordinal == CivilDate.epochOrdinal)
  }

  @Test(arguments: [
    (2015, 2, 29), (2016, 2, 30), (1900, 2, 29), (2000, 4, 31), (2000, 0, 1), (2000, 13, 1),
    (2000, 1, 0), (2000, 1, 32), (0, 1, 1), (10_000, 1, 1), (-1, 1, 1), (Int.max, 1, 1),
    (2000, Int.min, 1), (2000, 1, Int.max),
  ])
  func `invalid dates are refused`(_ year: Int, _ month: Int, _ day: Int) {
    #expect(CivilDate(year: year, month: month, day: day) == nil)
  }

  @Test func `leap days exist`() {
    #expect(CivilDate(year: 2016, month: 2, day: 29)?.iso == "2016-02-29")
    #expect(CivilDate(year: 2000, month: 2, day: 29)?.iso == "2000-02-29")
  }

  @Test(arguments: [
    "", "2016-8-05", "2016-08-5", "16-08-05", "2016-08-05 ", " 2016-08-05", "2016/08/05",
    "20160805", "2016-08-05T00:00", "+016-08-05", "2016-08-0٥", "２０16-08-05", "2016-08-32",
    "0000-01-01", "2015-02-29", "2016-08",
  ])
  func `malformed ISO 8601 dates are refused`(_ text: String) {
    #expect(CivilDate(iso: text.utf8) == nil)
  }

  @Test func `dates are formatted as they are parsed`() {
    for text in ["0001-01-01", "0999-12-31", "2016-08-05", "9999-12-31"] {
      #expect(CivilDate(iso: text.utf8)?.iso == text)
    }
  }

  @Test func `adding days fails outside the years 0001 to 9999`() {
    #expect(CivilDate.first.adding(days: -1) == nil)
    #expect(CivilDate.last.adding(days: 1) == nil)
    #expect(CivilDate.first.adding(days: 3_652_058) == .last)
    #expect(CivilDate.first.adding(days: .max) == nil)
    #expect(CivilDate.last.adding(days: .min) == nil)
    #expect(CivilDate(checkedOrdinal: 0) == nil)
    #expect(CivilDate(checkedOrdinal: 3_652_060) == nil)
    #expect(CivilDate.last.days(since: .first) == 3_652_058)
  }

  @Test func `a date takes four bytes`() {
    #expect(MemoryLayout<CivilDate>.size == 4)
    #expect(MemoryLayout<CivilMonth>.size == 4)
  }
}

@Suite struct CivilMonthTests {
  @Test func `every month knows its length, first and last day and neighbours`() {
    var wrong: [Int] = []
    for index in 12..<120_000 {
      let month = CivilMonth(index: index)!
      let length = naiveDayCount(year: index / 12, month: index % 12 + 1)
      let isRight =
        month.dayCount == length && month.last.day == length && month.first.day == 1
        && month.last.days(since: month.first) == length - 1
        && month == CivilMonth(year: index / 12, month: index % 12 + 1)
        && month.first.civilMonth == month && month.adding(months: 1)?.index ?? 120_000 == index + 1
      if !isRight { wrong.append(index) }
    }
    #expect(wrong == [])
  }

  @Test func `months outside the years 0001 to 9999 are refused`() {
    #expect(CivilMonth(index: 11) == nil)
    #expect(CivilMonth(index: 120_000) == nil)
    #expect(CivilMonth(year: 2016, month: 0) == nil)
    #expect(CivilMonth(year: 2016, month: 13) == nil)
    #expect(CivilMonth(year: 0, month: 1) == nil)
    #expect(CivilMonth.first.adding(months: -1) == nil)
    #expect(CivilMonth.last.adding(months: .max) == nil)
  }

  @Test func `months are parsed and formatted`() {
    #expect(CivilMonth(iso: "2016-08".utf8)?.index == 2016 * 12 + 7)
    #expect(CivilMonth(iso: "0001-01".utf8)?.iso == "0001-01")
    for text in ["2016-8", "2016-00", "2016-13", "2016-08-01", "201608", "0000-01", ""] {
      #expect(CivilMonth(iso: text.utf8) == nil)
    }
  }
}

@Suite struct CivilDurationTests {
  @Test(arguments: [
    ("2018-07-25", "P18Y", "2036-07-25"), ("2016-02-29", "P1Y", "2017-02-28"),
    ("2016-02-29", "P4Y", "2020-02-29"), ("2018-01-31", "P1M", "2018-02-28"),
    ("2018-01-31", "P1M1D", "2018-03-01"), ("2018-01-31", "P13M", "2019-02-28"),
    ("2016-02-29", "P1Y1M", "2017-03-29"), ("2018-01-31", "P2W", "2018-02-14"),
    ("2018-01-31", "P1Y2M3W4D", "2019-04-25"), ("2018-01-31", "P0D", "2018-01-31"),
    ("2018-12-31", "P1D", "2019-01-01"),
  ])
  func `durations add months in one step, then days`(
    _ date: String, _ duration: String, _ sum: String
  ) {
    let duration = CivilDuration(iso: duration.utf8)!
    #expect(CivilDate(iso: date.utf8)!.adding(duration)?.iso == sum)
  }

  @Test(arguments: [
    ("2018-07-25", "P18Y", "2000-07-25"), ("2018-03-31", "P1M", "2018-02-28"),
    ("2018-03-31", "P1M1D", "2018-02-27"), ("2018-01-01", "P1D", "2017-12-31"),
    ("2018-07-25", "P1Y1M1W1D", "2017-06-17"),
  ])
  func `a sign applies to all units`(_ date: String, _ duration: String, _ difference: String) {
    let duration = CivilDuration(iso: duration.utf8, sign: .minus)!
    #expect(CivilDate(iso: date.utf8)!.adding(duration)?.iso == difference)
  }

  @Test(arguments: [
    "", "P", "1D", "P1", "PD", "P1D1Y", "P1Y1Y", "P1DT1H", "PT1H", "P1.5D", "P-1D", "p1d", "P1H",
    "P1D ", "P 1D", "P1d", "P1Y2D3M",
  ])
  func `malformed durations are refused`(_ text: String) {
    #expect(CivilDuration(iso: text.utf8) == nil)
  }

  @Test func `a duration can be limited to some units`() {
    #expect(CivilDuration(iso: "P1Y".utf8, units: "Y") != nil)
    #expect(CivilDuration(iso: "P1M".utf8, units: "Y") == nil)
    #expect(CivilDuration(iso: "P1M1D".utf8, units: "YM") == nil)
  }

  @Test func `adding a duration fails outside the years 0001 to 9999`() {
    let date = CivilDate(iso: "2018-07-25".utf8)!
    for text in ["P8000Y", "P3000000D", "P999999999999999999999Y", "P99999999999999999999M"] {
      #expect(date.adding(CivilDuration(iso: text.utf8)!) == nil)
      #expect(date.adding(CivilDuration(iso: text.utf8, sign: .minus)!) == nil)
    }
    #expect(date.adding(CivilDuration(iso: "P7981Y".utf8)!)?.iso == "9999-07-25")
    #expect(date.adding(CivilDuration(iso: "P7982Y".utf8)!) == nil)
  }

  @Test func `a duration is formatted without zero units`() {
    #expect(CivilDuration(iso: "P1Y0M2W0D".utf8)?.iso == "P1Y2W")
    #expect(CivilDuration().iso == "P0D")
  }
}
