/// Why a TZ string or a TZif file is not one.
package struct ZoneDataError: Error, Hashable, Sendable {
  /// What is wrong, as a clause.
  package let reason: String

  package init(_ reason: String) { self.reason = reason }
}

extension PosixZoneRule {
  /// Reads a TZ string.
  ///
  /// - Throws: ``ZoneDataError`` for what RFC 9636 section 3.3 does not allow. A daylight name
  ///   without a rule is refused: POSIX leaves its changes to the system.
  package static func parse(_ text: some Sequence<UInt8>) throws(ZoneDataError) -> PosixZoneRule {
    var digits = DigitReader(Array(text))
    try skipName(&digits)
    let standard = -(try readTime(&digits, hoursMax: 24))
    if digits.isAtEnd { return PosixZoneRule(standardOffsetSeconds: standard) }
    try skipName(&digits)
    var daylight = standard + 3_600
    if !digits.accept(",") {
      daylight = -(try readTime(&digits, hoursMax: 24))
      guard digits.accept(",") else { throw ZoneDataError("daylight time without a rule") }
    }
    let start = try readChange(&digits)
    guard digits.accept(",") else { throw ZoneDataError("a rule without its end") }
    let end = try readChange(&digits)
    guard digits.isAtEnd else { throw ZoneDataError("something stands after the rule") }
    return PosixZoneRule(
      standardOffsetSeconds: standard,
      daylight: Daylight(offsetSeconds: daylight, start: start, end: end))
  }

  private typealias Reader = DigitReader<[UInt8]>

  /// Three letters or more, or `<` letters, digits and signs `>`.
  private static func skipName(_ digits: inout Reader) throws(ZoneDataError) {
    var count = 0
    if digits.accept("<") {
      while digits.acceptLetter() || digits.digit() != nil || digits.accept("+")
        || digits.accept("-")
      { count += 1 }
      guard digits.accept(">") else { throw ZoneDataError("a quoted name without its end") }
    } else {
      while digits.acceptLetter() { count += 1 }
    }
    guard count >= 3 else { throw ZoneDataError("a name of less than three characters") }
  }

  /// `[+-]hh[:mm[:ss]]` as signed seconds.
  private static func readTime(
    _ digits: inout Reader, hoursMax: Int
  ) throws(ZoneDataError) -> Int {
    let isNegative = digits.accept("-")
    if !isNegative { _ = digits.accept("+") }
    guard let hours = digits.number(upTo: 1_000), hours <= hoursMax else {
      throw ZoneDataError("no hours of 0…\(hoursMax)")
    }
    var seconds = hours * 3_600
    for unit in [60, 1] where digits.accept(":") {
      guard let count = digits.number(upTo: 1_000), count < 60 else {
        throw ZoneDataError("no minutes or seconds of 0…59")
      }
      seconds += count * unit
    }
    return isNegative ? -seconds : seconds
  }

  private static func readChange(_ digits: inout Reader) throws(ZoneDataError) -> YearlyChange {
    let day = try readDay(&digits)
    // 02:00 unless given.
    let second = digits.accept("/") ? try readTime(&digits, hoursMax: 167) : 7_200
    return YearlyChange(day: day, second: second)
  }

  private static func readDay(_ digits: inout Reader) throws(ZoneDataError) -> YearlyChange.Day {
    if digits.accept("J") {
      guard let day = digits.number(upTo: 1_000), day >= 1, day <= 365 else {
        throw ZoneDataError("no day of J1…J365")
      }
      return .julian(day)
    }
    guard digits.accept("M") else {
      guard let day = digits.number(upTo: 1_000), day <= 365 else {
        throw ZoneDataError("no day of 0…365")
      }
      return .zeroBased(day)
    }
    guard let month = digits.number(upTo: 1_000), month >= 1, month <= 12, digits.accept("."),
      let week = digits.number(upTo: 1_000), week >= 1, week <= 5, digits.accept("."),
      let weekday = digits.number(upTo: 1_000), weekday <= 6
    else { throw ZoneDataError("no day of M1.1.0…M12.5.6") }
    return .weekday(month: month, week: week, weekday: weekday)
  }
}
