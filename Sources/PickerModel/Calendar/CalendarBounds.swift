package import CivilTime

/// A calendar's months, and the days that can be picked.
package struct CalendarBounds: Hashable, Sendable {
  package let months: MonthList
  /// The first day that can be picked: the later one of `min` and the list's first day.
  package let min: CivilDate
  /// The last day that can be picked: the earlier one of `max` and the list's last day. Before
  /// ``min`` if no day can be picked.
  package let max: CivilDate
}
