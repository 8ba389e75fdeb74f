import CivilTime
import JSONText
import PickerModel
import Testing

@Suite struct NightsTests {
  private static let now = "2016-05-15T10:00:00Z"
  private static let days = (0...121).map { StayOracle.first.adding(days: $0)! }

  private func tap(_ picker: inout Picker, _ date: CivilDate) -> StayOracle.Outcome {
    do throws(Refusal) {
      guard case .calendar(.range(let change)) = try picker.tap(.date(date))[0],
        let range = change.range
      else { return .refused("no range") }
      #expect(change.wanted == (change.reason == nil ? nil : date))
      #expect(change.cause == (change.reason == nil ? .tap : .clamp))
      return .stay(range.start, range.end, reason: change.reason?.rawValue)
    } catch {
      return .refused(error.code.rawValue)
    }
  }

  @Test(arguments: 0..<20)
  func `taps, reach and cells equal those of a walk day by day`(_ seed: UInt64) throws {
    var random = RandomSource(seed: seed)
    let oracle = StayOracle(using: &random)
    let fresh = try Picker(oracle.json, at: NightsTests.now)
    var wrong: [String] = []
    func compare<Value: Equatable>(_ name: String, _ found: Value, _ wanted: Value) {
      if found != wanted { wrong.append("\(name): \(found), not \(wanted)") }
    }
    for month in ["2016-06", "2016-07", "2016-08", "2016-09"].map(CivilMonth.init) {
      for cell in fresh.cells(of: month)! where !cell.isOutside {
        let (arrival, departure) = (oracle.canArrive(cell.date), oracle.canDepart(cell.date))
        compare("\(cell.date) is disabled", cell.isDisabled, !arrival && !departure)
        let only: Cell.Turnover? =
          arrival == departure ? nil : arrival ? .arrival : .departure
        compare("only of \(cell.date)", cell.only, only)
      }
    }
    for first in NightsTests.days {
      var open = fresh
      let begun = tap(&open, first)
      if let code = oracle.refusal(ofFirst: first) {
        compare("first tap on \(first)", begun, .refused(code))
        continue
      }
      compare("first tap on \(first)", begun, .stay(first, first, reason: nil))
      compare("reach of \(first)", open.reach, oracle.reach(first))
      for _ in 0..<8 {
        let day = NightsTests.days.randomElement(using: &random)!
        guard day >= oracle.min, day <= oracle.max else { continue }
        var picker = open
        let found = tap(&picker, day)
        compare("\(first) to \(day)", found, oracle.second(first, day))
        if case .refused = found { compare("unchanged", picker, open) }
        if let broken = picker._checkInvariants() { wrong.append(broken) }
      }
    }
    #expect(wrong.prefix(3) == [], "\(oracle.json)")
  }

  @Test(arguments: 0..<40)
  func `a definition keeps what a walk day by day leaves of a stay`(_ seed: UInt64) throws {
    var random = RandomSource(seed: 1_000 + seed)
    let (before, after) = (StayOracle(using: &random), StayOracle(using: &random))
    let fresh = try Picker(before.json, at: NightsTests.now)
    let definition = try Definition.make(after.json)
    var wrong: [String] = []
    for _ in 0..<200 {
      var picker = fresh
      let first = NightsTests.days.randomElement(using: &random)!
      guard case .stay = tap(&picker, first) else { continue }
      var open = picker
      _ = try open.redefine(definition)
      let keptOpen = after.refusal(ofFirst: first) == nil ? first : nil
      if open.range?.start != keptOpen { wrong.append("open at \(first): \(open.range as Any)") }

      let day = NightsTests.days.randomElement(using: &random)!
      guard case .stay(let start, let end, _) = tap(&picker, day) else { continue }
      let answer = try picker.redefine(definition)
      let change = answer.changes.compactMap { change in
        if case .calendar(.range(let change)) = change { change } else { nil }
      }.first
      let reason = change?.reason?.rawValue
      let found: StayOracle.Outcome =
        picker.range.map { .stay($0.start, $0.end, reason: reason) } ?? .refused(reason ?? "none")
      if found != after.kept(start, end) {
        wrong.append("\(start) to \(end): \(found), not \(after.kept(start, end))")
      }
      if let broken = picker._checkInvariants() { wrong.append(broken) }
      let restored = Picker(definition, state: StoredPicker(tree: picker.state.tree)!)
      if restored != picker { wrong.append("the stored state differs") }
    }
    #expect(wrong.prefix(3) == [], "\(before.json) \(after.json)")
  }

  @Test func `a tap in a list of 12000 months with 400 rules visits few days`() throws {
    let rules = (0..<400).map { index in
      let from = CivilDate("0100-01-01").adding(days: index * 900)!
      return #"{"from":"\#(from)","through":"\#(from.adding(days: 450)!)","arrival":false}"#
    }
    let json = """
      {"kind":"calendar","unit":"nights","months":{"from":"0100-01","through":"1099-12"},
       "stays":[{"arrival":false,"departure":false},{"from":"0100-01-01","arrival":true},
        \(rules[1...398].joined(separator: ","))]}
      """
    var picker = try Picker(json, at: NightsTests.now)
    _ = try picker.tap("0100-01-01")
    #expect(picker.reach == CivilDate("0100-01-01")...CivilDate("0100-01-01"))
    #expect { try picker.tap("1099-12-31") } throws: {
      ($0 as? Refusal)?.code == .noDeparture
    }
  }

  @Test func `a refusal of a stay has its facts`() throws {
    let json = """
      {"kind":"calendar","unit":"nights","months":{"from":"2016-06","through":"2016-06"},
       "minNights":2,"maxNights":5,"blocked":[{"from":"2016-06-20"}],
       "stays":[{"from":"2016-06-05","arrival":false},{"from":"2016-06-10","minNights":4}]}
      """
    func refusal(_ first: String, _ second: String) throws -> Refusal? {
      var picker = try Picker(json, at: NightsTests.now)
      _ = try picker.tap(first)
      do throws(Refusal) {
        _ = try picker.tap(.date(CivilDate(second)))
        return nil
      } catch {
        return error
      }
    }
    let tooShort = try #require(try refusal("2016-06-12", "2016-06-10"))
    #expect(tooShort.code == .minNights)
    #expect(
      tooShort.detail
        == "2016-06-10 to 2016-06-12 has 2 nights; the minimum for this arrival is 4")
    #expect(tooShort.params == [.init("nights", .integer(2)), .init("minNights", .integer(4))])
    let forbidden = try #require(try refusal("2016-06-05", "2016-06-07"))
    #expect(forbidden.code == .noArrival)
    #expect(forbidden.params == [.init("date", .string("2016-06-05"))])
    #expect(forbidden.detail == "a stay cannot begin on 2016-06-05")
  }
}
