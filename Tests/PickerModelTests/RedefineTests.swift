import CivilTime
import JSONText
import PickerModel
import Testing

extension Picker {
  fileprivate mutating func redefine(_ json: String) throws -> TickAnswer {
    try redefine(Definition.make(json, now: asOf))
  }
}

@Suite struct RedefineTests {
  private static let now = "2016-08-15T10:00:00Z"

  @Test func `another kind or a definition that is invalid now is refused without effect`() throws {
    var picker = try Picker(#"{"kind":"date"}"#, at: RedefineTests.now)
    let before = picker

    #expect { try picker.redefine(#"{"kind":"slot"}"#) } throws: {
      ($0 as? DefinitionProblem)?.pointer == "/kind"
    }
    let late = try Definition.make(#"{"kind":"date","min":"2016-08-16"}"#)
    #expect { try picker.redefine(late) } throws: {
      ($0 as? DefinitionProblem)?.pointer == "/min"
    }
    #expect(picker == before)
    #expect(picker.definition === before.definition)
    #expect(picker.nextTick == before.nextTick)
  }

  @Test func `the next tick follows the new definition`() throws {
    var picker = try Picker(#"{"kind":"date","max":"2016-12-31"}"#, at: RedefineTests.now)
    #expect(picker.nextTick == nil)
    _ = try picker.redefine(#"{"kind":"date","max":"today","timeZone":"Asia/Shanghai"}"#)
    #expect(picker.nextTick == Instant("2016-08-15T16:00:00Z"))
  }

  @Test(arguments: [
    #"{"kind":"slot","days":3,"hours":[{"from":"09:00","until":"11:00"}]}"#,
    #"{"kind":"slot","days":3,"taken":{"a":{"from":"2016-08-15T00:00","until":"2016-08-18T12:00"}}}"#,
    #"{"kind":"slot","days":9,"timeZone":"Asia/Shanghai","stepMinutes":30}"#,
    #"{"kind":"slot","hours":[]}"#,
  ])
  func `a picker that validated the definition changes nothing about the outcome`(
    _ json: String
  ) throws {
    let start = Instant(RedefineTests.now)
    for minutes in [-1_440, -1, 0, 1, 9, 1_440] {
      let new = try Definition.make(json, now: start)
      let known = try Picker(new, now: start.adding(minutes: minutes))
      var plain = try Picker(#"{"kind":"slot"}"#, at: RedefineTests.now)
      var helped = plain
      let answer = try plain.redefine(new)
      #expect(try helped.redefine(new, knowing: known).changes == answer.changes)
      #expect(helped == plain && helped._checkInvariants() == nil)
    }
  }

  @Test func `a removed column continues its generations when it is added again`() throws {
    let three = #"{"kind":"columns","columns":[["a","b"],["c"],["d","e"]]}"#
    let one = #"{"kind":"columns","columns":[["b"]]}"#
    var picker = try Picker(three, at: RedefineTests.now)
    _ = try picker.redefine(#"{"kind":"columns","columns":[["a","b"],["c"],["e"]]}"#)

    #expect(
      summary(try picker.redefine(one).changes) == [
        "reload 0 #2 of 1", "removal 1 #2", "removal 2 #3", "row 0 b clamp gone a",
      ])
    #expect(picker.state.generations == [2, 2, 3])
    let stored = try #require(StoredPicker(tree: picker.state.tree))
    var again = Picker(picker.definition, state: stored)
    #expect(again == picker)
    #expect(
      summary(try again.redefine(three).changes) == [
        "reload 0 #3 of 2", "reload 1 #3 of 1", "reload 2 #4 of 2", "row 1 c reset",
        "row 2 d reset",
      ])
    #expect(again.state.generations == [3, 3, 4])
    #expect(again._checkInvariants() == nil)
  }

  @Test func `in a cascade the first column without its row is clamped, later ones are reset`()
    throws
  {
    func tree(_ cities: String) -> String {
      #"{"kind":"cascade","nodes":[{"text":"A","children":[\#(cities)]}]}"#
    }
    func city(_ name: String, _ streets: String...) -> String {
      let all = streets.map { #"{"text":"\#($0)"}"# }.joined(separator: ",")
      return #"{"text":"\#(name)","children":[\#(all)]}"#
    }
    let cities = [city("x", "1"), city("y", "1", "2"), city("z", "3", "2")]
    var picker = try Picker(tree(cities.joined(separator: ",")), at: RedefineTests.now)
    _ = try picker.select(key: "y", column: 1)
    _ = try picker.select(key: "2", column: 2)
    var same = picker

    #expect(
      summary(try same.redefine(tree(cities[0] + "," + cities[2])).changes) == [
        "reload 1 #2 of 2", "reload 2 #3 of 2", "row 1 z clamp gone y",
      ])
    #expect(same.keys == ["A", "z", "2"])
    #expect(
      summary(try picker.redefine(tree(city("z", "3") + "," + cities[0])).changes) == [
        "reload 1 #2 of 2", "reload 2 #3 of 1", "row 1 z clamp gone y", "row 2 3 reset",
      ])
  }

  @Test func `a removed row is replaced by the next remaining row, else by the previous one`()
    throws
  {
    func columns(_ keys: String) -> String { RedefineTests.columns(keys.map { "\($0)" }) }
    for (left, remaining) in [("abef", "e"), ("fe", "e"), ("ab", "b"), ("ax", "a"), ("xy", "x")] {
      var picker = try Picker(columns("abcdef"), at: RedefineTests.now)
      _ = try picker.select(key: "c", column: 0)
      _ = try picker.redefine(columns(left))
      #expect(picker.keys == [remaining])
    }
  }

  @Test func `the nearest remaining row is the same in short and long lists`() throws {
    var random = SystemRandomNumberGenerator()
    let counts = [1, 3, 24, 25, 60, 400]
    for old in counts {
      for new in counts {
        for shared in [0, 1, min(old, new) / 2] {
          let keys = (0..<old).map { "key \($0)" }
          let kept = keys.shuffled(using: &random).prefix(shared)
          let left = (kept + (0..<new - shared).map { "new \($0)" }).shuffled(using: &random)
          let selected = keys.filter { !kept.contains($0) }.randomElement(using: &random) ?? keys[0]
          var picker = try Picker(RedefineTests.columns(keys), at: RedefineTests.now)
          _ = try picker.select(key: selected, column: 0)

          _ = try picker.redefine(RedefineTests.columns(left))

          let row = keys.firstIndex(of: selected)!
          let nearest = keys[row...].first(where: left.contains)
          let key = nearest ?? keys[..<row].last(where: left.contains) ?? left[0]
          #expect(picker.keys == [key], "\(keys), \(selected) to \(left)")
        }
      }
    }
  }

  private static func columns(_ keys: [String]) -> String {
    let rows = keys.map { #""\#($0)""# }.joined(separator: ",")
    return #"{"kind":"columns","columns":[[\#(rows)]]}"#
  }

  @Test func `undo to a removed row selects the first row`() throws {
    var picker = try Picker(
      #"{"kind":"columns","columns":[["a","b","c","d"]]}"#, at: RedefineTests.now)
    _ = try picker.select(key: "c", column: 0)
    let value = picker.value
    _ = try picker.select(key: "d", column: 0)
    _ = try picker.redefine(#"{"kind":"columns","columns":[["a","b","d"]]}"#)
    #expect(summary(picker.restore(value)) == ["row 0 a undo"])
  }

  @Test func `changing between single and range clears the selection, and undo restores it`() throws
  {
    let single = #"{"kind":"calendar","selection":"single"}"#
    var picker = try Picker(single, at: RedefineTests.now)
    _ = try picker.tap("2016-08-10")
    let value = picker.value
    #expect(PickerSelection(tree: value.tree) == value)

    let answer = try picker.redefine(#"{"kind":"calendar"}"#)

    #expect(summary(answer.changes) == ["range none define selection 2016-08-10"])
    #expect(picker.restore(value) == [])
    _ = try picker.redefine(single)
    #expect(summary(picker.restore(value)) == ["range 2016-08-10 2016-08-10 1 undo"])
  }

  @Test func `changing between days and nights clears the selection, and undo restores it`() throws
  {
    let nights = #"{"kind":"calendar","unit":"nights"}"#
    var picker = try Picker(nights, at: RedefineTests.now)
    _ = try picker.tap("2016-08-10")
    _ = try picker.tap("2016-08-12")
    let value = picker.value
    #expect(PickerSelection(tree: value.tree) == value)

    let answer = try picker.redefine(#"{"kind":"calendar"}"#)

    #expect(summary(answer.changes) == ["range none define unit 2016-08-12"])
    #expect(picker.restore(value) == [])
    _ = try picker.redefine(nights)
    #expect(summary(picker.restore(value)) == ["range 2016-08-10 2016-08-12 2 undo"])
  }

  @Test(arguments: [
    (#""min":"2016-08-12","max":"2016-08-14""#, "2016-08-12 2016-08-14 2 define min 2016-08-20"),
    (#""max":"2016-08-14","maxDays":2"#, "2016-08-10 2016-08-11 2 define max 2016-08-20"),
    (#""max":"2016-08-09""#, "none define max 2016-08-20"),
    (#""min":"2016-08-21""#, "none define min 2016-08-20"),
    (#""min":"2016-08-12","blocked":[{"from":"2016-08-12"}]"#, "none define min 2016-08-20"),
    (
      #""blocked":[{"from":"2016-08-10"}],"allowBlockedInside":true"#,
      "none define blocked 2016-08-20"
    ),
    (#""taken":{"7":{"from":"2016-08-14"}},"minDays":5"#, "none define blocked 2016-08-20"),
    (
      #""taken":{"7":{"from":"2016-08-14"}},"minDays":4"#,
      "2016-08-10 2016-08-13 2 define blocked 2016-08-20"
    ),
    (
      #""maxDays":4,"blocked":[{"from":"2016-08-14"}]"#,
      "2016-08-10 2016-08-13 2 define maxDays 2016-08-20"
    ),
    (#""minDays":12"#, "none define minDays 2016-08-20"),
    (#""minDays":11"#, ""), (#""taken":{"7":{"from":"2016-08-20"}},"allowBlockedInside":true"#, ""),
    (#""taken":{"7":{"from":"2016-08-20"}}"#, "2016-08-10 2016-08-19 2 define blocked 2016-08-20"),
  ])
  func `a closed range is clamped to the new limits`(_ options: String, _ change: String) throws {
    var picker = try Picker(#"{"kind":"calendar"}"#, at: RedefineTests.now)
    _ = try picker.tap("2016-08-20")
    _ = try picker.tap("2016-08-10")
    let value = picker.value

    let answer = try picker.redefine(#"{"kind":"calendar",\#(options)}"#)

    #expect(summary(answer.changes) == (change.isEmpty ? [] : ["range " + change]))
    #expect(answer.cellsChanged)
    let remaining = picker.range
    _ = picker.clear()
    _ = picker.restore(value)
    #expect(picker.range == remaining)
    #expect(picker._checkInvariants() == nil)
  }

  @Test(arguments: ["range", "single"])
  func `an open range and a single day remain if the day can still be selected`(_ selection: String)
    throws
  {
    func json(_ options: String) -> String {
      #"{"kind":"calendar","selection":"\#(selection)","minDays":3\#(options)}"#
    }
    var picker = try Picker(json(""), at: RedefineTests.now)
    _ = try picker.tap("2016-08-10")

    let narrow = try picker.redefine(json(#","blocked":[{"from":"2016-08-09"}]"#))
    let reach = "range 2016-08-10 2016-08-10 1 define reach 2016-08-10 2016-08-31"
    #expect(summary(narrow.changes) == (selection == "range" ? [reach] : []))
    let gone = try picker.redefine(json(#","taken":{"a":{"from":"2016-08-10"}}"#))
    #expect(summary(gone.changes) == ["range none define blocked 2016-08-10"])
  }

  @Test func `the change of the months precedes that of the range`() throws {
    var picker = try Picker(#"{"kind":"calendar"}"#, at: RedefineTests.now)
    _ = try picker.tap("2016-08-10")
    let months = #""months":{"from":"2016-01","through":"2016-07"}"#
    #expect(
      summary(try picker.redefine(#"{"kind":"calendar",\#(months)}"#).changes) == [
        "months 2016-01 2016-07 7", "range none define max 2016-08-10",
      ])
  }

  @Test func `a definition that is invalid at the picker's time uses the bounds of its own time`()
    throws
  {
    var picker = try Picker(#"{"kind":"date"}"#, at: RedefineTests.now)
    let new = try Definition.make(#"{"kind":"date","min":"2016-08-20"}"#)
    #expect(throws: DefinitionProblem.self) { try picker.redefine(new) }
    let answer = try picker.redefine(new, definedAt: Instant("2016-08-20T10:00:00Z"))
    #expect(summary(answer.changes).last == "row 2 20 clamp min 15")
    #expect(picker._checkInvariants() == nil)
  }

  /// Definitions by kind; a test replaces them with others of their kind.
  private static let families: [[String]] = [
    [
      #"{"kind":"date","rememberDay":true}"#, #"{"kind":"date","max":"2016-02-29"}"#,
      #"{"kind":"date","min":"today-P3M","max":"today+P1Y","timeZone":"Asia/Tokyo"}"#,
      #"{"kind":"date","min":"2016-08-01","max":"today+P1D","rememberDay":true}"#,
    ],
    [
      #"{"kind":"slot"}"#, #"{"kind":"slot","hours":[]}"#,
      #"{"kind":"slot","onParentChange":"keep","hours":[{"from":"09:00","until":"17:00"}]}"#,
      #"{"kind":"slot","minutes":90,"stepMinutes":30,"days":9,"timeZone":"America/St_Johns","#
        + #""hours":[{"weekdays":[2,4],"from":"22:00","until":"24:00"},"#
        + #"{"weekdays":[3,5],"from":"00:00","until":"03:00"}],"#
        + #""taken":{"a":{"from":"2016-08-16T22:00","until":"2016-08-17T01:00"}}}"#,
    ],
    [
      #"{"kind":"cascade","nodes":[{"text":"a","children":[{"text":"b"},{"text":"c"}]}]}"#,
      #"{"kind":"cascade","nodes":[{"text":"d"},{"text":"a","children":[{"text":"c"}]}]}"#,
      #"{"kind":"cascade","onParentChange":"keep","nodes":[{"text":"a","children":[{"text":"b","#
        + #""children":[{"text":"x"},{"text":"y"}]}]},{"text":"d","children":[{"text":"c"}]}]}"#,
      #"{"kind":"cascade","nodes":[{"text":"e"}]}"#,
    ],
    [
      #"{"kind":"columns","columns":[["a","b","c"],["x","y"]]}"#,
      #"{"kind":"columns","columns":[["c","d"]]}"#,
      #"{"kind":"columns","columns":[["b"],["y","x"],["q"]]}"#,
    ],
    [
      #"{"kind":"calendar"}"#, #"{"kind":"calendar","maxDays":4,"blocked":[{"weekdays":[1]}]}"#,
      #"{"kind":"calendar","selection":"single","min":"today-P20D"}"#,
      #"{"kind":"calendar","minDays":2,"months":{"from":"thisMonth","through":"thisMonth+P1M"},"#
        + #""taken":{"a":{"from":"2016-08-20","through":"2016-08-22"}}}"#,
    ],
  ]

  @Test(arguments: families)
  func `random commands and definitions keep the value valid and storable`(_ family: [String])
    throws
  {
    var random = RandomSource(seed: 6)
    let definitions = try family.map { try Definition.make($0) }
    var now = Instant(RedefineTests.now)
    var picker = try Picker(definitions[0], now: now)
    var values = [picker.value]
    for _ in 0..<600 {
      let before = picker
      var changes: [PickerChange] = []
      switch Int.random(in: 0..<6, using: &random) {
      case 0, 1:
        if let months = picker.months {
          let month = months.month(at: .random(in: 0..<months.count, using: &random))
          _ = try? picker.tap(.cell(month, .random(in: 0..<42, using: &random)))
        } else {
          let column = Int.random(in: 0..<picker.columns.count, using: &random)
          let count = picker.columns[column].rows.count
          if count > 0 {
            changes = try picker.select(row: .random(in: 0..<count, using: &random), column: column)
          }
        }
        values.append(picker.value)
      case 2:
        now = now.adding(minutes: .random(in: -2_000...3_000, using: &random))
        changes = picker.tick(now).changes
      case 3: changes = picker.restore(values.randomElement(using: &random)!)
      case 4: changes = picker.clear()
      default:
        changes = (try? picker.redefine(definitions.randomElement(using: &random)!).changes) ?? []
      }
      #expect(picker._checkInvariants() == nil)
      #expect(
        folded(before, changes) == picker.columns.map(ShownColumn.init), "\(summary(changes))")
      let state = try #require(StoredPicker(tree: picker.state.tree))
      #expect(state == picker.state)
      #expect(Picker(picker.definition, state: state) == picker)
    }
  }

  /// The state of a column in a client.
  private struct ShownColumn: Equatable {
    var generation: Int
    var keys: [String]
    var selected: String?

    init(_ column: ColumnState) {
      generation = column.generation
      keys = column.rows.keys
      selected = column.selectedKey
    }
  }

  /// The columns that a client folds from changes.
  private func folded(_ before: Picker, _ changes: [PickerChange]) -> [ShownColumn] {
    var columns = before.columns.map(ShownColumn.init)
    for change in changes {
      switch change {
      case .columns(.reload(let index, let state)):
        let column = ShownColumn(state)
        if index == columns.count { columns.append(column) } else { columns[index] = column }
      case .columns(.removal(let index, _)): columns = Array(columns.prefix(index))
      case .columns(.row(let index, let move)): columns[index].selected = move.key
      case .calendar, .availability: continue
      }
    }
    return columns
  }
}
