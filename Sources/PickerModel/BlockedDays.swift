import CivilTime
import JSONText

/// The days that cannot be picked: weekdays, and stretches of dates.
struct BlockedDays: Sendable {
  /// As they were written, a missing `through` filled in.
  private let entries: [Entry]
  private let weekdays: Set<Int>
  /// Ascending, apart from each other.
  private let stretches: [ClosedRange<CivilDate>]

  private enum Entry: Sendable {
    case weekdays([Int])
    case stretch(ClosedRange<CivilDate>)
  }

  static let shape = FieldShape.each(
    .fields(["weekdays": .value, "from": .value, "through": .value]))

  static let none = BlockedDays(entries: [])

  private init(entries: [Entry]) {
    self.entries = entries
    var weekdays: Set<Int> = []
    var all: [ClosedRange<CivilDate>] = []
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
  init(_ tree: JSONTree, _ reader: DefinitionReader) throws(DefinitionProblem) {
    let elements = try tree.elements(named: "blocked")
    let maximum = reader.limits.blockedMax
    guard elements.count <= maximum else {
      throw DefinitionProblem("blocked has \(elements.count) entries; \(maximum) are allowed")
    }
    var entries: [Entry] = []
    for (index, element) in elements.enumerated() {
      do throws(DefinitionProblem) {
        let members = try element.fields(named: "an entry of blocked")
        entries.append(try BlockedDays.entry(reader.reader(for: members)))
      } catch {
        throw error.under(index)
      }
    }
    self.init(entries: entries)
  }

  private static func entry(_ reader: DefinitionReader) throws(DefinitionProblem) -> Entry {
    var reader = reader
    guard !reader.members.isEmpty else {
      throw DefinitionProblem("an entry of blocked has weekdays, or from and through")
    }
    guard reader.has("weekdays") else {
      let from = date("from", missing: nil, &reader)
      let through = date("through", missing: from ?? .first, &reader)
      if let from, let through, through < from {
        reader.report("through", "through is \(through), before from, which is \(from)")
      }
      try reader.finish()
      return .stretch(from!...through!)
    }
    for field in ["from", "through"] where reader.has(field) {
      reader.report(field, "an entry has either weekdays or \(field); use two entries for both")
    }
    let weekdays = reader.field("weekdays", missing: nil) { tree throws(DefinitionProblem) in
      try BlockedDays.weekdays(tree)
    }
    try reader.finish()
    return .weekdays(weekdays!)
  }

  private static func weekdays(_ tree: JSONTree) throws(DefinitionProblem) -> [Int] {
    let elements = try tree.elements(named: "weekdays")
    guard !elements.isEmpty else { throw DefinitionProblem("weekdays must have one day or more") }
    var weekdays: [Int] = []
    for (index, element) in elements.enumerated() {
      do throws(DefinitionProblem) {
        let weekday = try element.integer(in: 1...7, named: "a weekday (1 = Sunday)")
        if !weekdays.contains(weekday) { weekdays.append(weekday) }
      } catch {
        throw error.under(index)
      }
    }
    return weekdays
  }

  private static func date(
    _ field: String, missing: CivilDate?, _ reader: inout DefinitionReader
  ) -> CivilDate? {
    reader.field(field, missing: missing) { tree throws(DefinitionProblem) in
      if case .string(let text) = tree, let date = CivilDate(iso: text.utf8) { return date }
      throw DefinitionProblem("\(field) is \(tree.noun); it must be a plain date: YYYY-MM-DD")
    }
  }

  /// `nil` if there are no entries.
  var document: JSONTree? {
    guard !entries.isEmpty else { return nil }
    return .array(
      entries.map { entry in
        switch entry {
        case .weekdays(let days):
          .object([.init("weekdays", .array(days.map(JSONTree.integer)))])
        case .stretch(let stretch):
          .object([
            .init("from", .string(stretch.lowerBound.iso)),
            .init("through", .string(stretch.upperBound.iso)),
          ])
        }
      })
  }
}

extension BlockedDays {
  func contains(_ date: CivilDate) -> Bool {
    if weekdays.contains(date.weekday) { return true }
    let index = firstStretch(endingFrom: date)
    return index < stretches.count && stretches[index].lowerBound <= date
  }

  /// The first blocked day after `date`, walking towards later days or earlier ones.
  ///
  /// Found by halving the stretches and looking at a week: it costs the same over thousands of
  /// years.
  func next(after date: CivilDate, isLater: Bool) -> CivilDate? {
    let week = (1...7).lazy.compactMap { date.adding(days: isLater ? $0 : -$0) }
    let onWeekday = weekdays.isEmpty ? nil : week.first { weekdays.contains($0.weekday) }
    guard let neighbour = date.adding(days: isLater ? 1 : -1) else { return nil }
    let index = firstStretch(endingFrom: neighbour)
    if isLater {
      let inStretch = index < stretches.count ? max(stretches[index].lowerBound, neighbour) : nil
      return [onWeekday, inStretch].compactMap { $0 }.min()
    }
    if index < stretches.count, stretches[index].lowerBound <= neighbour { return neighbour }
    let inStretch = index > 0 ? stretches[index - 1].upperBound : nil
    return [onWeekday, inStretch].compactMap { $0 }.max()
  }

  /// The index of the first stretch that ends at `date` or later.
  private func firstStretch(endingFrom date: CivilDate) -> Int {
    var low = 0
    var high = stretches.count
    while low < high {
      let middle = (low + high) / 2
      if stretches[middle].upperBound < date { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
