package import CivilTime

/// A date of the Gregorian calendar, 0001-01-01 … 9999-12-31, without time and time zone.
///
/// ```swift
/// let day = PickerDay("2026-01-31")!
/// print(day.adding(months: 1)!, day.weekday)  // 2026-02-28 7
/// ```
public struct PickerDay: Hashable, Sendable {
  package let civil: CivilDate

  package init(_ civil: CivilDate) { self.civil = civil }

  /// Reads exactly `YYYY-MM-DD`; `nil` for anything else.
  public init?(_ iso: String) {
    guard let civil = CivilDate(iso: iso.utf8) else { return nil }
    self.civil = civil
  }

  /// Makes a date from its components; `nil` if there is no such date.
  public init?(year: Int, month: Int, day: Int) {
    guard let civil = CivilDate(year: year, month: month, day: day) else { return nil }
    self.civil = civil
  }

  /// 1 … 9999.
  public var year: Int { civil.year }
  /// 1 … 31.
  public var day: Int { civil.day }
  /// 1 = Sunday … 7 = Saturday.
  public var weekday: Int { civil.weekday }
  public var month: PickerMonth { PickerMonth(civil.civilMonth) }
  /// `YYYY-MM-DD`.
  public var iso: String { civil.iso }

  /// The date `days` later, or earlier if negative; `nil` outside 0001-01-01 … 9999-12-31.
  public func adding(days: Int) -> PickerDay? { civil.adding(days: days).map(PickerDay.init) }

  /// The same day of the month `months` later, or the last day of a shorter month; `nil` outside
  /// 0001-01-01 … 9999-12-31.
  public func adding(months: Int) -> PickerDay? {
    guard let month = civil.civilMonth.adding(months: months) else { return nil }
    return PickerDay(month.date(day: min(civil.day, month.dayCount)))
  }

  /// The number of days from `other` to this date; negative if this one is earlier.
  public func days(since other: PickerDay) -> Int { civil.days(since: other.civil) }
}

extension PickerDay: Comparable, CustomStringConvertible {
  public static func < (left: PickerDay, right: PickerDay) -> Bool { left.civil < right.civil }
  public var description: String { iso }
}

/// A month of the Gregorian calendar, 0001-01 … 9999-12.
public struct PickerMonth: Hashable, Sendable {
  package let civil: CivilMonth

  package init(_ civil: CivilMonth) { self.civil = civil }

  /// Reads exactly `YYYY-MM`; `nil` for anything else.
  public init?(_ iso: String) {
    guard let civil = CivilMonth(iso: iso.utf8) else { return nil }
    self.civil = civil
  }

  /// 1 … 9999.
  public var year: Int { civil.year }
  /// 1 … 12.
  public var number: Int { civil.month }
  public var first: PickerDay { PickerDay(civil.first) }
  public var last: PickerDay { PickerDay(civil.last) }
  /// `YYYY-MM`.
  public var iso: String { civil.iso }

  /// The month `months` later, or earlier if negative; `nil` outside 0001-01 … 9999-12.
  public func adding(months: Int) -> PickerMonth? { civil.adding(months: months).map(Self.init) }

  /// The number of months from `other` to this one; negative if this one is earlier.
  public func months(since other: PickerMonth) -> Int { civil.index - other.civil.index }
}

extension PickerMonth: Comparable, CustomStringConvertible {
  public static func < (left: PickerMonth, right: PickerMonth) -> Bool { left.civil < right.civil }
  public var description: String { iso }
}
