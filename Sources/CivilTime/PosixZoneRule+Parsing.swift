/// An error in a TZ string or TZif file.
package struct ZoneDataError: Error, Hashable, Sendable {
  /// The cause as a phrase, such as `the rule has no end`.
  package let reason: String

  package init(_ reason: String) { self.reason = reason }
}

extension PosixZoneRule {
  /// Parses a TZ string.
  ///
  /// - Throws: ``ZoneDataError`` for text that RFC 9636 section 3.3 does not allow, and for a text
  ///   such as `CET-1CEST`, which has daylight saving time but does not specify when it starts and
  ///   ends: POSIX defines no default.
  package static func parse(_ text: some Sequence<UInt8>) throws(ZoneDataError) -> PosixZoneRule {
    var digits = DigitReader(Array(text))
    try skipName(&digits)
    let standard = -(try readTime(&digits, hoursMax: 24))
    if digits.isAtEnd { return PosixZoneRule(standardOffsetSeconds: standard) }
    try skipName(&digits)
    var daylight = standard + 3_600
    if !digits.accept(",") {
      daylight = -(try readTime(&digits, hoursMax: 24))
      guard digits.accept(",") else { throw ZoneDataError("daylight saving time has no rule") }
    }
    let start = try readChange(&digits)
    guard digits.accept(",") else { throw ZoneDataError("the rule has no end") }
    let end = try readChange(&digits)
    guard digits.isAtEnd else { throw ZoneDataError("unexpected text after the rule") }
    return PosixZoneRule(
      standardOffsetSeconds: standard,
      daylight: Daylight(offsetSeconds: daylight, start: start, end: end))
  }

  private typealias Reader = DigitReader<[UInt8]>

  /// Skips a name: at least three letters, or at least three letters, digits, `+` and `-` between
  /// `<` and `>`.
  private static func skipName(_ digits: inout Reader) throws(ZoneDataError) {
    var count = 0
    if digits.accept("<") {
      while digits.acceptLetter() || digits.digit() != nil || digits.accept("+")
        || digits.accept("-")
      { count += 1 }
      guard digits.accept(">") else { throw ZoneDataError("a quoted name is not terminated") }
    } else {
      while digits.acceptLetter() { count += 1 }
    }
    guard count >= 3 else { throw ZoneDataError("a name must have at least three characters") }
  }

  /// `[+-]hh[:mm[:ss]]` as signed seconds.
  private static func readTime(
    _ digits: inout Reader, hoursMax: Int
  ) throws(ZoneDataError) -> Int {
    let isNegative = digits.accept("-")
    if !isNegative { _ = digits.accept("+") }
    guard let hours = digits.number(upTo: 1_000), hours <= hoursMax else {
      throw ZoneDataError("hours must be 0…\(hoursMax)")
    }
    var seconds = hours * 3_600
    for unit in [60, 1] where digits.accept(":") {
      guard let count = digits.number(upTo: 1_000), count < 60 else {
        throw ZoneDataError("minutes and seconds must be 0…59")
      }
      seconds += count * unit
    }
    return isNegative ? -seconds : seconds
  }

  private static func readChange(_ digits: inout Reader) throws(ZoneDataError) -> YearlyChange {
    let day = try readDay(&digits)
    // The default is 02:00.
    let second = digits.accept("/") ? try readTime(&digits, hoursMax: 167) : 7_200
    return YearlyChange(day: day, second: second)
  }

  private static func readDay(_ digits: inout Reader) throws(ZoneDataError) -> YearlyChange.Day {
    if digits.accept("J") {
      guard let day = digits.number(upTo: 1_000), day >= 1, day <= 365 else {
        throw ZoneDataError("the day must be J1…J365")
      }
      return .julian(day)
    }
    guard digits.accept("M") else {
      guard let day = digits.number(upTo: 1_000), day <= 365 else {
        throw ZoneDataError("the day must be 0…365")
      }
      return .zeroBased(day)
    }
    guard let month = digits.number(upTo: 1_000), month >= 1, month <= 12, digits.accept("."),
      let week = digits.number(upTo: 1_000), week >= 1, week <= 5, digits.accept("."),
      let weekday = digits.number(upTo: 1_000), weekday <= 6
    else { throw ZoneDataError("the day must be M1.1.0…M12.5.6") }
    return .weekday(month: month, week: week, weekday: weekday)
  }
}
