import JSONText

/// Definitions of every kind, with every option now and then, also such that are none.
struct RandomDefinition {
  private var members: [JSONTree.Member] = []

  static func make(_ chance: inout Chance) -> JSONTree {
    var definition = RandomDefinition()
    let kind = chance.pick(["date", "slot", "cascade", "columns", "calendar", "calendar"])
    definition.add("kind", .string(kind))
    definition.add("timeZone", .string(chance.pick(SimulatedZones.names)))
    if chance.coin() {
      definition.add("locale", .string(chance.pick(["en", "zh-Hans", "eo", "tlh"])))
    }
    switch kind {
    case "date": definition.addDate(&chance)
    case "slot": definition.addSlot(&chance)
    case "cascade": definition.addCascade(&chance)
    case "columns": definition.addColumns(&chance)
    default: definition.addCalendar(&chance)
    }
    return .object(definition.members)
  }

  private mutating func add(_ name: String, _ value: JSONTree) {
    members.append(.init(name, value))
  }

  private mutating func addDate(_ chance: inout Chance) {
    let bounds = [
      ("today-P3D", "today+P40D"), ("today", "today+P1Y1M1D"), ("2010-02-27", "2027-03-02"),
      ("today-P18Y", "today"), ("today-P1D", "today+P1D"), ("0001-01-01", "9999-12-31"),
    ]
    if chance.once(in: 5) { return }
    let (min, max) = chance.pick(bounds)
    add("min", .string(min))
    add("max", .string(max))
    if chance.coin() {
      add("initial", .string(chance.pick(["today", "2024-02-29", "today-P1M", "today+P2W"])))
    }
  }

  private mutating func addSlot(_ chance: inout Chance) {
    add("leadMinutes", .integer(chance.pick([0, 1, 20, 90, 1500])))
    add("stepMinutes", .integer(chance.pick([1, 5, 10, 30, 60])))
    add("days", .integer(chance.pick([1, 2, 3, 30])))
    addOnParentChange(&chance)
  }

  private mutating func addOnParentChange(_ chance: inout Chance) {
    if chance.coin() { add("onParentChange", .string(chance.pick(["first", "keep"]))) }
  }

  private mutating func addCascade(_ chance: inout Chance) {
    add("nodes", .array(nodes(&chance, depth: chance.within(1...4))))
    addOnParentChange(&chance)
  }

  /// Siblings whose keys come again in other branches, so that `keep` finds some of them.
  private func nodes(_ chance: inout Chance, depth: Int) -> [JSONTree] {
    let count = depth == 1 && chance.once(in: 8) ? 300 : chance.within(1...4)
    return (0..<count).map { index in
      var node: [JSONTree.Member] = [.init("text", .string("nodo \(index) \"é\"\n"))]
      if chance.coin() { node.append(.init("key", .string("k\(index)"))) }
      if depth > 1, !chance.once(in: 4) {
        node.append(.init("children", .array(nodes(&chance, depth: depth - 1))))
      }
      return .object(node)
    }
  }

  private mutating func addColumns(_ chance: inout Chance) {
    let columns = (0..<chance.within(1...4)).map { _ in
      let count = chance.once(in: 6) ? 700 : chance.within(1...12)
      return JSONTree.array((0..<count).map { .string("rĝ \($0)") })
    }
    add("columns", .array(columns))
  }

  private mutating func addCalendar(_ chance: inout Chance) {
    if !chance.once(in: 5) {
      let lists = [
        ("thisMonth-P2M", "thisMonth+P2M"), ("thisMonth", "thisMonth"),
        ("2024-01", "2027-12"), ("thisYear-P1Y", "thisMonth+P1M"), ("0001-02", "9999-11"),
      ]
      let (from, through) = chance.pick(lists.dropLast(chance.once(in: 4) ? 0 : 1))
      add("months", .object([.init("from", .string(from)), .init("through", .string(through))]))
    }
    if chance.coin() { add("firstWeekday", .integer(chance.within(1...7))) }
    if chance.coin() { add("weeks", .string(chance.pick(["six", "fit"]))) }
    if chance.once(in: 4) { add("selection", .string("single")) }
    if chance.once(in: 3) {
      add("min", .string(chance.pick(["today", "today-P10D", "2025-05-05"])))
    }
    if chance.once(in: 3) { add("max", .string(chance.pick(["today+P10D", "today+P45D"]))) }
    if chance.once(in: 4) { add("minDays", .integer(chance.within(1...4))) }
    if chance.once(in: 3) { add("maxDays", .integer(chance.within(4...12))) }
    if chance.once(in: 3) {
      let weekend = JSONTree.array([.integer(1), .integer(7)])
      add("blocked", .array([.object([.init("weekdays", weekend)])]))
      if chance.coin() { add("allowBlockedInside", .bool(chance.coin())) }
    }
  }
}

extension Chance {
  fileprivate mutating func pick<Element>(_ elements: ArraySlice<Element>) -> Element {
    pick(Array(elements))
  }
}
