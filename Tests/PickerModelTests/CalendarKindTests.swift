import CivilTime
import JSONText
import Testing

@testable import PickerModel

@Suite struct CalendarKindTests {
  private static let now = "2016-08-15T10:00:00Z"

  private func refusal(_ picker: inout Picker, _ target: TapTarget, mayClose: Bool = true)
    -> Rejection?
  {
    let before = picker
    do throws(Refusal) {
      _ = try picker.tap(target, mayClose: mayClose)
      return nil
    } catch {
      #expect(picker == before)
      return error.code
    }
  }

  @Test func `refusals of taps have the documented precedence`() throws {
    let json = """
      {"kind":"calendar","months":{"from":"2016-07","through":"2016-09"},"min":"2016-07-10",
       "max":"2016-09-20","minDays":3,"blocked":[{"weekdays":[1,2,3,4,5,6,7]}]}
      """
    var picker = try Picker(json, at: CalendarKindTests.now)
    let (july, august) = (CivilMonth("2016-07"), CivilMonth("2016-08"))

    #expect(refusal(&picker, .date(CivilDate("2016-06-30"))) == .outsideMonths)
    #expect(refusal(&picker, .cell(CivilMonth("2016-10"), 99)) == .outsideMonths)
    #expect(refusal(&picker, .cell(august, 42)) == .noSuchCell)
    #expect(refusal(&picker, .cell(august, -1)) == .noSuchCell)
    #expect(refusal(&picker, .cell(july, 0)) == .otherMonth)
    #expect(refusal(&picker, .date(CivilDate("2016-07-09"))) == .beforeMin)
    #expect(refusal(&picker, .date(CivilDate("2016-09-21"))) == .afterMax)
    #expect(refusal(&picker, .date(CivilDate("2016-07-10"))) == .blocked)
    for (x, y) in [(-0.01, 0.5), (1.0, 0.5), (0.5, 1.0), (0.5, 0.18), (.nan, 0.5), (0.5, .nan)] {
      #expect(refusal(&picker, .point(august, x: x, y: y)) == .noSuchCell)
    }
    #expect { try picker.select(row: 0, column: 0) } throws: {
      ($0 as? Refusal)?.code == .wrongKind
    }
  }

  @Test func `tapClaimed is checked after blocked and before minDays`() throws {
    let json = #"{"kind":"calendar","minDays":3,"blocked":[{"from":"2016-08-20"}]}"#
    var picker = try Picker(json, at: CalendarKindTests.now)
    #expect(
      summary(try picker.tap("2016-08-10", mayClose: false)) == [
        "range 2016-08-10 2016-08-10 1 tap reach 2013-01-01 2016-08-19"
      ])

    #expect(refusal(&picker, .date(CivilDate("2016-08-20")), mayClose: false) == .blocked)
    #expect(refusal(&picker, .date(CivilDate("2016-08-11")), mayClose: false) == .tapClaimed)
    #expect(refusal(&picker, .date(CivilDate("2016-08-11"))) == .minDays)
    #expect(picker.isRangeOpen)
    #expect(picker.result == .null)
    #expect(
      summary(try picker.tap("2016-08-31")) == [
        "range 2016-08-10 2016-08-19 2 clamp blocked 2016-08-31"
      ])
    #expect(picker.result["days"] == .integer(10))
    #expect(picker.reach == nil)
  }

  @Test func `maxDays is the reason if it ends a range at a blocked day`() throws {
    let json = #"{"kind":"calendar","maxDays":3,"blocked":[{"from":"2016-08-13"}]}"#
    var picker = try Picker(json, at: CalendarKindTests.now)
    _ = try picker.tap("2016-08-10")
    #expect(
      summary(try picker.tap("2016-08-15")) == [
        "range 2016-08-10 2016-08-12 2 clamp maxDays 2016-08-15"
      ])
  }

  @Test func `clamps and reach equal those of a walk day by day`() throws {
    var random = RandomSource(seed: 3)
    for _ in 0..<200 {
      let weekdays = (1...7).filter { _ in Int.random(in: 0..<6, using: &random) == 0 }
      let stretches = (0..<Int.random(in: 0...4, using: &random)).map { _ in
        let from = CivilDate("2016-06-01").adding(days: .random(in: 0...120, using: &random))!
        return (from, from.adding(days: .random(in: 0...5, using: &random))!)
      }
      let maxDays = Bool.random(using: &random) ? Int.random(in: 1...40, using: &random) : nil
      let isFreeInside = Int.random(in: 0..<5, using: &random) == 0
      let entries =
        (weekdays.isEmpty ? [] : [#"{"weekdays":\#(weekdays)}"#])
        + stretches.map { #"{"from":"\#($0.0)","through":"\#($0.1)"}"# }
      let json = """
        {"kind":"calendar","months":{"from":"2016-06","through":"2016-09"},
         "blocked":[\(entries.joined(separator: ","))],"allowBlockedInside":\(isFreeInside)
         \(maxDays.map { #","maxDays":\#($0)"# } ?? "")}
        """
      let (first, last) = (CivilDate("2016-06-01"), CivilDate("2016-09-30"))
      func isBlocked(_ date: CivilDate) -> Bool {
        weekdays.contains(date.weekday) || stretches.contains { $0.0 <= date && date <= $0.1 }
      }
      func walk(_ start: CivilDate, _ goal: CivilDate) -> (CivilDate, ClampReason?) {
        var (day, count) = (start, 1)
        while day != goal {
          let next = day.adding(days: goal > day ? 1 : -1)!
          if let maxDays, count == maxDays { return (day, .maxDays) }
          if !isFreeInside, isBlocked(next) { return (day, .blocked) }
          (day, count) = (next, count + 1)
        }
        return (day, nil)
      }
      let picker = try Picker(json, at: CalendarKindTests.now)
      for _ in 0..<10 {
        var picker = picker
        let start = first.adding(days: .random(in: 0...121, using: &random))!
        let goal = first.adding(days: .random(in: 0...121, using: &random))!
        guard !isBlocked(start) else {
          #expect(refusal(&picker, .date(start)) == .blocked)
          continue
        }
        _ = try picker.tap(.date(start))
        #expect(picker.reach == walk(start, first).0...walk(start, last).0)
        guard !isBlocked(goal) else { continue }
        guard case .calendar(.range(let change)) = try picker.tap(.date(goal))[0] else { return }
        let (stop, reason) = walk(start, goal)
        #expect(change.range == DateRange(start: min(start, stop), end: max(start, stop), hits: 2))
        #expect(change.reason == reason)
        #expect(change.wanted == (reason == nil ? nil : goal))
        #expect(change.cause == (reason == nil ? .tap : .clamp))
        #expect(picker._checkInvariants() == nil)
      }
    }
  }

  @Test(arguments: 1...7)
  func `every week row of every range has a band`(_ firstWeekday: Int) throws {
    let json = """
      {"kind":"calendar","months":{"from":"2015-01","through":"2017-12"},"weeks":"fit",
       "firstWeekday":\(firstWeekday)}
      """
    let picker = try Picker(json, at: CalendarKindTests.now)
    var wrong: [String] = []
    for month in ["2015-02", "2016-02", "2016-10", "2016-11"].map(CivilMonth.init) {
      let cells = picker.cells(of: month)!
      let days = (-3...(month.dayCount + 2)).map { month.first.adding(days: $0)! }
      for start in days {
        for end in days where start <= end {
          let range = DateRange(start: start, end: end, hits: 2)
          let found = picker.bands(of: month, for: range)
          if Array(found) != naiveBands(cells, range) { wrong.append("\(month) \(start) \(end)") }
        }
      }
    }
    #expect(wrong.prefix(3) == [])
    #expect(
      picker.bands(of: CivilMonth("2018-01"), for: DateRange("2018-01-01", "2018-01-02", hits: 2))
        .isEmpty)
  }

  @Test func `changed bands are found`() throws {
    let picker = try Picker(
      #"{"kind":"calendar","months":{"from":"2016-01","through":"2016-03"}}"#,
      at: CalendarKindTests.now)
    let days = ["2015-12-30", "2016-01-31", "2016-02-01", "2016-02-10", "2016-02-29", "2016-03-01"]
      .map { CivilDate(iso: $0.utf8)! }
    var ranges: [DateRange?] = [nil]
    for start in days {
      for end in days where start <= end {
        ranges.append(DateRange(start: start, end: end, hits: 2))
      }
    }

    for month in ["2015-12", "2016-01", "2016-02", "2016-03"].map(CivilMonth.init) {
      for (one, other) in ranges.flatMap({ one in ranges.map { (one, $0) } }) {
        #expect(
          picker.bandsDiffer(in: month, one, other)
            == (Array(picker.bands(of: month, for: one))
              != Array(picker.bands(of: month, for: other))))
      }
    }
  }

  /// Computes the bands of a range cell by cell.
  private func naiveBands(_ cells: [Cell], _ range: DateRange) -> [Band] {
    var bands: [Band] = []
    for row in 0..<cells.count / 7 {
      var columns: [Int] = []
      for column in 0..<7 {
        let cell = cells[row * 7 + column]
        if !cell.isOutside, cell.date >= range.start, cell.date <= range.end {
          columns.append(column)
        }
      }
      guard let from = columns.first, let to = columns.last else { continue }
      bands.append(
        Band(
          row: row, from: from, to: to, shape: from == to ? .circle : .pill,
          head: cells[row * 7 + from].date == range.start,
          tail: cells[row * 7 + to].date == range.end))
    }
    return bands
  }

  @Test func `cells have outside, disabled and today`() throws {
    let json = """
      {"kind":"calendar","months":{"from":"2016-08","through":"2016-09"},"min":"today",
       "max":"2016-09-10","blocked":[{"weekdays":[1]}]}
      """
    var picker = try Picker(json, at: CalendarKindTests.now)
    for month in ["2016-08", "2016-09"].map(CivilMonth.init) {
      for (index, cell) in picker.cells(of: month)!.enumerated() {
        #expect(cell.isOutside == (cell.date.civilMonth != month))
        #expect(cell.isToday == (cell.date == CivilDate("2016-08-15")))
        #expect(cell.isDisabled == (refusal(&picker, .cell(month, index)) != nil))
        _ = picker.clear()
      }
    }
    #expect(picker.cells(of: CivilMonth("2016-07")) == nil)
  }

  @Test(arguments: [4, 5, 6])
  func `every point of a month is in the cell drawn there`(_ weeks: Int) throws {
    let month = CivilMonth(["2015-02", "2016-08", "2016-10"][weeks - 4])
    let json = #"{"kind":"calendar","months":{"from":"2015-01","through":"2016-12"},"weeks":"fit"}"#
    let picker = try Picker(json, at: CalendarKindTests.now)
    let cells = picker.cells(of: month)!
    #expect(cells.count == weeks * 7)
    for row in 0..<weeks {
      for column in 0..<7 where !cells[row * 7 + column].isOutside {
        for inset in [0.0001, 0.5, 0.9999] {
          var picker = picker
          let x = (Double(column) + inset) / 7
          let y = 0.184 + 0.816 * (Double(row) + inset) / Double(weeks)
          _ = try picker.tap(.point(month, x: x, y: y))
          #expect(picker.range?.start == cells[row * 7 + column].date)
        }
      }
    }
  }

  @Test func `a tick clears a range that is outside the new months`() throws {
    let json = #"{"kind":"calendar","months":{"from":"thisMonth","through":"thisMonth"}}"#
    var picker = try Picker(json, at: CalendarKindTests.now)
    _ = try picker.tap("2016-08-10")
    _ = try picker.tap("2016-08-20")

    let september = picker.tick("2016-09-01T00:00:00Z")

    #expect(
      summary(september.changes) == ["months 2016-09 2016-09 1", "range none tick elapsed"])
    #expect(september.cellsChanged)
    #expect(picker.range == nil)
  }

  @Test func `a tick clamps a closed range and clears an open one`() throws {
    let json = """
      {"kind":"calendar","months":{"from":"2016-08","through":"2016-09"},"min":"today"}
      """
    var closed = try Picker(json, at: CalendarKindTests.now)
    var open = closed
    _ = try closed.tap("2016-08-15")
    _ = try closed.tap("2016-08-20")
    _ = try open.tap("2016-08-15")

    #expect(
      summary(closed.tick("2016-08-16T00:00:00Z").changes) == [
        "range 2016-08-16 2016-08-20 2 tick elapsed"
      ])
    #expect(summary(open.tick("2016-08-16T00:00:00Z").changes) == ["range none tick elapsed"])
  }

  @Test func `a tick reports a change of only the reach`() throws {
    let json = """
      {"kind":"calendar","months":{"from":"2016-08","through":"2016-09"},"min":"today"}
      """
    var picker = try Picker(json, at: CalendarKindTests.now)
    _ = try picker.tap("2016-08-20")
    #expect(
      summary(picker.tick("2016-08-16T00:00:00Z").changes) == [
        "range 2016-08-20 2016-08-20 1 tick elapsed reach 2016-08-16 2016-09-30"
      ])
  }

  @Test func `the months do not change if they would end before they begin`() throws {
    let json = #"{"kind":"calendar","months":{"from":"thisMonth","through":"2016-09"}}"#
    var picker = try Picker(json, at: CalendarKindTests.now)

    let answer = picker.tick("2016-10-01T00:00:00Z")

    #expect(answer.changes == [])
    #expect(picker.months?.count == 2)
    #expect(answer.cellsChanged)
  }

  @Test func `days outside the months cannot be selected even between min and max`() throws {
    let json = """
      {"kind":"calendar","months":{"from":"2016-08","through":"2016-08"},"min":"2016-01-01",
       "max":"2016-12-31"}
      """
    var picker = try Picker(json, at: CalendarKindTests.now)
    _ = try picker.tap("2016-08-10")
    #expect(picker.reach == CivilDate("2016-08-01")...CivilDate("2016-08-31"))
  }

  @Test func `a single selection counts every tap and is never open`() throws {
    var picker = try Picker(
      #"{"kind":"calendar","selection":"single","minDays":3}"#, at: CalendarKindTests.now)
    _ = try picker.tap("2016-08-10", mayClose: false)
    #expect(
      summary(try picker.tap("2016-08-10", mayClose: false)) == [
        "range 2016-08-10 2016-08-10 2 tap"
      ])
    _ = try picker.tap("2016-08-11", mayClose: false)
    let day = CivilDate("2016-08-11")
    #expect(picker.range == DateRange(start: day, end: day, hits: 3, isSingle: true))
    #expect(!picker.isRangeOpen)
    #expect(picker.result == .day(CivilDate(iso: "2016-08-11".utf8)!))
    #expect(summary(picker.clear()) == ["range none clear"])
    #expect(picker.clear() == [])
    #expect(!picker.isComplete)
  }
}
