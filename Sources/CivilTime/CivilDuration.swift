/// Years, months, weeks and days to add to a date or to take from it.
///
/// - Source: ISO 8601-1 section 5.5.2.2, without a time part and without fractions; weeks may stand
///   beside the other units, as in ISO 8601-2.
package struct CivilDuration: Hashable, Sendable {
  package enum Sign: Hashable, Sendable { case plus, minus }

  package var years: Int
  package var months: Int
  package var weeks: Int
  package var days: Int
  /// The one sign of all four.
  package var sign: Sign

  /// Each 0 … ``unitMax``.
  package init(
    years: Int = 0, months: Int = 0, weeks: Int = 0, days: Int = 0, sign: Sign = .plus
  ) {
    self.years = years
    self.months = months
    self.weeks = weeks
    self.days = days
    self.sign = sign
  }

  /// More than this of any unit leaves 0001…9999 from everywhere; greater numbers are read as this.
  package static let unitMax = 10_000_000

  /// Reads `P1Y2M3W4D`: at least one unit, each at most once, in this order.
  ///
  /// - Parameter units: The letters of the units that are allowed; default all four.
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

  /// `P1Y2M3W4D`, without the sign; `P0D` for nothing.
  package var iso: String {
    var text = "P"
    for unit in CivilDuration.units where self[keyPath: unit.path] != 0 {
      text += "\(self[keyPath: unit.path])\(unit.letter)"
    }
    return text == "P" ? "P0D" : text
  }

  private var direction: Int { sign == .plus ? 1 : -1 }
  /// Years and months as months, signed.
  package var monthCount: Int { direction * (years * 12 + months) }
  /// Weeks and days as days, signed.
  package var dayCount: Int { direction * (weeks * 7 + days) }
}

extension CivilDate {
  /// Adds years and months first, in one step, then weeks and days.
  ///
  /// A month step that lands on a day that is not there takes the month's last day.
  /// - Returns: `nil` outside 0001-01-01 … 9999-12-31.
  package func adding(_ duration: CivilDuration) -> CivilDate? {
    guard let month = civilMonth.adding(months: duration.monthCount) else { return nil }
    return month.date(day: min(day, month.dayCount)).adding(days: duration.dayCount)
  }
}
