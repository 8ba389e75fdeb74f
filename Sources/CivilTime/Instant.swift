/// A point in time as Unix time: milliseconds since 1970-01-01T00:00Z without leap seconds.
package struct Instant: Hashable, Sendable {
  package var milliseconds: Int64

  package init(milliseconds: Int64) { self.milliseconds = milliseconds }

  /// - Parameter seconds: Since 1970-01-01T00:00Z.
  package init(seconds: Int64) { milliseconds = seconds * 1_000 }

  /// Whole seconds since 1970-01-01T00:00Z, rounded down.
  package var seconds: Int64 { Int64(floorDivide(Int(milliseconds), 1_000)) }

  package func adding(milliseconds: Int64) -> Instant {
    Instant(milliseconds: self.milliseconds + milliseconds)
  }

  package func adding(minutes: Int) -> Instant { adding(milliseconds: Int64(minutes) * 60_000) }

  /// 0001-01-01T00:00:00.000Z, the earliest instant that is formatted as RFC 3339.
  package static let first = Instant(seconds: -62_135_596_800)
  /// 9999-12-31T23:59:59.999Z.
  package static let last = Instant(milliseconds: 253_402_300_799_999)

  /// An instant read from a store.
  ///
  /// - Returns: `nil` outside ``first`` to ``last``: it could not be formatted.
  package init?(stored milliseconds: Int) {
    self.init(milliseconds: Int64(milliseconds))
    guard self >= .first, self <= .last else { return nil }
  }
}

extension Instant: Comparable {
  package static func < (left: Instant, right: Instant) -> Bool {
    left.milliseconds < right.milliseconds
  }

  // Faster than the default implementation of Comparable, which is generic.
  package static func >= (left: Instant, right: Instant) -> Bool {
    left.milliseconds >= right.milliseconds
  }
}

extension Instant {
  /// Parses a date-time with any offset: `2018-11-23T10:20:00.5+08:00`.
  ///
  /// `T` and `Z` may be lower case. A fraction is truncated to milliseconds. A leap second (`:60`)
  /// has no Unix time and is refused.
  /// - Returns: `nil` for invalid text and for instants outside ``first`` … ``last``.
  /// - Source: RFC 3339 section 5.6.
  package init?(rfc3339 text: some Sequence<UInt8>) {
    var digits = DigitReader(text)
    guard let year = digits.number(count: 4), digits.accept("-"),
      let month = digits.number(count: 2), digits.accept("-"),
      let day = digits.number(count: 2), digits.accept("T") || digits.accept("t"),
      let date = CivilDate(year: year, month: month, day: day),
      let hour = digits.number(count: 2), hour < 24, digits.accept(":"),
      let minute = digits.number(count: 2), minute < 60, digits.accept(":"),
      let second = digits.number(count: 2), second < 60,
      let fraction = Instant.readFraction(&digits),
      let offset = Instant.readOffset(&digits), digits.isAtEnd
    else { return nil }
    let days = date.ordinal - CivilDate.epochOrdinal
    let localSeconds = days * 86_400 + hour * 3_600 + minute * 60 + second
    self.init(milliseconds: Int64((localSeconds - offset) * 1_000 + fraction))
    guard self >= .first, self <= .last else { return nil }
  }

  /// - Returns: Milliseconds, 0 … 999; 0 if there is no fraction; `nil` for a decimal point
  ///   without digits.
  private static func readFraction<Bytes>(_ digits: inout DigitReader<Bytes>) -> Int? {
    guard digits.accept(".") else { return 0 }
    guard let tenths = digits.digit() else { return nil }
    guard let hundredths = digits.digit() else { return tenths * 100 }
    guard let thousandths = digits.digit() else { return tenths * 100 + hundredths * 10 }
    while digits.digit() != nil {}
    return tenths * 100 + hundredths * 10 + thousandths
  }

  /// - Returns: Seconds east of Greenwich.
  private static func readOffset<Bytes>(_ digits: inout DigitReader<Bytes>) -> Int? {
    if digits.accept("Z") || digits.accept("z") { return 0 }
    let isEast = digits.accept("+")
    guard isEast || digits.accept("-"),
      let hours = digits.number(count: 2), hours < 24, digits.accept(":"),
      let minutes = digits.number(count: 2), minutes < 60
    else { return nil }
    return (isEast ? 1 : -1) * (hours * 3_600 + minutes * 60)
  }

  /// `2018-11-23T02:20:00.000Z`, always with milliseconds.
  ///
  /// - Precondition: The instant is in ``first`` … ``last``.
  package var rfc3339: String { written(hasMilliseconds: true) }

  /// `2018-11-23T02:20:00Z`, truncated to seconds.
  ///
  /// - Precondition: The instant is in ``first`` … ``last``.
  package var rfc3339Seconds: String { written(hasMilliseconds: false) }

  /// Writes the 24 bytes of ``rfc3339`` without allocating a string.
  ///
  /// - Precondition: The instant is in ``first`` … ``last``, and the buffer has at least 24 bytes.
  package func writeRFC3339(to bytes: UnsafeMutableBufferPointer<UInt8>) {
    _ = write(to: bytes, hasMilliseconds: true)
  }

  private func written(hasMilliseconds: Bool) -> String {
    String(unsafeUninitializedCapacity: 24) { write(to: $0, hasMilliseconds: hasMilliseconds) }
  }

  /// - Returns: The number of bytes written: 20 or 24.
  private func write(
    to bytes: UnsafeMutableBufferPointer<UInt8>, hasMilliseconds: Bool
  ) -> Int {
    let days = floorDivide(Int(milliseconds), 86_400_000)
    let time = Int(milliseconds) - days * 86_400_000
    CivilDate(ordinal: days + CivilDate.epochOrdinal).writeISO(to: bytes)
    bytes[10] = UInt8(ascii: "T")
    writeTwoDigits(time / 3_600_000, to: bytes, at: 11)
    bytes[13] = UInt8(ascii: ":")
    writeTwoDigits(time / 60_000 % 60, to: bytes, at: 14)
    bytes[16] = UInt8(ascii: ":")
    writeTwoDigits(time / 1_000 % 60, to: bytes, at: 17)
    guard hasMilliseconds else {
      bytes[19] = UInt8(ascii: "Z")
      return 20
    }
    bytes[19] = UInt8(ascii: ".")
    writeDigits(time % 1_000, count: 3, to: bytes, at: 20)
    bytes[23] = UInt8(ascii: "Z")
    return 24
  }
}

/// Writes instants one after the other. Most have the second of the one before, of which only the
/// milliseconds are written again.
package struct InstantWriter {
  private var second = Int64.min
  private var bytes = InlineArray<24, UInt8>(repeating: 0)

  package init() {}

  /// Writes the 24 bytes of ``Instant/rfc3339``.
  ///
  /// - Precondition: As of ``Instant/writeRFC3339(to:)``.
  package mutating func write(
    _ instant: Instant, to target: UnsafeMutableBufferPointer<UInt8>
  ) {
    let elapsed = instant.milliseconds &- second
    if elapsed >= 0, elapsed < 1_000 {
      for index in 0..<24 { target[index] = bytes[index] }
      writeDigits(Int(elapsed), count: 3, to: target, at: 20)
      return
    }
    instant.writeRFC3339(to: target)
    for index in 0..<24 { bytes[index] = target[index] }
    second = Int64(floorDivide(Int(instant.milliseconds), 1_000)) * 1_000
  }
}

extension Instant: CustomStringConvertible {
  package var description: String {
    self >= .first && self <= .last ? rfc3339 : "\(milliseconds) ms"
  }
}
