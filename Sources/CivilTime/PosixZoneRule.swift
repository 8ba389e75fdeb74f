/// The rule that applies after the last transition of a zone, as given in the footer of a TZif
/// file: `EST5EDT,M3.2.0,M11.1.0`.
///
/// - Source: RFC 9636 section 3.3, which extends the `TZ` strings of POSIX: the time of a change
///   can be −167 … 167 hours.
package struct PosixZoneRule: Hashable, Sendable {
  /// Seconds east of Greenwich in standard time.
  package let standardOffsetSeconds: Int
  /// `nil` for standard time all year.
  package let daylight: Daylight?

  package struct Daylight: Hashable, Sendable {
    /// Seconds east of Greenwich.
    package let offsetSeconds: Int
    /// The start of daylight saving time, in standard time.
    package let start: YearlyChange
    /// The end of daylight saving time, in daylight saving time.
    package let end: YearlyChange
  }

  /// A yearly change of the offset, in the local time in force before it.
  package struct YearlyChange: Hashable, Sendable {
    package let day: Day
    /// Seconds after the day's midnight, −167 h … 167 h.
    package let second: Int

    package enum Day: Hashable, Sendable {
      /// `J60`: 1 … 365, without 29 February, so that 60 is always 1 March.
      case julian(Int)
      /// `59`: 0 … 365, including 29 February.
      case zeroBased(Int)
      /// `M3.2.0`: month 1 … 12, week 1 … 5 where 5 is the last, weekday 0 = Sunday … 6.
      case weekday(month: Int, week: Int, weekday: Int)
    }
  }

  package init(standardOffsetSeconds: Int, daylight: Daylight? = nil) {
    self.standardOffsetSeconds = standardOffsetSeconds
    self.daylight = daylight
  }
}

extension PosixZoneRule.YearlyChange {
  /// Seconds from 1970-01-01T00:00 to this change in `year`, both in local time.
  func localSeconds(inYear year: Int) -> Int {
    (ordinal(inYear: year) - CivilDate.epochOrdinal) * 86_400 + second
  }

  private func ordinal(inYear year: Int) -> Int {
    switch day {
    case .julian(let day):
      let isAfterFebruary = day >= 60
      let first = CivilDate.ordinal(year: year, month: isAfterFebruary ? 3 : 1, day: 1)
      return first + day - (isAfterFebruary ? 60 : 1)
    case .zeroBased(let day):
      return CivilDate.ordinal(year: year, month: 1, day: 1) + day
    case .weekday(let month, let week, let weekday):
      let first = CivilDate.ordinal(year: year, month: month, day: 1)
      // Ordinal 0 would be a Sunday, so the weekday of an ordinal is its remainder modulo 7.
      let firstWeekday = first - floorDivide(first, 7) * 7
      let candidate = first + (weekday - firstWeekday + 7) % 7 + (week - 1) * 7
      let next = CivilDate.ordinal(
        year: month == 12 ? year + 1 : year, month: month == 12 ? 1 : month + 1, day: 1)
      return candidate < next ? candidate : candidate - 7
    }
  }
}

extension PosixZoneRule {
  /// A change of the offset, see ``ZoneRules``.
  typealias Transition = (at: Int64, offsetSeconds: Int)

  /// Seconds east of Greenwich at `seconds` since 1970-01-01T00:00Z.
  func offsetSeconds(at seconds: Int64) -> Int {
    var latest: Transition = (.min, standardOffsetSeconds)
    forEachTransition(around: seconds) { change in
      if change.at <= seconds, change.at >= latest.at { latest = change }
    }
    return latest.offsetSeconds
  }

  /// The first transition after `seconds`; `nil` if the offset never changes.
  func nextTransition(after seconds: Int64) -> Transition? {
    let offset = offsetSeconds(at: seconds)
    var start = seconds
    while true {
      var next: Transition?
      forEachTransition(around: seconds) { change in
        if change.at > start, change.at <= next?.at ?? .max { next = change }
      }
      guard let change = next else { return nil }
      if change.offsetSeconds != offset { return change }
      start = change.at
    }
  }

  /// Visits the changes of five years: the year of `seconds` and two years before and after it. The
  /// year alone is not enough, because a change can be up to a week outside of its year.
  ///
  /// Of two changes at the same instant, the one visited last applies. This matters for a zone with
  /// daylight saving time all year: its rule ends daylight saving time at the instant at which the
  /// next year's begins, so the start cancels the end. The later change of the last year is not
  /// visited, because the change that could cancel it is in the year after.
  private func forEachTransition(around seconds: Int64, _ visit: (Transition) -> Void) {
    guard let daylight else { return }
    let lastYear = PosixZoneRule.year(of: seconds) + 2
    for year in (lastYear - 4)...lastYear {
      let start = daylight.start.localSeconds(inYear: year) - standardOffsetSeconds
      let end = daylight.end.localSeconds(inYear: year) - daylight.offsetSeconds
      let starts = Transition(Int64(start), daylight.offsetSeconds)
      let ends = Transition(Int64(end), standardOffsetSeconds)
      visit(start < end ? starts : ends)
      if year < lastYear { visit(start < end ? ends : starts) }
    }
  }

  /// The year in UTC, which may be outside 1 … 9999.
  private static func year(of seconds: Int64) -> Int {
    let days = floorDivide(Int(seconds), 86_400) + CivilDate.epochOrdinal - 1
    let era = floorDivide(days, 146_097)
    return CivilDate(ordinal: days - era * 146_097 + 1).year + era * 400
  }
}

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
