/// A date of the proleptic Gregorian calendar, 0001-01-01 … 9999-12-31, without a time or a zone.
///
/// Year, month and day are packed into a 32-bit integer, so that comparing two dates is one integer
/// comparison.
/// - Source: Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms".
package struct CivilDate: Hashable, Sendable {
  private let packed: Int32

  private init(uncheckedYear year: Int, month: Int, day: Int) {
    packed = Int32(truncatingIfNeeded: year << 9 | month << 5 | day)
  }

  /// - Returns: `nil` if the date does not exist: month 13, 30 February, year 0 or 10000.
  package init?(year: Int, month: Int, day: Int) {
    guard let civilMonth = CivilMonth(year: year, month: month) else { return nil }
    guard day >= 1, day <= civilMonth.dayCount else { return nil }
    self.init(uncheckedYear: year, month: month, day: day)
  }

  /// 1 … 9999.
  package var year: Int { Int(packed >> 9) }
  /// 1 … 12.
  package var month: Int { Int(packed >> 5 & 0xF) }
  /// 1 … 31.
  package var day: Int { Int(packed & 0x1F) }

  package static let first = CivilDate(uncheckedYear: 1, month: 1, day: 1)
  package static let last = CivilDate(uncheckedYear: 9999, month: 12, day: 31)
}

extension CivilDate: Comparable {
  package static func < (left: CivilDate, right: CivilDate) -> Bool { left.packed < right.packed }
}

extension CivilDate {
  /// The range of valid ordinals: 0001-01-01 is 1.
  package static let ordinals = 1...3_652_059
  /// The ordinal of 1970-01-01, the epoch of ``Instant``.
  package static let epochOrdinal = 719_163

  /// The number of the day, counted from 0001-01-01, which is 1.
  package var ordinal: Int { CivilDate.ordinal(year: year, month: month, day: day) }

  /// The date `ordinal` − 1 days after 0001-01-01.
  ///
  /// - Precondition: `ordinal` is in ``ordinals``.
  package init(ordinal: Int) {
    precondition(CivilDate.ordinals.contains(ordinal), "ordinal outside 0001-01-01…9999-12-31")
    // In this computation years begin in March, so that the leap day is the last day of a year.
    let day = ordinal + 305
    let era = day / 146_097
    let dayOfEra = day % 146_097
    let yearOfEra =
      (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let monthFromMarch = (5 * dayOfYear + 2) / 153
    let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
    self.init(
      uncheckedYear: era * 400 + yearOfEra + (month <= 2 ? 1 : 0), month: month,
      day: dayOfYear - (153 * monthFromMarch + 2) / 5 + 1)
  }

  /// - Returns: `nil` if `ordinal` is not in ``ordinals``.
  package init?(checkedOrdinal ordinal: Int) {
    guard CivilDate.ordinals.contains(ordinal) else { return nil }
    self.init(ordinal: ordinal)
  }

  /// The ordinal of a day of any year, including years outside 1 … 9999.
  ///
  /// - Parameter month: 1 … 12.
  /// - Parameter day: Any number; 32 January means 1 February.
  static func ordinal(year: Int, month: Int, day: Int) -> Int {
    let marchYear = month <= 2 ? year - 1 : year
    let era = floorDivide(marchYear, 400)
    let yearOfEra = marchYear - era * 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 306
  }

  /// 1 = Sunday … 7 = Saturday.
  package var weekday: Int { ordinal % 7 + 1 }

  package var civilMonth: CivilMonth { CivilMonth(uncheckedYear: year, month: month) }

  /// - Parameter days: Any number; a negative one gives an earlier date.
  /// - Returns: `nil` outside 0001-01-01 … 9999-12-31.
  package func adding(days: Int) -> CivilDate? {
    let (sum, overflow) = ordinal.addingReportingOverflow(days)
    return overflow ? nil : CivilDate(checkedOrdinal: sum)
  }

  /// The number of days from `other` to this date; negative if this date is earlier.
  package func days(since other: CivilDate) -> Int {
    if packed >> 5 == other.packed >> 5 { return Int(packed - other.packed) }
    return ordinal - other.ordinal
  }
}

extension CivilDate {
  /// Parses exactly `YYYY-MM-DD`, in ASCII digits.
  package init?(iso text: some Sequence<UInt8>) { self.init(bytes: text) }

  /// A non-generic overload, so that other modules call specialized code to parse the dates of taps
  /// and keys.
  package init?(iso text: String.UTF8View) { self.init(bytes: text) }

  /// The same for bytes of a message, without an iterator.
  package init?(iso text: Span<UInt8>) {
    guard text.count == 10, text[4] == UInt8(ascii: "-"), text[7] == UInt8(ascii: "-") else {
      return nil
    }
    var (digits, isNumber) = (0, true)
    for index in 0..<10 where index != 4 && index != 7 {
      let digit = text[index] &- UInt8(ascii: "0")
      isNumber = isNumber && digit < 10
      digits = digits * 10 + Int(digit)
    }
    guard isNumber else { return nil }
    self.init(year: digits / 10_000, month: digits / 100 % 100, day: digits % 100)
  }

  private init?(bytes: some Sequence<UInt8>) {
    var digits = DigitReader(bytes)
    guard let year = digits.number(count: 4), digits.accept("-"),
      let month = digits.number(count: 2), digits.accept("-"),
      let day = digits.number(count: 2), digits.isAtEnd
    else { return nil }
    self.init(year: year, month: month, day: day)
  }

  /// `YYYY-MM-DD`.
  package var iso: String {
    String(unsafeUninitializedCapacity: 10) { bytes in
      writeISO(to: bytes)
      return 10
    }
  }

  /// Writes the 10 bytes of ``iso`` without allocating a string.
  ///
  /// - Precondition: The buffer has at least 10 bytes.
  package func writeISO(to bytes: UnsafeMutableBufferPointer<UInt8>) {
    writeTwoDigits(year / 100, to: bytes, at: 0)
    writeTwoDigits(year % 100, to: bytes, at: 2)
    bytes[4] = UInt8(ascii: "-")
    writeTwoDigits(month, to: bytes, at: 5)
    bytes[7] = UInt8(ascii: "-")
    writeTwoDigits(day, to: bytes, at: 8)
  }
}

extension CivilDate: CustomStringConvertible {
  package var description: String { iso }
}
