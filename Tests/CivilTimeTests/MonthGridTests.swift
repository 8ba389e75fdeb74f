import CivilTime
import Testing

@Suite struct MonthGridTests {
  @Test(arguments: 1...7)
  func `the grid of every month of ten thousand years has whole weeks`(_ firstWeekday: Int) {
    // The weekday of each first day, counted day by day; 0001-01-01 is a Monday.
    var weekday = 2
    var wrong: [CivilMonth] = []

    for index in 12..<120_000 {
      let month = CivilMonth(index: index)!
      var lead = 0
      while (weekday - 1 + 7 - lead) % 7 != firstWeekday - 1 { lead += 1 }
      let length = naiveDayCount(year: index / 12, month: index % 12 + 1)
      var weeks = 4
      while weeks * 7 < lead + length { weeks += 1 }
      let fit = MonthGrid(month: month, firstWeekday: firstWeekday, weeks: .fit)
      let six = MonthGrid(month: month, firstWeekday: firstWeekday, weeks: .six)
      let isRight =
        fit.leadCount == lead && fit.weekCount == weeks && fit.cellCount == weeks * 7
        && six.leadCount == lead && six.weekCount == 6 && six.cellCount == 42
        && fit.cell(of: month.first) == lead && fit.cell(of: month.last) == lead + length - 1
        && fit.firstOrdinal == month.first.ordinal - lead
      if !isRight { wrong.append(month) }
      weekday = (weekday - 1 + length) % 7 + 1
    }

    #expect(wrong.prefix(3) == [])
  }

  @Test func `cells are consecutive dates and mark those outside the month`() {
    for index in stride(from: 13, to: 119_999, by: 97) {
      let month = CivilMonth(index: index)!
      for weeks in GridWeeks.allCases {
        let grid = MonthGrid(month: month, firstWeekday: index % 7 + 1, weeks: weeks)
        let dates = (0..<grid.cellCount).map(grid.date(at:))
        #expect(dates.first!.weekday == index % 7 + 1)
        #expect(zip(dates, dates.dropFirst()).allSatisfy { $1.days(since: $0) == 1 })
        #expect(dates.enumerated().allSatisfy { grid.cell(of: $1) == $0 })
        #expect(
          dates.enumerated().allSatisfy { grid.isInMonth(cell: $0) == ($1.civilMonth == month) })
        #expect(dates.count { $0.civilMonth == month } == month.dayCount)
        #expect(grid.cell(of: dates.first!.adding(days: -1) ?? .last) == nil)
        #expect(grid.cell(of: dates.last!.adding(days: 1)!) == nil)
      }
    }
  }

  @Test func `August 2016 has the grid of the article`() {
    let grid = MonthGrid(month: CivilMonth(iso: "2016-08".utf8)!, firstWeekday: 1, weeks: .six)
    #expect(grid.leadCount == 1)
    #expect(grid.firstDate.iso == "2016-07-31")
    #expect(grid.date(at: 41).iso == "2016-09-10")
    #expect(MonthGrid.weekRow(of: 13) == 1)
    #expect(MonthGrid.column(of: 13) == 6)
  }
}
