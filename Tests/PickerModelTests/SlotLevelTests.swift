import CivilTime
import JSONText
import Testing

@testable import PickerModel

/// Slots of an inventory.
@Suite struct SlotLevelTests {
  private let noon = Instant(rfc3339: "2026-11-20T12:00:00Z".utf8)!

  private func definition(_ fields: String) throws -> Definition {
    try Definition.make(
      from: try JSONTree.parse(Array(#"{"kind":"slot","leadMinutes":0,\#(fields)}"#.utf8))
    ) { _ in .utc }
  }

  @Test(arguments: [(15, 15, 0), (15, 20, 10), (30, 90, 15), (60, 30, 0)])
  func `a slot is open if all of its keys are`(step: Int, minutes: Int, buffer: Int) throws {
    let definition = try definition(
      #""stepMinutes":\#(step),"minutes":\#(minutes),"bufferMinutes":\#(buffer)"#)
    guard case .slot(let kind) = definition.rules else { return }
    let date = CivilDate(iso: "2026-11-21".utf8)!
    let midnight = Instant(rfc3339: "2026-11-21T00:00:00Z".utf8)!.seconds
    for seed in 1...50 {
      // Closed keys in some pattern, in half of the worlds those that are not named.
      let others: KeyLevel? = seed % 2 == 0 ? .gone : nil
      let named = (0..<48 * 60 / step).filter { ($0 * seed + $0 / 7) % 11 < 3 }.map { index in
        let key = Instant(seconds: midnight + Int64(index * step * 60)).rfc3339Seconds
        return (key, seed % 2 == 0 ? KeyLevel?.none : .some(.held))
      }
      let levels = KeyLevels(
        Dictionary(uniqueKeysWithValues: named), others: others, for: .slot)
      var times = SlotTimes(kind: kind, zone: .utc)
      func starts() -> [Int] {
        times.runs(of: date, from: noon).flatMap { run in
          Array(
            stride(from: run.seconds.lowerBound, through: run.seconds.upperBound, by: step * 60))
        }
      }
      let expected = starts().filter {
        times.level(ofStart: midnight + Int64($0), levels).isOpen
      }
      times.levels = levels
      #expect(starts() == expected)
    }
  }

  @Test
  func `a year of minutes that are sold out is searched at once`() throws {
    let definition = try definition(#""stepMinutes":1,"minutes":1440,"bufferMinutes":1440"#)
    var picker = try Picker(definition, now: noon)

    _ = picker.see(KeyLevels([:], others: .gone, for: .slot))

    #expect(picker.result == .null)
  }
}
