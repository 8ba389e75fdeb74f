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

  /// Whether members look at months and tap days; otherwise they select rows of columns.
  package var showsMonths: Bool {
    switch self {
    case .date, .slot, .cascade, .columns: false
    case .calendar: true
    }
  }
}
