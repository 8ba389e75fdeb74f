/// A month of the proleptic Gregorian calendar, 0001-01 … 9999-12.
package struct CivilMonth: Hashable, Sendable {
  private let packed: Int32

  init(uncheckedYear year: Int, month: Int) {
    packed = Int32(truncatingIfNeeded: year * 12 + month - 1)
  }

  /// - Returns: `nil` outside 0001-01 … 9999-12.
  package init?(year: Int, month: Int) {
    guard year >= 1, year <= 9999, month >= 1, month <= 12 else { return nil }
    self.init(uncheckedYear: year, month: month)
  }

  /// - Parameter index: Year × 12 + month − 1, see ``index``.
  /// - Returns: `nil` outside 0001-01 … 9999-12.
  package init?(index: Int) {
    guard index >= 12, index < 120_000 else { return nil }
    packed = Int32(truncatingIfNeeded: index)
  }

  /// Year × 12 + month − 1, so that consecutive months differ by one.
  package var index: Int { Int(packed) }
  /// 1 … 9999.
  package var year: Int { index / 12 }
  /// 1 … 12.
  package var month: Int { index % 12 + 1 }

  package static let first = CivilMonth(uncheckedYear: 1, month: 1)
  package static let last = CivilMonth(uncheckedYear: 9999, month: 12)
}

extension CivilMonth: Comparable {
  package static func < (left: CivilMonth, right: CivilMonth) -> Bool { left.packed < right.packed }
}

extension CivilMonth {
  /// 28 … 31.
  package var dayCount: Int {
    let month = month
    if month == 2 {
      let year = year
      let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
      return isLeap ? 29 : 28
    }
    // The long months are the odd ones to July and the even ones after it.
    return 30 + (month + month / 8) % 2
  }

  package var first: CivilDate { date(day: 1) }
  package var last: CivilDate { date(day: dayCount) }

  /// - Precondition: The month has this day.
  package func date(day: Int) -> CivilDate { CivilDate(year: year, month: month, day: day)! }

  /// - Parameter months: Any number, negative for earlier.
  /// - Returns: `nil` outside 0001-01 … 9999-12.
  package func adding(months: Int) -> CivilMonth? {
    let (sum, overflow) = index.addingReportingOverflow(months)
    return overflow ? nil : CivilMonth(index: sum)
  }
}

extension CivilMonth {
  /// Parses exactly `YYYY-MM`, in ASCII digits.
  package init?(iso text: some Sequence<UInt8>) { self.init(bytes: text) }

  /// A specialization for strings, which is used for taps and keys.
  package init?(iso text: String.UTF8View) { self.init(bytes: text) }

  private init?(bytes: some Sequence<UInt8>) {
    var digits = DigitReader(bytes)
    guard let year = digits.number(count: 4), digits.accept("-"),
      let month = digits.number(count: 2), digits.isAtEnd
    else { return nil }
    self.init(year: year, month: month)
  }

  /// `YYYY-MM`.
  package var iso: String {
    String(unsafeUninitializedCapacity: 7) { bytes in
      writeISO(to: bytes)
      return 7
    }
  }

  /// Writes the 7 bytes of ``iso`` without allocating a string.
  ///
  /// - Precondition: The buffer has at least 7 bytes.
  package func writeISO(to bytes: UnsafeMutableBufferPointer<UInt8>) {
    writeDigits(year, count: 4, to: bytes, at: 0)
    bytes[4] = UInt8(ascii: "-")
    writeDigits(month, count: 2, to: bytes, at: 5)
  }
}

extension CivilMonth: CustomStringConvertible {
  package var description: String { iso }
}
