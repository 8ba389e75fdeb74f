import CivilTime
import JSONText
import PickerModel
import PickerSession

/// Generates definitions with few keys, so that sessions want the same ones, and inventories.
enum RandomSale {
  static func definition(
    _ random: inout RandomSource, today: CivilDate, kind: String
  ) -> JSONTree {
    var members: [JSONTree.Member] = [.init("kind", .string(kind))]
    func add(_ name: String, _ value: JSONTree) { members.append(.init(name, value)) }
    switch kind {
    case "slot":
      add("stepMinutes", .integer(random.pick([30, 60])))
      add("minutes", .integer(random.pick([30, 60, 90])))
      if random.coin() { add("bufferMinutes", .integer(random.pick([15, 30]))) }
      add("days", .integer(random.within(2...3)))
      add("leadMinutes", .integer(0))
      let hours = JSONTree.object([
        .init("from", .string("10:00")), .init("until", .string("13:00")),
      ])
      add("hours", .array([hours]))
    case "cascade":
      let halls = ["a/b", "c~"].map { key in
        JSONTree.object([.init("key", .string(key)), .init("text", .string(key))])
      }
      let hall = JSONTree.object([
        .init("key", .string("hall")), .init("text", .string("Halo")),
        .init("children", .array(halls)),
      ])
      let garden = JSONTree.object([
        .init("key", .string("garden")), .init("text", .string("Ĝardeno")),
      ])
      add("nodes", .array(random.coin() ? [hall, garden] : [garden, hall]))
    default:
      add(
        "months",
        .object([
          .init("from", .string("thisMonth")), .init("through", .string("thisMonth+P1M")),
        ]))
      add("min", .string("today"))
      add("max", .string("today+P\(random.within(2...5))D"))
      switch random.below(3) {
      case 0: add("selection", .string("single"))
      case 1: add("maxDays", .integer(3))
      default:
        add("unit", .string("nights"))
        add("maxNights", .integer(3))
      }
    }
    return .object(members)
  }

  /// - Parameter keys: Some may have units of their own.
  static func settings(_ random: inout RandomSource, keys: [String]) -> InventorySettings {
    var settings = InventorySettings(capacity: random.pick([0, 1, 1, 1, 2, 3]))
    for key in keys where random.once(in: 4) { settings.keys[key] = random.within(0...3) }
    settings.units = random.pick([1...1, 1...2, 1...3])
    settings.few = random.pick([0, 1, 5])
    settings.holdSeconds = random.pick([5, 5, 20, 300, 300, 0])
    if random.once(in: 3) { settings.longestHoldSeconds = 2 * settings.holdSeconds }
    if random.once(in: 4) { settings.perHolder = random.within(1...6) }
    settings.isWaiting = !random.once(in: 8)
    settings.offerSeconds = random.pick([5, 20, 900])
    return settings
  }

  /// Keys that sessions may want, mostly ones in their lists.
  static func keys(_ random: inout RandomSource, today: CivilDate, kind: String) -> [String] {
    switch kind {
    case "slot":
      let day = today.adding(days: random.below(3)) ?? today
      let start = 60 * random.within(9...13)
      return (0..<random.pick([1, 1, 3])).map { step in
        let minutes = start + 30 * step
        let minute = minutes % 60 == 0 ? "00" : "30"
        return "\(day.iso)T\(minutes < 600 ? "0" : "")\(minutes / 60):\(minute):00Z"
      }
    case "cascade": return [random.pick(["hall/a~1b", "hall/c~0", "garden", "garden", "nowhere"])]
    default:
      let first = random.within(random.once(in: 8) ? -1...6 : 0...3)
      return (0..<random.pick([1, 1, 2, 3])).map { (today.adding(days: first + $0) ?? today).iso }
    }
  }
}
