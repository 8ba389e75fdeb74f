import CivilTime
import JSONText

/// How long a stay can be, and on which days it can begin and end: the options `minNights`,
/// `maxNights` and `stays` of a calendar of nights.
///
/// - Source: web/guide/definitions.md, "Nights".
struct StayRules: Sendable {
  /// The rules of one day, as an arrival or as a departure.
  struct Day: Sendable {
    var minNights: Int
    /// `Int.max` if there is no maximum.
    var maxNights: Int
    var arrival = true
    var departure = true
  }

  /// An entry of `stays`.
  struct Rule: Sendable {
    /// `nil` for every day.
    let stretch: ClosedRange<CivilDate>?
    /// `nil` for all weekdays.
    let weekdays: [Int]?
    let minNights: Int?
    let maxNights: Int?
    let arrival: Bool?
    let departure: Bool?
  }

  /// Consecutive days on which the rules depend on nothing but the weekday.
  private struct Part: Sendable {
    let first: CivilDate
    /// The rules of each weekday, Sunday first.
    var days: [Day]
  }

  let minNights: Int
  let maxNights: Int?
  /// The entries as given, each with its `through`.
  private let rules: [Rule]
  /// Ascending; the first one begins with the first date, each ends where the next one begins.
  private let parts: [Part]

  static let shape = FieldShape.each(
    .fields([
      "from": .value, "through": .value, "weekdays": .value, "minNights": .value,
      "maxNights": .value, "arrival": .value, "departure": .value,
    ]))

  init(minNights: Int, maxNights: Int?, rules: [Rule]) {
    self.minNights = minNights
    self.maxNights = maxNights
    self.rules = rules
    var firsts: Set<CivilDate> = [.first]
    for case let stretch? in rules.map(\.stretch) {
      firsts.insert(stretch.lowerBound)
      if let after = stretch.upperBound.adding(days: 1) { firsts.insert(after) }
    }
    let day = Day(minNights: minNights, maxNights: maxNights ?? .max)
    var parts = firsts.sorted().map { Part(first: $0, days: Array(repeating: day, count: 7)) }
    for rule in rules {
      for index in parts.indices where rule.stretch?.contains(parts[index].first) ?? true {
        for weekday in rule.weekdays ?? Array(1...7) {
          rule.apply(to: &parts[index].days[weekday - 1])
        }
      }
    }
    self.parts = parts
  }

  /// The memory that the rules take, in bytes, an estimate.
  var byteCount: Int { parts.count * 256 + rules.count * 128 }

  /// The rules of a stay that begins, or ends, on `date`.
  func day(_ date: CivilDate) -> Day { parts[part(of: date)].days[date.weekday - 1] }

  /// The index of the part that has `date`.
  private func part(of date: CivilDate) -> Int {
    max(0, parts.partitionPoint { $0.first > date } - 1)
  }

  // The searches below cost a few steps for each part, whatever the number of days.

  /// The last of `days` on which a stay can end; `nil` if there is none.
  func lastDeparture(in days: ClosedRange<CivilDate>) -> CivilDate? {
    var index = part(of: days.upperBound)
    var last = days.upperBound
    while true {
      let first = max(parts[index].first, days.lowerBound)
      let week = (0..<7).lazy.compactMap { last.adding(days: -$0) }.prefix { $0 >= first }
      if let found = week.first(where: { parts[index].days[$0.weekday - 1].departure }) {
        return found
      }
      if first == days.lowerBound { return nil }
      last = first.adding(days: -1)!
      index -= 1
    }
  }

  /// The first of `days` on which a stay that ends on `departure` can begin without more than its
  /// `maxNights`; `nil` if there is none.
  ///
  /// - Precondition: `departure` is after `days`.
  func firstArrival(in days: ClosedRange<CivilDate>, for departure: CivilDate) -> CivilDate? {
    var index = part(of: days.lowerBound)
    var first = days.lowerBound
    while true {
      let end = index + 1 < parts.count ? parts[index + 1].first.adding(days: -1)! : .last
      let last = min(end, days.upperBound)
      let found = (1...7).compactMap { weekday -> CivilDate? in
        let day = parts[index].days[weekday - 1]
        guard day.arrival else { return nil }
        let tooMany = max(0, departure.days(since: first) - day.maxNights)
        let allowed = first.adding(days: tooMany)!
        let date = allowed.adding(days: (weekday - allowed.weekday + 7) % 7)
        return date.flatMap { $0 <= last ? $0 : nil }
      }
      if let found = found.min() { return found }
      if last == days.upperBound { return nil }
      first = last.adding(days: 1)!
      index += 1
    }
  }
}

extension StayRules.Rule {
  fileprivate func apply(to day: inout StayRules.Day) {
    if let minNights { day.minNights = minNights }
    if let maxNights { day.maxNights = maxNights }
    if let arrival { day.arrival = arrival }
    if let departure { day.departure = departure }
  }

  fileprivate var document: JSONTree {
    let weekdays = weekdays.map { JSONTree.array($0.map(JSONTree.integer)) }
    let fields: [(String, JSONTree?)] = [
      ("weekdays", weekdays), ("minNights", minNights.map(JSONTree.integer)),
      ("maxNights", maxNights.map(JSONTree.integer)), ("arrival", arrival.map(JSONTree.bool)),
      ("departure", departure.map(JSONTree.bool)),
    ]
    return .object(
      (stretch?.members ?? []) + fields.compactMap { name, value in value.map { .init(name, $0) } })
  }
}

extension StayRules {
  /// Reads `minNights`, `maxNights` and `stays`.
  init?(_ reader: inout DefinitionReader) {
    let minNights = reader.integer("minNights", 1...Int.max, missing: 1)
    let maxNights = reader.integer("maxNights", 1...Int.max, missing: Int.max)
    let entries = reader
    let rules = reader.field("stays", missing: []) { tree throws(DefinitionProblem) in
      try StayRules.rules(tree, entries)
    }
    StayRules.check(minNights, maxNights, &reader)
    guard let minNights, let maxNights, let rules else { return nil }
    let given = reader.has("maxNights") ? maxNights : nil
    self.init(minNights: minNights, maxNights: given, rules: rules)
  }

  private static func check(_ minimum: Int?, _ maximum: Int?, _ reader: inout DefinitionReader) {
    guard let minimum, let maximum, minimum > maximum else { return }
    let detail = "minNights is \(minimum), more than maxNights, which is \(maximum)"
    reader.report("minNights", detail)
  }

  private static func rules(
    _ tree: JSONTree, _ reader: DefinitionReader
  ) throws(DefinitionProblem) -> [Rule] {
    try tree.elements(named: "stays", reader.limits.staysMax).read {
      element throws(DefinitionProblem) in
      try reader.object(element, named: "an entry of stays") { StayRules.rule(&$0) }
    }
  }

  private static func rule(_ reader: inout DefinitionReader) -> Rule {
    var stretch: ClosedRange<CivilDate>?
    if reader.has("from") || reader.has("through") { stretch = BlockedDays.stretch(&reader) }
    // A missing field needs no value; the one that `field` and others return for it is not used.
    let weekdays = reader.field("weekdays", missing: [1]) { tree throws(DefinitionProblem) in
      try tree.weekdays()
    }
    let minNights = reader.integer("minNights", 1...Int.max, missing: 1)
    let maxNights = reader.integer("maxNights", 1...Int.max, missing: Int.max)
    let arrival = reader.bool("arrival", missing: true)
    let departure = reader.bool("departure", missing: true)
    check(minNights, maxNights, &reader)
    return Rule(
      stretch: stretch, weekdays: reader.has("weekdays") ? weekdays : nil,
      minNights: reader.has("minNights") ? minNights : nil,
      maxNights: reader.has("maxNights") ? maxNights : nil,
      arrival: reader.has("arrival") ? arrival : nil,
      departure: reader.has("departure") ? departure : nil)
  }

  /// The fields of the definition's document; an empty `stays` is left out.
  var members: [JSONTree.Member] {
    var members = [JSONTree.Member("minNights", .integer(minNights))]
    if let maxNights { members.append(.init("maxNights", .integer(maxNights))) }
    if !rules.isEmpty { members.append(.init("stays", .array(rules.map(\.document)))) }
    return members
  }
}
