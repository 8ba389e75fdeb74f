/// What a picker picks.
///
/// - Source: rules.md, a heading for each.
package enum PickerKind: String, Hashable, Sendable, CaseIterable {
  /// Year, month, day.
  case date
  /// Day, hour, minute of a booking.
  case slot
  /// A tree, a column per level.
  case cascade
  /// Columns that are not linked.
  case columns
  /// A list of months, and a range by two taps.
  case calendar
}
