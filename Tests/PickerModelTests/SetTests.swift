import CivilTime
import JSONText
import PickerModel
import Testing

/// A whole value at once, compared with what selects and taps do.
@Suite struct SetTests {
  private static let start = CivilDate("2026-10-01")
  private static let days = (0..<40).map { start.adding(days: $0)! }

  private func fields(_ members: KeyValuePairs<String, String>) throws -> ResultFields {
    try ResultFields(.object(members.map { .init($0.key, .string($0.value)) }))
  }

  /// The range or the refusal that two taps on an empty calendar lead to.
  private func tapped(_ empty: Picker, _ days: [CivilDate]) -> Result<DateRange, Refusal> {
    var picker = empty
    var clamp: RangeChange?
    do throws(Refusal) {
      for day in days {
        guard case .calendar(.range(let change)) = try picker.tap(.date(day))[0] else { continue }
        if change.cause == .clamp { clamp = change }
      }
    } catch {
      return .failure(error)
    }
    guard let reason = clamp?.reason else { return .success(picker.range!) }
    return .failure(Refusal(Rejection(rawValue: reason.rawValue)!, ""))
  }

  @Test(arguments: [
    #""minDays":2,"maxDays":9,"blocked":[{"weekdays":[3]},{"from":"2026-10-20"}]"#,
    #""minDays":3,"allowBlockedInside":true,"blocked":[{"weekdays":[1,7]}]"#,
    #""selection":"single","blocked":[{"weekdays":[3]}]"#,
    #""unit":"nights","minNights":2,"maxNights":5,"taken":{"1":{"from":"2026-10-20"}},"#
      + #""stays":[{"weekdays":[1],"arrival":false},{"weekdays":[3],"departure":false}]"#,
  ])
  func `a calendar's value is that of taps which are not clamped`(_ options: String) throws {
    let empty = try Picker(
      #"{"kind":"calendar","months":{"from":"2026-10","through":"2026-10"},"#
        + #""min":"2026-10-04",\#(options)}"#, at: "2026-10-01T10:00:00Z")
    let isSingle = options.contains("single")
    var open = empty
    _ = try open.tap(.date(CivilDate("2026-10-09")))
    var wrong: [String] = []
    for first in Self.days {
      for last in isSingle ? [first] : Self.days {
        let taps = isSingle ? [first] : [first, last]
        let chosen =
          try isSingle
          ? fields(["date": first.iso]) : fields(["start": first.iso, "end": last.iso])
        for before in isSingle ? [empty] : [empty, open] {
          var picker = before
          do throws(Refusal) {
            let changes = try picker.set(chosen)
            let range = try tapped(empty, taps).get()
            let wanted = RangeChange(
              range: range, cause: .set, before: before.range)
            if picker.range != range || changes != [.calendar(.range(wanted))] {
              wrong.append("\(taps)")
            }
          } catch {
            let code: Rejection? =
              if case .failure(let refusal) = tapped(empty, taps) {
                refusal.code
              } else { nil }
            if error.code != code || picker != before { wrong.append("\(taps): \(error)") }
          }
        }
      }
    }
    #expect(wrong.prefix(3) == [])
  }

  @Test func `every date within the bounds can be set, and no other`() throws {
    let fresh = try Picker(
      #"{"kind":"date","min":"2026-10-05","max":"2027-01-07"}"#, at: "2026-10-01T10:00:00Z")
    let bounds = try #require(fresh.dateBounds)
    for offset in -40...140 {
      let date = Self.start.adding(days: offset)!
      var picker = fresh
      do throws(Refusal) {
        _ = try picker.set(try! fields(["date": date.iso]))
        #expect(bounds.contains(date) && picker.result["date"]?.string == date.iso)
        #expect(picker._checkInvariants() == nil)
      } catch {
        #expect(!bounds.contains(date) && error.code == .noSuchRow && picker == fresh)
      }
    }
  }

  @Test func `every slot that selects reach can be set by its local time and by its instant`()
    throws
  {
    let definition =
      #"{"kind":"slot","timeZone":"Europe/Berlin","stepMinutes":30,"days":4,"leadMinutes":0,"#
      + #""onParentChange":"keep","hours":[{"from":"01:00","until":"04:00"},{"from":"22:00","#
      + #""until":"24:00"}],"taken":{"1":{"from":"2026-10-24T02:00","until":"2026-10-24T03:00"}}}"#
    let fresh = try Picker(definition, at: "2026-10-23T09:00:00Z")
    var slots: Set<String> = []
    for day in 0..<fresh.columns[0].rows.count {
      var picker = fresh
      _ = try picker.select(row: day, column: 0)
      for hour in 0..<picker.columns[1].rows.count {
        _ = try picker.select(row: hour, column: 1)
        for minute in 0..<picker.columns[2].rows.count {
          _ = try picker.select(row: minute, column: 2)
          slots.insert(picker.result["local"]!.string!)
          for field in ["local", "instant"] {
            var other = fresh
            _ = try other.set(fields([field: picker.result[field]!.string!]))
            #expect(other.result == picker.result && other._checkInvariants() == nil)
          }
        }
      }
    }
    for day in 23...28 {
      for minute in 0..<48 {
        let local =
          "2026-10-\(day)T" + (minute < 20 ? "0" : "") + "\(minute / 2):"
          + (minute % 2 == 0 ? "00" : "30")
        var picker = fresh
        do throws(Refusal) {
          _ = try picker.set(try! fields(["local": local]))
          #expect(slots.contains(local))
        } catch {
          #expect(!slots.contains(local) && error.code == .noSuchRow, "\(local)")
        }
      }
    }
  }

  @Test func `a first value has generation 1 in all columns, and no other value before it`() throws
  {
    let definition = try Definition.make(
      #"{"kind":"cascade","nodes":[{"text":"a","children":[{"text":"x"}]},{"text":"b"}]}"#)
    let now = Instant("2026-10-01T10:00:00Z")
    let keys = try ResultFields(.object([.init("keys", .array([.string("b")]))]))

    let picker = try Picker(definition, now: now, result: keys)

    #expect(picker.keys == ["b"] && picker.columns.map(\.generation) == [1, 1])
    let problem = #expect(throws: DefinitionProblem.self) {
      try Picker(definition, now: now, result: try fields(["date": "2026-10-01"]))
    }
    #expect(problem?.pointer == "/result" && problem?.refusal?.code == .wrongKind)
  }

  @Test func `instants at the ends of the calendar name no slot`() throws {
    var picker = try Picker(
      #"{"kind":"slot","timeZone":"Pacific/Kiritimati"}"#, at: "2026-10-23T09:00:00Z")
    for instant in ["9999-12-31T23:59:59.999Z", "0001-01-01T00:00:00Z"] {
      let refusal = #expect(throws: Refusal.self) { try picker.set(fields(["instant": instant])) }
      #expect(refusal?.params.last?.value == .integer(0))
    }
  }
}
