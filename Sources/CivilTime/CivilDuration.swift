/// A duration in years, months, weeks and days, to be added to a date or subtracted from it.
///
/// - Source: ISO 8601-1 section 5.5.2.2, without a time part and without fractions; weeks can be
///   combined with the other units, as in ISO 8601-2.
package struct CivilDuration: Hashable, Sendable {
  package enum Sign: Hashable, Sendable { case plus, minus }

  package var years: Int
  package var months: Int
  package var weeks: Int
  package var days: Int
  /// Applies to all units.
  package var sign: Sign

  /// - Precondition: Each unit is in 0 … ``unitMax``.
  package init(
    years: Int = 0, months: Int = 0, weeks: Int = 0, days: Int = 0, sign: Sign = .plus
  ) {
    self.years = years
    self.months = months
    self.weeks = weeks
    self.days = days
    self.sign = sign
  }

  /// The maximum of a unit; the parser clamps greater numbers. 10,000,000 days are more than the
  /// 9,999 years of the supported dates, so adding or subtracting the maximum of any unit gives a
  /// date out of range.
  package static let unitMax = 10_000_000

  /// Parses `P1Y2M3W4D`: at least one unit, each at most once, in this order.
  ///
  /// - Parameter units: The letters of the permitted units.
  package init?(iso text: some Sequence<UInt8>, sign: Sign = .plus, units allowed: String = "YMWD")
  {
    var digits = DigitReader(text)
    guard digits.accept("P"), !digits.isAtEnd else { return nil }
    self.init(sign: sign)
    var units = CivilDuration.units.filter { allowed.unicodeScalars.contains($0.letter) }[...]
    while !digits.isAtEnd {
      guard let count = digits.number(upTo: CivilDuration.unitMax) else { return nil }
      while let unit = units.first, !digits.accept(unit.letter) { units.removeFirst() }
      guard let unit = units.popFirst() else { return nil }
      self[keyPath: unit.path] = count
    }
  }

  private static var units: [(letter: Unicode.Scalar, path: WritableKeyPath<Self, Int>)] {
    [("Y", \.years), ("M", \.months), ("W", \.weeks), ("D", \.days)]
  }

  /// `P1Y2M3W4D`, without the sign; `P0D` if all units are 0.
  package var iso: String {
    var text = "P"
    for unit in CivilDuration.units where self[keyPath: unit.path] != 0 {
      text += "\(self[keyPath: unit.path])\(unit.letter)"
    }
    return text == "P" ? "P0D" : text
  }

  private var direction: Int { sign == .plus ? 1 : -1 }
  /// Years and months in months, with the sign.
  package var monthCount: Int { direction * (years * 12 + months) }
  /// Weeks and days in days, with the sign.
  package var dayCount: Int { direction * (weeks * 7 + days) }
}

extension CivilDate {
  /// Adds years and months first, in one step, then weeks and days.
  ///
  /// If the target month does not have the day, the first step gives the month's last day.
  /// - Returns: `nil` if the result is outside 0001-01-01 … 9999-12-31.
  package func adding(_ duration: CivilDuration) -> CivilDate? {
    guard let month = civilMonth.adding(months: duration.monthCount) else { return nil }
    return month.date(day: min(day, month.dayCount)).adding(days: duration.dayCount)
  }
}
