import CivilTime
package import JSONText

/// The stored form of a picker's state. Dates are `YYYY-MM-DD`, months `YYYY-MM`, instants
/// milliseconds since 1970.
///
/// Existing stores have this form: fields may be added, never changed.
extension PickerState {
  package var tree: JSONTree {
    .object(
      [
        .init("value", value.tree), .init("asOf", .integer(Int(asOf.milliseconds))),
        .init("bounds", bounds.tree),
        .init("generations", .array(generations.map(JSONTree.integer))),
      ] + (marks.map { [.init("marks", $0.tree)] } ?? []))
  }

  /// Reads what ``tree`` wrote; `nil` for anything else.
  package init?(tree: JSONTree) {
    guard let value = tree["value"].flatMap(PickerValue.init(tree:)),
      let asOf = tree["asOf"]?.integer.flatMap(Instant.init(stored:)),
      let bounds = tree["bounds"].flatMap(PickerBounds.init(tree:)),
      let generations = tree["generations"]?.array
    else { return nil }
    let counts = generations.compactMap(\.integer)
    guard counts.count == generations.count, counts.allSatisfy({ $0 >= 1 }) else { return nil }
    let marks = tree["marks"].map(StoredMarks.init(tree:))
    if case .some(nil) = marks { return nil }
    self.init(
      value: value, asOf: asOf, bounds: bounds, generations: counts, marks: marks ?? nil)
  }

  /// Whether ``Picker/init(_:state:)`` can restore the state: its bounds and value are of the
  /// definition's kind.
  package func fits(_ definition: Definition) -> Bool {
    switch (definition.kind, bounds, value) {
    case (.date, .dates, .keys), (.slot, .slots, .keys), (.cascade, .fixed, .keys),
      (.columns, .fixed, .keys), (.calendar, .calendar, .range):
      true
    case (.availability, _, .range): definition.fitMarks(marks, within: bounds)
    case (.date, _, _), (.slot, _, _), (.cascade, _, _), (.columns, _, _), (.calendar, _, _),
      (.availability, _, _):
      false
    }
  }
}

extension PickerValue {
  package var tree: JSONTree {
    switch self {
    case .keys(let keys, let goalDay):
      .object(
        [.init("keys", .array(keys.map(JSONTree.string)))]
          + (goalDay.map { [.init("goalDay", .integer($0))] } ?? []))
    case .range(let range): .object([.init("range", range?.tree ?? .null)])
    }
  }

  /// Reads what ``tree`` wrote; `nil` for anything else.
  package init?(tree: JSONTree) {
    if let keys = tree["keys"]?.array {
      let texts = keys.compactMap(\.string)
      let goalDay = tree["goalDay"]?.integer
      guard texts.count == keys.count, goalDay.map((1...31).contains) ?? true else { return nil }
      self = .keys(texts, goalDay: goalDay)
    } else if let range = tree["range"] {
      if case .null = range {
        self = .range(nil)
      } else {
        guard let range = DateRange(tree: range) else { return nil }
        self = .range(range)
      }
    } else {
      return nil
    }
  }
}

extension DateRange {
  fileprivate var tree: JSONTree {
    .object(
      [
        .init("start", .string(start.iso)), .init("end", .string(end.iso)),
        .init("hits", .integer(hits)), .init("single", .bool(isSingle)),
      ] + (isStay ? [.init("nights", .bool(true))] : []))
  }

  fileprivate init?(tree: JSONTree) {
    guard let start = tree.date("start"), let end = tree.date("end"), start <= end,
      let hits = tree["hits"]?.integer, hits >= 1, let isSingle = tree["single"]?.bool
    else { return nil }
    let isStay = tree["nights"]?.bool ?? false
    self.init(start: start, end: end, hits: hits, isSingle: isSingle, isStay: isStay)
  }
}

extension PickerBounds {
  fileprivate var tree: JSONTree {
    switch self {
    case .fixed: .object([])
    case .dates(let bounds):
      .object([
        .init("min", .string(bounds.lowerBound.iso)), .init("max", .string(bounds.upperBound.iso)),
      ])
    case .slots(let earliest):
      .object([.init("earliest", .integer(Int(earliest.milliseconds)))])
    case .calendar(let bounds):
      .object([
        .init("first", .string(bounds.months.first.iso)),
        .init("last", .string(bounds.months.last.iso)),
        .init("min", .string(bounds.min.iso)), .init("max", .string(bounds.max.iso)),
      ])
    }
  }

  fileprivate init?(tree: JSONTree) {
    guard let members = tree.members else { return nil }
    if members.isEmpty {
      self = .fixed
    } else if let earliest = tree["earliest"]?.integer.flatMap(Instant.init(stored:)) {
      self = .slots(earliest: earliest)
    } else {
      guard let min = tree.date("min"), let max = tree.date("max") else { return nil }
      if let first = tree.month("first"), let last = tree.month("last"), first <= last {
        let months = MonthList(first: first, last: last)
        self = .calendar(CalendarBounds(months: months, min: min, max: max))
      } else {
        guard min <= max, members.count == 2 else { return nil }
        self = .dates(min...max)
      }
    }
  }
}

extension JSONTree {
  fileprivate func date(_ field: String) -> CivilDate? {
    self[field]?.string.flatMap { CivilDate(iso: $0.utf8) }
  }

  fileprivate func month(_ field: String) -> CivilMonth? {
    self[field]?.string.flatMap { CivilMonth(iso: $0.utf8) }
  }
}
