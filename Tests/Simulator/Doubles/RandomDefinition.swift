import CivilTime
import JSONText

/// Generates definitions of every kind with random options; some of them are invalid.
struct RandomDefinition {
  static let kinds = ["date", "slot", "cascade", "columns", "calendar", "availability"]

  private var members: [JSONTree.Member] = []
  private let today: CivilDate

  private init(today: CivilDate) { self.today = today }

  /// - Parameters:
  ///   - today: The date near which `taken` and `dates` are.
  ///   - kind: The kind; `nil` for a random one.
  static func make(
    _ random: inout RandomSource, today: CivilDate, kind: String? = nil
  ) -> JSONTree {
    var definition = RandomDefinition(today: today)
    let kind =
      kind ?? random.pick(["date", "slot", "cascade", "columns", "calendar", "calendar"])
    definition.add("kind", .string(kind))
    definition.add("timeZone", .string(random.pick(SimulatedZones.names)))
    if random.coin() {
      definition.add("locale", .string(random.pick(["en", "zh-Hans", "eo", "tlh"])))
    }
    switch kind {
    case "date": definition.addDate(&random)
    case "slot": definition.addSlot(&random)
    case "cascade": definition.addCascade(&random)
    case "columns": definition.addColumns(&random)
    case "availability": definition.addAvailability(&random)
    default: definition.addCalendar(&random)
    }
    return .object(definition.members)
  }

  private mutating func add(_ name: String, _ value: JSONTree) {
    members.append(.init(name, value))
  }

  private mutating func addDate(_ random: inout RandomSource) {
    let bounds = [
      ("today-P3D", "today+P40D"), ("today", "today+P1Y1M1D"), ("2010-02-27", "2027-03-02"),
      ("today-P18Y", "today"), ("today-P1D", "today+P1D"), ("0001-01-01", "9999-12-31"),
    ]
    // Not valid any more when the clock has passed the fixed date.
    let near = [("today", date(random.within(1...40))), (date(-random.within(1...40)), "today")]
    if random.once(in: 5) { return }
    let (min, max) = random.pick(random.coin() ? near : bounds)
    add("min", .string(min))
    add("max", .string(max))
    if random.once(in: 3) { add("rememberDay", .bool(true)) }
    if random.coin() {
      let initial = [min, max, "today", "2024-02-29", "today-P1M", "today+P2W"]
      add("initial", .string(random.pick(initial)))
    }
  }

  private mutating func addSlot(_ random: inout RandomSource) {
    add("leadMinutes", .integer(random.pick([0, 1, 20, 90, 1500])))
    add("stepMinutes", .integer(random.pick([1, 5, 10, 30, 60])))
    add("days", .integer(random.pick([1, 2, 3, 30])))
    addOnParentChange(&random)
    addOpening(&random)
  }

  /// Opening hours, exceptions, the length of bookings, and taken times.
  private mutating func addOpening(_ random: inout RandomSource) {
    let windows = [("00:00", "24:00"), ("09:00", "17:30"), ("22:00", "24:00"), ("01:30", "02:30")]
    func window(_ random: inout RandomSource) -> JSONTree {
      let (from, until) = random.pick(windows)
      return .object([.init("from", .string(from)), .init("until", .string(until))])
    }
    if random.once(in: 3) { add("minutes", .integer(random.pick([1, 45, 600]))) }
    if random.once(in: 3) {
      add("hours", .array((0..<random.below(3)).map { _ in window(&random) }))
    }
    if random.once(in: 3) {
      let dates = (0..<random.within(1...3)).map { offset in
        JSONTree.Member(date(offset), .array(random.coin() ? [] : [window(&random)]))
      }
      add("dates", .object(dates))
    }
    if random.coin() {
      let taken = (0..<random.within(1...4)).map { number in
        let hour = random.within(10...20)
        return JSONTree.Member(
          "booking \(number)",
          .object([
            .init("from", .string("\(date(random.below(3)))T\(hour):00")),
            .init("until", .string("\(date(random.within(2...3)))T\(hour + 1):30")),
          ]))
      }
      add("taken", .object(taken))
      if random.coin() { add("bufferMinutes", .integer(random.pick([0, 10, 1440]))) }
    }
  }

  private func date(_ offset: Int) -> String { (today.adding(days: offset) ?? today).iso }

  private mutating func addOnParentChange(_ random: inout RandomSource) {
    if random.coin() { add("onParentChange", .string(random.pick(["first", "keep"]))) }
  }

  private mutating func addCascade(_ random: inout RandomSource) {
    add("nodes", .array(nodes(&random, depth: random.within(1...4))))
    addOnParentChange(&random)
  }

  /// Siblings with keys that other branches have too, so that `onParentChange: "keep"` finds some
  /// of them.
  private func nodes(_ random: inout RandomSource, depth: Int) -> [JSONTree] {
    let count = depth == 1 && random.once(in: 8) ? 300 : random.within(1...4)
    return (0..<count).map { index in
      var node: [JSONTree.Member] = [.init("text", .string("nodo \(index) \"é\"\n"))]
      if random.coin() { node.append(.init("key", .string("k\(index)"))) }
      if depth > 1, !random.once(in: 4) {
        node.append(.init("children", .array(nodes(&random, depth: depth - 1))))
      }
      return .object(node)
    }
  }

  private mutating func addColumns(_ random: inout RandomSource) {
    let columns = (0..<random.within(1...4)).map { _ in
      let count = random.once(in: 6) ? 700 : random.within(1...12)
      return JSONTree.array((0..<count).map { .string("rĝ \($0)") })
    }
    add("columns", .array(columns))
  }

  private mutating func addCalendar(_ random: inout RandomSource) {
    if !random.once(in: 5) {
      let lists = [
        ("thisMonth-P2M", "thisMonth+P2M"), ("thisMonth", "thisMonth"),
        ("2024-01", "2027-12"), ("thisYear-P1Y", "thisMonth+P1M"), ("0001-02", "9999-11"),
      ]
      let (from, through) = random.pick(lists.dropLast(random.once(in: 4) ? 0 : 1))
      add("months", .object([.init("from", .string(from)), .init("through", .string(through))]))
    }
    if random.coin() { add("firstWeekday", .integer(random.within(1...7))) }
    if random.coin() { add("weeks", .string(random.pick(["six", "fit"]))) }
    let isNights = random.once(in: 3)
    if isNights { addNights(&random) } else { addDays(&random) }
    if random.once(in: 4) { add("currency", .string(random.pick(["EUR", "JPY"]))) }
    if random.once(in: 3) {
      add("min", .string(random.pick(["today", "today-P10D", "2025-05-05"])))
    }
    if random.once(in: 3) { add("max", .string(random.pick(["today+P10D", "today+P45D"]))) }
    if random.once(in: 3) {
      let weekend = JSONTree.array([.integer(1), .integer(7)])
      add("blocked", .array([.object([.init("weekdays", weekend)])]))
      if !isNights, random.coin() { add("allowBlockedInside", .bool(random.coin())) }
    }
    guard random.once(in: 3) else { return }
    let taken = (0..<random.within(1...4)).map { number in
      let first = random.within(-10...10)
      return JSONTree.Member(
        "stay \(number)",
        .object([
          .init("from", .string(date(first))),
          .init("through", .string(date(first + random.below(4)))),
        ]))
    }
    add("taken", .object(taken))
  }

  private mutating func addAvailability(_ random: inout RandomSource) {
    let areTimes = random.coin()
    let from = random.within(-2...2)
    let dates = [
      JSONTree.object([
        .init("from", .string(date(from))), .init("through", .string(date(from + random.below(6)))),
      ]),
      .object([.init("from", .string("today")), .init("through", .string("today+P3D"))]),
      .array((0..<random.within(1...5)).map { .string(date(from + 2 * $0)) }),
    ]
    add("dates", random.pick(dates))
    if areTimes {
      add("stepMinutes", .integer(random.pick([30, 60])))
      let hours = [("09:00", "12:00"), ("00:00", "24:00"), ("00:30", "03:00"), ("22:00", "24:00")]
      let (from, until) = random.pick(hours)
      if random.coin() {
        let window = JSONTree.object([
          .init("from", .string(from)), .init("until", .string(until)),
        ])
        add("hours", .array([window]))
      }
      if random.once(in: 3) { addTakenHour(&random) }
    }
    if random.once(in: 4) {
      add("blocked", .array([.object([.init("from", .string(date(random.within(-1...3))))])]))
    }
    if random.coin() { add("firstWeekday", .integer(random.within(1...7))) }
    if random.coin() { add("length", .integer(random.within(1...4))) }
    if random.once(in: 3) { add("unmarked", .string("yes")) }
    if random.once(in: 3) { add("minimum", .integer(random.within(1...3))) }
    if random.once(in: 3) { add("maybe", .bool(random.coin())) }
    add("results", .string(random.pick(["everyone", "counts", "owner"])))
    if random.once(in: 4) { add("closes", .string("\(date(random.within(-1...3)))T12:00")) }
  }

  private mutating func addTakenHour(_ random: inout RandomSource) {
    let day = date(random.below(3))
    add(
      "taken",
      .object([
        .init(
          "room",
          .object([
            .init("from", .string("\(day)T10:00")), .init("until", .string("\(day)T11:00")),
          ]))
      ]))
  }

  private mutating func addDays(_ random: inout RandomSource) {
    if random.once(in: 4) { add("selection", .string("single")) }
    if random.once(in: 4) { add("minDays", .integer(random.within(1...4))) }
    if random.once(in: 3) { add("maxDays", .integer(random.within(4...12))) }
  }

  private mutating func addNights(_ random: inout RandomSource) {
    add("unit", .string("nights"))
    if random.once(in: 4) { add("minNights", .integer(random.within(1...4))) }
    if random.once(in: 3) { add("maxNights", .integer(random.within(4...12))) }
    guard random.coin() else { return }
    let rules = (0..<random.within(1...3)).map { _ in
      var rule: [JSONTree.Member] = []
      if random.coin() {
        let first = random.within(-20...20)
        rule.append(.init("from", .string(date(first))))
        rule.append(.init("through", .string(date(first + random.below(30)))))
      }
      if random.coin() { rule.append(.init("weekdays", .array([.integer(random.within(1...7))]))) }
      if random.once(in: 3) { rule.append(.init("minNights", .integer(random.within(1...4)))) }
      rule.append(.init(random.pick(["arrival", "departure"]), .bool(random.coin())))
      return JSONTree.object(rule)
    }
    add("stays", .array(rules))
  }
}

extension RandomSource {
  fileprivate mutating func pick<Element>(_ elements: ArraySlice<Element>) -> Element {
    pick(Array(elements))
  }
}
