import CivilTime
@testable import PickerModel
import Testing

@Suite struct DateKindTests {
  @Test func `selects match the rules for all 25,043 dates`() {
    let bounds = CivilDate("1950-01-01")...CivilDate("2018-07-25")
    let rules = DateRules(bounds: bounds)
    var (dates, moves, corrected, sum) = (0, 0, 0, 0)

    for ordinal in bounds.lowerBound.ordinal...bounds.upperBound.ordinal {
      let date = CivilDate(ordinal: ordinal)
      let rows = [
        69, rules.months(ofYear: date.year).count, rules.days(of: date.civilMonth).count,
      ]
      dates += 1
      for column in 0..<3 {
        for row in 0..<rows[column] {
          let (result, reason) = rules.selecting(row: row, column: column, from: date)
          moves += 1
          if reason != nil { corrected += 1 }
          sum += result.ordinal
        }
      }
    }

    #expect(dates == 25_043)
    #expect(moves == 2_790_062)
    #expect(corrected == 15_435)
    #expect(sum == 2_021_182_986_997)
  }

  @Test func `a select returns reloads before rows, and each clamp has its reason`() throws {
    var picker = try Picker(#"{"kind":"date","initial":"2017-12-31"}"#, at: "2018-07-25T10:00:00Z")

    let changes = try picker.select(key: "2018", column: 0)

    #expect(
      summary(changes) == [
        "reload 1 #2 of 7", "reload 2 #2 of 25", "row 0 2018 select", "row 1 07 clamp max 12",
        "row 2 25 clamp max 31",
      ])
    #expect(picker.keys == ["2018", "07", "25"])
  }

  @Test func `max is the reason of a clamp that a short month causes, too`() throws {
    let json = #"{"kind":"date","max":"2018-02-10","initial":"2018-01-31"}"#
    var picker = try Picker(json, at: "2020-01-01T00:00:00Z")

    let changes = try picker.select(key: "02", column: 1)

    #expect(
      summary(changes) == [
        "reload 2 #2 of 10", "row 1 02 select", "row 2 10 clamp max 31",
      ])
  }

  @Test func `selecting the selected row has no effect`() throws {
    var picker = try Picker(#"{"kind":"date"}"#, at: "2018-07-25T10:00:00Z")
    let before = picker

    #expect(try picker.select(key: "07", column: 1) == [])
    #expect(picker == before)
  }

  @Test func `midnight clamps the selected day with the reason elapsed`() throws {
    let json = #"{"kind":"date","min":"today","max":"today+P1D","initial":"today"}"#
    var picker = try Picker(json, at: "2018-07-31T23:59:00Z")

    #expect(picker.nextTick == Instant("2018-08-01T00:00:00Z"))
    let answer = picker.tick("2018-08-01T00:00:00Z")

    #expect(
      summary(answer.changes) == [
        "reload 1 #2 of 1", "reload 2 #2 of 2", "row 1 08 clamp elapsed 07",
        "row 2 01 clamp elapsed 31",
      ])
    #expect(!answer.cellsChanged)
  }

  @Test func `a tick may go back in time`() throws {
    var picker = try Picker(#"{"kind":"date"}"#, at: "2018-07-25T10:00:00Z")

    let answer = picker.tick("2018-07-20T10:00:00Z")

    #expect(
      summary(answer.changes) == ["reload 2 #2 of 20", "row 2 20 clamp elapsed 25"])
  }

  @Test func `the bounds do not change if min would be after max`() throws {
    let json = #"{"kind":"date","min":"2018-07-20","max":"today"}"#
    var picker = try Picker(json, at: "2018-07-25T10:00:00Z")

    #expect(picker.tick("2018-07-19T10:00:00Z") == TickAnswer())
    #expect(picker.keys == ["2018", "07", "25"])
    #expect(picker._checkInvariants() == nil)
    #expect(summary(picker.tick("2018-07-21T10:00:00Z").changes).first == "reload 2 #2 of 2")
  }

  @Test func `the bounds do not change if an expression leaves the years 0001 to 9999`() throws {
    var picker = try Picker(
      #"{"kind":"date","min":"0001-01-01","max":"today-P18Y"}"#, at: "2018-07-25T10:00:00Z")

    #expect(picker.tick("0010-01-01T00:00:00Z") == TickAnswer())
    #expect(picker.columns[0].rows.count == 2000)
  }

  @Test func `initial counts when the definition is made, and not at a tick`() throws {
    let json = #"{"kind":"date","min":"2020-01-01","max":"today","initial":"today+P7973Y"}"#
    var picker = try Picker(json, at: "2026-12-31T12:00:00Z")
    #expect(picker.columns[0].rows.count == 7)

    #expect(summary(picker.tick("2027-01-01T12:00:00Z").changes) == ["reload 0 #2 of 8"])
    #expect(throws: DefinitionProblem.self) { try Picker(json, at: "2027-01-01T12:00:00Z") }
  }

  @Test func `without a relative bound there is no next tick`() throws {
    let json = #"{"kind":"date","max":"2018-01-01","initial":"today"}"#
    #expect(try Picker(json, at: "2020-01-01T00:00:00Z").nextTick == nil)
    #expect(try Picker(json, at: "2020-01-01T00:00:00Z").keys == ["2018", "01", "01"])
  }

  @Test func `the columns equal those found by filtering all dates`() throws {
    var random = RandomSource(seed: 7)
    for _ in 0..<60 {
      let low = CivilDate(ordinal: .random(in: 700_000...740_000, using: &random))
      let high = low.adding(days: .random(in: 0...900, using: &random))!
      let json = #"{"kind":"date","min":"\#(low)","max":"\#(high)","initial":"\#(low)"}"#
      var picker = try Picker(json, at: "2018-07-25T10:00:00Z")
      let all = (low.ordinal...high.ordinal).map(CivilDate.init(ordinal:))
      for _ in 0..<12 {
        let column = Int.random(in: 0..<3, using: &random)
        let row = Int.random(in: 0..<picker.columns[column].rows.count, using: &random)
        _ = try picker.select(row: row, column: column)
        let (year, month) = (Int(picker.keys[0])!, Int(picker.keys[1])!)
        let years = Set(all.map(\.year)).sorted()
        let months = Set(all.filter { $0.year == year }.map(\.month)).sorted()
        let days = all.filter { $0.year == year && $0.month == month }.map(\.day)
        #expect(picker.columns[0].rows.keys.compactMap { Int($0) } == years)
        #expect(picker.columns[1].rows.keys.compactMap { Int($0) } == months)
        #expect(picker.columns[2].rows.keys.compactMap { Int($0) } == days)
        #expect(picker._checkInvariants() == nil)
      }
    }
  }

  @Test func `the keys of years have four digits`() throws {
    let json = #"{"kind":"date","min":"0001-01-01","max":"9999-12-31"}"#
    var picker = try Picker(json, at: "2018-07-25T10:00:00Z")

    #expect(picker.columns[0].rows.count == 9_999)
    _ = try picker.select(row: 0, column: 0)
    #expect(picker.keys == ["0001", "07", "25"])
    #expect(picker.columns[0].rows.text(at: 0, in: EnglishTexts()) == "1")
    #expect(picker.row(ofKey: "9999", column: 0) == 9_998)
    for key in ["1", "00001", "0000", "+001", "٢٠١٨", ""] {
      #expect(picker.row(ofKey: key, column: 0) == nil)
    }
  }

  @Test func `the goal day is restored after a short month with the cause select`() throws {
    let json = #"{"kind":"date","initial":"2016-01-31","rememberDay":true}"#
    var picker = try Picker(json, at: "2018-07-25T10:00:00Z")

    #expect(
      summary(try picker.select(key: "02", column: 1)) == [
        "reload 2 #2 of 29", "row 1 02 select", "row 2 29 clamp monthLength 31",
      ])
    #expect(
      summary(try picker.select(key: "04", column: 1)) == [
        "reload 2 #3 of 30", "row 1 04 select", "row 2 30 clamp monthLength 31",
      ])
    #expect(
      summary(try picker.select(key: "2017", column: 0)) == ["row 0 2017 select"])
    #expect(
      summary(try picker.select(key: "2018", column: 0)) == [
        "reload 1 #2 of 7", "row 0 2018 select",
      ])
    #expect(
      summary(try picker.select(key: "07", column: 1)) == [
        "reload 2 #4 of 25", "row 1 07 select", "row 2 25 clamp max 31",
      ])
    #expect(
      summary(try picker.select(key: "05", column: 1)) == [
        "reload 2 #5 of 31", "row 1 05 select", "row 2 31 select",
      ])
    #expect(picker._checkInvariants() == nil)
  }

  @Test func `a goal day within a clamped month is selected, not clamped`() throws {
    let json = #"{"kind":"date","initial":"2018-07-25","max":"2019-06-30","rememberDay":true}"#
    var picker = try Picker(json, at: "2018-07-25T10:00:00Z")
    _ = try picker.select(key: "31", column: 2)
    _ = try picker.select(key: "09", column: 1)
    _ = try picker.select(key: "29", column: 2)
    _ = try picker.select(key: "30", column: 2)
    _ = try picker.select(key: "02", column: 1)

    #expect(
      summary(try picker.select(key: "2019", column: 0)) == [
        "reload 1 #2 of 6", "row 0 2019 select",
      ])
    _ = try picker.select(key: "2018", column: 0)
    _ = try picker.select(key: "09", column: 1)
    #expect(
      summary(try picker.select(key: "2019", column: 0)) == [
        "reload 1 #4 of 6", "row 0 2019 select", "row 1 06 clamp max 09",
      ])
    #expect(picker.value == .keys(["2019", "06", "30"], goalDay: 30))
  }

  @Test func `selecting the shown day, clamps and ticks do not change the goal day`() throws {
    let json = #"{"kind":"date","initial":"2018-06-30","rememberDay":true}"#
    var picker = try Picker(json, at: "2018-07-31T10:00:00Z")
    _ = try picker.select(key: "05", column: 1)
    _ = try picker.select(key: "31", column: 2)
    _ = try picker.select(key: "06", column: 1)
    #expect(picker.value == .keys(["2018", "06", "30"], goalDay: 31))

    #expect(try picker.select(key: "30", column: 2) == [])
    _ = picker.tick("2018-06-10T10:00:00Z")
    #expect(picker.value == .keys(["2018", "06", "10"], goalDay: 31))
    let may = summary(try picker.select(key: "05", column: 1))
    #expect(may.suffix(2) == ["row 1 05 select", "row 2 31 select"])
  }

  @Test func `undo restores the goal day, and it is stored`() throws {
    let json = #"{"kind":"date","initial":"2016-01-31","rememberDay":true}"#
    var picker = try Picker(json, at: "2018-07-25T10:00:00Z")
    _ = try picker.select(key: "02", column: 1)
    let short = picker.value
    #expect(short == .keys(["2016", "02", "29"], goalDay: 31))
    _ = try picker.select(key: "10", column: 2)

    #expect(summary(picker.restore(short)) == ["row 2 29 undo"])
    #expect(picker.value == short)
    #expect(PickerSelection(tree: short.tree) == short)
    let stored = try #require(StoredPicker(tree: picker.state.tree))
    var again = Picker(picker.definition, state: stored)
    #expect(again == picker)
    #expect(summary(try again.select(key: "03", column: 1)).last == "row 2 31 select")
  }
}
