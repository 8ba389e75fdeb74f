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

  /// Whether members look at months and tap days; see also ``hasColumns``.
  package var showsMonths: Bool {
    switch self {
    case .date, .slot, .cascade, .columns, .availability: false
    case .calendar: true
    }
  }

  /// Whether members select rows of columns.
  package var hasColumns: Bool {
    switch self {
    case .date, .slot, .cascade, .columns: true
    case .calendar, .availability: false
    }
  }
}
