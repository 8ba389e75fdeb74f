package import CivilTime
package import JSONText

/// The state of a picker without its definition, as it is stored.
package struct StoredPicker: Hashable, Sendable {
  package var value: PickerSelection
  /// The instant of the last tick.
  package var asOf: Instant
  package var bounds: PickerBounds
  /// The generation of each column, then those of removed columns; empty for a calendar.
  package var generations: [Int]
  /// What each member has a part in.
  package var marks: StoredMarks?

  package init(
    value: PickerSelection, asOf: Instant, bounds: PickerBounds, generations: [Int],
    marks: StoredMarks? = nil
  ) {
    self.value = value
    self.asOf = asOf
    self.bounds = bounds
    self.generations = generations
    self.marks = marks
  }
}

/// The stored form of a picker's state. Dates are `YYYY-MM-DD`, months `YYYY-MM`, instants
/// milliseconds since 1970.
///
/// Existing stores have this form: fields may be added, never changed.
extension StoredPicker {
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
    guard let value = tree["value"].flatMap(PickerSelection.init(tree:)),
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
