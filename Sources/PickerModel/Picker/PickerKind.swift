package import JSONText

/// The kinds of picker, with their names on the wire.
///
/// - Source: web/guide/definitions.md.
package enum PickerKind: String, Hashable, Sendable, CaseIterable {
  /// Columns for year, month and day.
  case date
  /// Columns for day, hour and minute of a booking.
  case slot
  /// A tree with a column for each level.
  case cascade
  /// Independent columns.
  case columns
  /// A list of months in which two taps select a range, or one tap a day.
  case calendar
  /// Dates or times that members mark.
  case availability

  /// The kind's index in `allCases`, without allocating them.
  package var number: Int {
    switch self {
    case .date: 0
    case .slot: 1
    case .cascade: 2
    case .columns: 3
    case .calendar: 4
    case .availability: 5
    }
  }

  /// What members see and do is the same for all kinds of a shape, see ``Picker``.
  package enum Shape: Sendable {
    case columns, calendar, availability
  }

  package var shape: Shape {
    switch self {
    case .date, .slot, .cascade, .columns: .columns
    case .calendar: .calendar
    case .availability: .availability
    }
  }

  /// Whether members look at months and tap days.
  package var showsMonths: Bool { shape == .calendar }

  /// Whether members select rows of columns.
  package var hasColumns: Bool { shape == .columns }

  /// Whether an earlier value can be restored: not where each member has a part of its own.
  package var hasUndo: Bool { shape != .availability }

  /// Whether each member has a part in the value, with its name.
  package var hasParts: Bool { shape == .availability }

  /// Whether a confirm can name its result.
  package var hasChoice: Bool { shape == .availability }

  /// Whether results are dates or times, so that sessions can have calendar events.
  package var hasDates: Bool {
    switch self {
    case .date, .slot, .calendar, .availability: true
    case .cascade, .columns: false
    }
  }

  /// Whether rows or days can have notes.
  package var hasNotes: Bool { shape != .availability }
}

/// The kind of a document never changes.
extension PickerKind {
  /// - Throws: The problem of a definition of another kind.
  package func check(_ new: PickerKind) throws(DefinitionProblem) {
    guard new != self else { return }
    throw DefinitionProblem("kind is \"\(new)\"; it must stay \"\(self)\"").under("kind")
  }

  /// - Throws: The problem of a definition's document with the name of another kind.
  package func check(_ document: JSONTree) throws(DefinitionProblem) {
    if let new = document["kind"]?.string.flatMap(PickerKind.init(rawValue:)) { try check(new) }
  }
}
