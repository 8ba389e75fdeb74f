import CivilTime
import JSONText
import PickerModel
import Testing

@Suite struct TimeTests {
  /// Definitions of every kind, with and without relative times.
  private static let definitions = [
    #"{"kind":"date","min":"today-P2D","max":"today","timeZone":"America/Sao_Paulo"}"#,
    #"{"kind":"date","min":"2000-01-01","max":"2030-01-01"}"#,
    #"{"kind":"slot","timeZone":"Australia/Lord_Howe"}"#,
    #"{"kind":"slot","timeZone":"America/St_Johns","stepMinutes":60,"leadMinutes":90}"#,
    #"{"kind":"slot","timeZone":"Pacific/Apia","stepMinutes":30,"leadMinutes":0,"days":1}"#,
    #"{"kind":"slot","timeZone":"Africa/Cairo","leadMinutes":525600,"stepMinutes":1}"#,
    #"{"kind":"columns","columns":[["a","b"],["c"]]}"#,
    #"{"kind":"calendar","timeZone":"America/Havana"}"#,
    #"{"kind":"calendar","months":{"from":"2011-12","through":"2012-01"},"#
      + #""timeZone":"Pacific/Apia"}"#,
    #"{"kind":"calendar","months":{"from":"2005-10","through":"2005-10"},"#
      + #""timeZone":"America/St_Johns"}"#,
    #"{"kind":"calendar","min":"today","months":{"from":"2000-01","through":"thisMonth+P2M"}}"#,
  ]

  private static let moments = [
    "2005-10-30T02:20:00Z", "2011-12-29T23:10:30Z", "2011-12-30T09:50:00Z",
    "2018-11-03T23:45:00Z", "2018-04-07T14:50:00Z", "2014-05-15T21:30:00Z",
    "2016-12-31T23:59:59.999Z", "2005-11-06T03:00:00Z",
  ]

  /// The state that a member sees.
  private struct VisibleState: Equatable {
    let columns: [ColumnState]
    let months: MonthList?
    let range: DateRange?
    let reach: ClosedRange<CivilDate>?
    let cells: [[Cell]]

    init(_ picker: Picker) {
      columns = picker.columns
      months = picker.months
      range = picker.range
      reach = picker.reach
      let today = picker.definition.zone.localDate(at: picker.asOf)
      let near = (-2...2).compactMap { today.civilMonth.adding(months: $0) }
      let shown = picker.months.map { [$0.first, $0.last] + near } ?? []
      cells = shown.compactMap(picker.cells(of:))
    }
  }

  @Test(arguments: definitions)
  func `nothing changes before the next tick`(_ json: String) throws {
    for moment in TimeTests.moments {
      let start = Instant(moment)
      let picker = try Picker(Definition.make(json), now: start)
      let visible = VisibleState(picker)
      let next = picker.nextTick
      #expect(next.map { $0 > start } ?? true)
      var now = start
      while true {
        // What changes stays changed for hours, or until the next tick.
        now = now.adding(minutes: 5)
        let isPast = next.map { now >= $0 } ?? (now > start.adding(minutes: 3_000))
        if isPast || now > start.adding(minutes: 3_000) { break }
        var later = picker
        let answer = later.tick(now)
        guard answer == TickAnswer(), VisibleState(later) == visible else {
          Issue.record("\(json) at \(moment) changed at \(now), before \(next?.rfc3339 ?? "-")")
          break
        }
      }
      guard let next else { continue }
      var last = picker
      #expect(last.tick(next.adding(milliseconds: -1)) == TickAnswer())
    }
  }

  @Test(arguments: definitions)
  func `a picker that ticks at every next tick equals a new one`(_ json: String) throws {
    for moment in TimeTests.moments {
      var picker = try Picker(Definition.make(json), now: Instant(moment))
      for _ in 0..<40 {
        guard let next = picker.nextTick else { break }
        let before = VisibleState(picker)
        let answer = picker.tick(next)
        #expect((answer == TickAnswer()) == (VisibleState(picker) == before))
        let new = try Picker(picker.definition, now: next)
        #expect(picker.columns.map(\.rows.count).first == new.columns.map(\.rows.count).first)
        #expect(picker.columns.first?.rows == new.columns.first?.rows)
        #expect(picker.months == new.months)
        #expect(VisibleState(picker).cells == VisibleState(new).cells)
        #expect(picker._checkInvariants() == nil)
      }
    }
  }

  @Test func `the next tick of slots is the minute in which the earliest one elapses`() throws {
    var picker = try Picker(#"{"kind":"slot"}"#, at: "2018-11-23T10:00:30Z")
    #expect(picker.nextTick == Instant("2018-11-23T10:01:00Z"))
    #expect(
      summary(picker.tick("2018-11-23T10:01:00Z").changes) == [
        "reload 2 #2 of 3", "row 2 30 clamp elapsed 20",
      ])
    #expect(picker.nextTick == Instant("2018-11-23T10:11:00Z"))
  }

  @Test func `future months tick on their first day, past months never`() throws {
    let json = #"{"kind":"calendar","months":{"from":"2030-01","through":"2030-02"}}"#
    #expect(
      try Picker(json, at: "2020-01-01T00:00:00Z").nextTick == Instant("2029-12-30T00:00:00Z"))
    #expect(
      try Picker(json, at: "2030-01-01T00:00:00Z").nextTick == Instant("2030-01-02T00:00:00Z"))
    #expect(try Picker(json, at: "2040-01-01T00:00:00Z").nextTick == nil)
  }

  @Test func `a tick may exceed the limit of months of an accepted definition`() throws {
    let json = #"{"kind":"calendar","months":{"from":"2026-01","through":"thisMonth"}}"#
    var limits = DefinitionLimits()
    limits.monthsMax = 12
    let now = Instant("2026-12-15T10:00:00Z")
    var picker = try Picker(Definition.make(json, now: now, limits: limits), now: now)

    _ = picker.tick("2027-01-01T00:00:00Z")

    #expect(picker.months?.last == CivilMonth("2027-01"))
    let next = Instant("2027-01-01T00:00:00Z")
    #expect(throws: DefinitionProblem.self) {
      try Definition.make(json, now: next, limits: limits)
    }
  }

  @Test func `undo clamps a value like a tick, with the cause undo`() throws {
    var picker = try Picker(#"{"kind":"slot"}"#, at: "2018-11-23T10:00:00Z")
    let value = picker.value
    _ = try picker.select(key: "15", column: 1)
    _ = picker.tick("2018-11-23T10:30:00Z")

    #expect(
      summary(picker.restore(value)) == [
        "reload 2 #3 of 1", "row 1 10 undo", "row 2 50 undo",
      ])
    #expect(picker.restore(value) == [])
    #expect(picker._checkInvariants() == nil)
  }

  @Test func `undo clamps a range to the bounds and drops an open one outside them`() throws {
    let json = #"{"kind":"calendar","months":{"from":"2016-08","through":"2016-09"},"min":"today"}"#
    var picker = try Picker(json, at: "2016-08-15T10:00:00Z")
    _ = try picker.tap("2016-08-15")
    let open = picker.value
    _ = try picker.tap("2016-08-20")
    let closed = picker.value
    _ = picker.clear()
    _ = picker.tick("2016-08-17T10:00:00Z")

    #expect(picker.restore(open) == [])
    #expect(summary(picker.restore(closed)) == ["range 2016-08-17 2016-08-20 2 undo"])
    #expect(picker.restore(closed) == [])
    #expect(summary(picker.restore(open)) == ["range none undo"])
    let later = PickerSelection.range(DateRange("2016-08-18", "2016-08-18", hits: 3))
    #expect(
      summary(picker.restore(later)) == [
        "range 2016-08-18 2016-08-18 3 undo reach 2016-08-17 2016-09-30"
      ])
  }

  @Test(arguments: definitions)
  func `random commands keep the invariants, and the state can be stored`(_ json: String) throws {
    var random = RandomSource(seed: 5)
    let definition = try Definition.make(json)
    var now = Instant("2016-08-15T10:00:00Z")
    var picker = try Picker(definition, now: now)
    var values = [picker.value]
    for _ in 0..<300 {
      switch Int.random(in: 0..<5, using: &random) {
      case 0, 1:
        if let months = picker.months {
          let month = months.month(at: .random(in: 0..<months.count, using: &random))
          _ = try? picker.tap(.cell(month, .random(in: 0..<42, using: &random)))
        } else {
          let column = Int.random(in: 0..<picker.columns.count, using: &random)
          let row = Int.random(in: 0..<picker.columns[column].rows.count, using: &random)
          _ = try picker.select(row: row, column: column)
        }
        values.append(picker.value)
      case 2:
        now = now.adding(minutes: .random(in: -2_000...5_000, using: &random))
        _ = picker.tick(now)
      case 3: _ = picker.restore(values.randomElement(using: &random)!)
      default: _ = picker.clear()
      }
      #expect(picker._checkInvariants() == nil)
      let stored = try JSONTree.parse(picker.state.tree.serialized())
      let state = try #require(StoredPicker(tree: stored))
      #expect(state == picker.state)
      #expect(state.fits(definition))
      #expect(Picker(definition, state: state) == picker)
    }
  }

  @Test(arguments: [
    "{}", "null", "[]", #"{"value":{"keys":["a"]},"asOf":1,"bounds":{}}"#,
    #"{"value":{"keys":[1]},"asOf":1,"bounds":{},"generations":[1]}"#,
    #"{"value":{"keys":["a"]},"asOf":1.5,"bounds":{},"generations":[1]}"#,
    #"{"value":{"keys":["a"]},"asOf":1,"bounds":{},"generations":[0]}"#,
    #"{"value":{"range":{"start":"2016-01-02","end":"2016-01-01","hits":2}},"asOf":1,"#
      + #""bounds":{},"generations":[]}"#,
    #"{"value":{},"asOf":1,"bounds":{},"generations":[]}"#,
    #"{"value":{"keys":["a"]},"asOf":1,"bounds":{"min":"2016-01-01"},"generations":[1]}"#,
  ])
  func `an invalid stored state is not read`(_ json: String) throws {
    #expect(StoredPicker(tree: try JSONTree.parse(Array(json.utf8))) == nil)
  }

  @Test func `a state of another kind does not fit`() throws {
    let slot = try Picker(#"{"kind":"slot"}"#, at: "2016-08-15T10:00:00Z")
    let date = try Picker(#"{"kind":"date"}"#, at: "2016-08-15T10:00:00Z")
    #expect(!slot.state.fits(date.definition))
    #expect(slot.state.fits(slot.definition))
  }
}
