import CivilTime
import JSONText

/// The days, or nights, of a calendar that cannot be picked: `blocked` (weekdays and date ranges)
/// and `taken`.
struct BlockedDays: Sendable {
  /// The entries as given, each with its `through`.
  private let entries: [Entry]
  private let taken: [Taken]
  private let weekdays: Set<Int>
  /// The date ranges of both fields, merged: ascending and without overlaps.
  private let stretches: [ClosedRange<CivilDate>]

  /// An entry of `blocked`.
  enum Entry: Sendable {
    case weekdays([Int])
    case stretch(ClosedRange<CivilDate>)
  }

  /// An entry of `taken`.
  struct Taken: Sendable {
    let id: String
    let stretch: ClosedRange<CivilDate>
  }

  static let shape = FieldShape.each(
    .fields(["weekdays": .value, "from": .value, "through": .value]))
  static let takenShape = FieldShape.eachMember(.fields(["from": .value, "through": .value]))

  init(entries: [Entry], taken: [Taken]) {
    self.entries = entries
    self.taken = taken
    var weekdays: Set<Int> = []
    var all = taken.map(\.stretch)
    for entry in entries {
      switch entry {
      case .weekdays(let days): weekdays.formUnion(days)
      case .stretch(let stretch): all.append(stretch)
      }
    }
    all.sort { $0.lowerBound < $1.lowerBound }
    var apart: [ClosedRange<CivilDate>] = []
    for stretch in all {
      if let last = apart.last, stretch.lowerBound <= last.upperBound {
        let end = max(last.upperBound, stretch.upperBound)
        apart[apart.count - 1] = last.lowerBound...end
      } else {
        apart.append(stretch)
      }
    }
    self.weekdays = weekdays
    stretches = apart
  }

  /// Reads the field `blocked`.
  static func entries(
    _ tree: JSONTree, _ reader: DefinitionReader
  ) throws(DefinitionProblem) -> [Entry] {
    try tree.elements(named: "blocked", reader.limits.blockedMax).read {
      element throws(DefinitionProblem) in
      guard element != .object([]) else {
        throw DefinitionProblem("an entry of blocked must have weekdays, or from and through")
      }
      return try reader.object(element, named: "an entry of blocked") { BlockedDays.entry(&$0) }
    }
  }

  /// Reads the field `taken`.
  static func taken(
    _ tree: JSONTree, _ reader: DefinitionReader
  ) throws(DefinitionProblem) -> [Taken] {
    try tree.fields(named: "taken", reader.limits.takenMax).read {
      member throws(DefinitionProblem) in
      try member.checkID(reader.limits)
      return try reader.object(member.value, named: "an entry of taken") {
        BlockedDays.stretch(&$0).map { Taken(id: member.key, stretch: $0) }
      }
    }
  }

  private static func entry(_ reader: inout DefinitionReader) -> Entry? {
    guard reader.has("weekdays") else { return stretch(&reader).map(Entry.stretch) }
    for field in ["from", "through"] where reader.has(field) {
      reader.report(field, "an entry has either weekdays or \(field); use two entries for both")
    }
    return reader.field("weekdays", missing: nil) { tree throws(DefinitionProblem) in
      .weekdays(try tree.weekdays())
    }
  }

  /// Reads `from` and `through` (`from` if it is missing).
  static func stretch(_ reader: inout DefinitionReader) -> ClosedRange<CivilDate>? {
    let from = date("from", missing: nil, &reader)
    let through = date("through", missing: from ?? .first, &reader)
    guard let from, let through else { return nil }
    if from <= through { return from...through }
    reader.report("through", "through is \(through), before from, which is \(from)")
    return nil
  }

  private static func date(
    _ field: String, missing: CivilDate?, _ reader: inout DefinitionReader
  ) -> CivilDate? {
    reader.field(field, missing: missing) { tree throws(DefinitionProblem) in
      if case .string(let text) = tree, let date = CivilDate(iso: text.utf8) { return date }
      throw DefinitionProblem("\(field) is \(tree.noun); it must be a plain date: YYYY-MM-DD")
    }
  }

  /// The fields `blocked` and `taken` of the definition's document; an empty one is left out.
  var members: [JSONTree.Member] {
    var members: [JSONTree.Member] = []
    if !entries.isEmpty { members.append(.init("blocked", .array(entries.map(\.document)))) }
    if !taken.isEmpty {
      let entries = taken.map { JSONTree.Member($0.id, .object($0.stretch.members)) }
      members.append(.init("taken", .object(entries)))
    }
    return members
  }
}

extension BlockedDays.Entry {
  fileprivate var document: JSONTree {
    switch self {
    case .weekdays(let days): .object([.init("weekdays", .array(days.map(JSONTree.integer)))])
    case .stretch(let stretch): .object(stretch.members)
    }
  }
}

extension ClosedRange<CivilDate> {
  var members: [JSONTree.Member] {
    [.init("from", .string(lowerBound.iso)), .init("through", .string(upperBound.iso))]
  }
}

extension BlockedDays {
  func contains(_ date: CivilDate) -> Bool {
    if weekdays.contains(date.weekday) { return true }
    let index = firstStretch(endingFrom: date)
    return index < stretches.count && stretches[index].lowerBound <= date
  }

  /// The nearest blocked day after `date` (`isLater`) or before it; `nil` if there is none.
  ///
  /// A binary search in the date ranges plus at most seven weekdays: the distance does not matter.
  func next(after date: CivilDate, isLater: Bool) -> CivilDate? {
    if weekdays.isEmpty && stretches.isEmpty { return nil }
    let week = (1...7).lazy.compactMap { date.adding(days: isLater ? $0 : -$0) }
    let onWeekday = weekdays.isEmpty ? nil : week.first { weekdays.contains($0.weekday) }
    guard let neighbour = date.adding(days: isLater ? 1 : -1) else { return nil }
    let index = firstStretch(endingFrom: neighbour)
    if isLater {
      let inStretch = index < stretches.count ? max(stretches[index].lowerBound, neighbour) : nil
      return onWeekday.map { min($0, inStretch ?? $0) } ?? inStretch
    }
    if index < stretches.count, stretches[index].lowerBound <= neighbour { return neighbour }
    let inStretch = index > 0 ? stretches[index - 1].upperBound : nil
    return onWeekday.map { max($0, inStretch ?? $0) } ?? inStretch
  }

  /// The index of the first date range that ends on `date` or later; `stretches.count` if none
  /// does.
  private func firstStretch(endingFrom date: CivilDate) -> Int {
    stretches.partitionPoint { $0.upperBound >= date }
  }
}
