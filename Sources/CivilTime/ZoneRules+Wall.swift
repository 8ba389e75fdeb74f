/// A part of a date with a constant UTC offset.
package struct WallStretch: Hashable, Sendable {
  /// Local seconds after midnight, within 0 ..< 86,400.
  package let seconds: Range<Int>
  /// The UTC offset in seconds, positive east of Greenwich.
  package let offsetSeconds: Int

  package init(seconds: Range<Int>, offsetSeconds: Int) {
    self.seconds = seconds
    self.offsetSeconds = offsetSeconds
  }
}

extension ZoneRules {
  /// An upper bound of the absolute UTC offset in seconds: RFC 9636 allows −89,999 … 93,599.
  static let offsetMax: Int64 = 97_200

  static func localMidnight(_ ordinal: Int) -> Int64 {
    Int64((ordinal - CivilDate.epochOrdinal) * 86_400)
  }

  /// The local date and second of the day, 0 … 86,399, at `instant`.
  ///
  /// The date is clamped to 0001-01-01 … 9999-12-31.
  package func local(at instant: Instant) -> (date: CivilDate, secondOfDay: Int) {
    let seconds = instant.seconds
    let local = Int(seconds) + offsetSeconds(at: seconds)
    let days = floorDivide(local, 86_400)
    return (ZoneRules.nearestDate(days + CivilDate.epochOrdinal), local - days * 86_400)
  }

  private static func nearestDate(_ ordinal: Int) -> CivilDate {
    CivilDate(checkedOrdinal: ordinal) ?? (ordinal < 1 ? .first : .last)
  }

  package func localDate(at instant: Instant) -> CivilDate { local(at: instant).date }

  /// The instant at which a clock with the UTC offset `offsetSeconds` shows `date` and `second`,
  /// the second of the day.
  package func instant(of date: CivilDate, second: Int, offsetSeconds: Int) -> Instant {
    Instant(seconds: ZoneRules.localMidnight(date.ordinal) + Int64(second - offsetSeconds))
  }

  /// The stretches of `date`, in chronological order.
  ///
  /// Almost every date has one stretch. A transition divides a date into two stretches, which have
  /// a gap between them or overlap. A skipped date has none.
  package func wallStretches(of date: CivilDate) -> [WallStretch] {
    let midnight = ZoneRules.localMidnight(date.ordinal)
    var start = midnight - ZoneRules.offsetMax
    var stretches: [WallStretch] = []
    while start < midnight + 86_400 + ZoneRules.offsetMax {
      let offset = offsetSeconds(at: start)
      let end = nextTransition(after: start)?.at ?? .max
      let lower = max(start + Int64(offset) - midnight, 0)
      let upper = end == .max ? 86_400 : min(end + Int64(offset) - midnight, 86_400)
      if lower < upper {
        stretches.append(WallStretch(seconds: Int(lower)..<Int(upper), offsetSeconds: offset))
      }
      start = end
    }
    return stretches
  }

  /// The instants of the local time `minuteOfDay` of `date`, ascending: none if a transition skips
  /// it, two if a transition repeats it.
  ///
  /// - Parameter minuteOfDay: 0 … 1,439.
  package func occurrences(of date: CivilDate, minuteOfDay: Int) -> [Instant] {
    wallStretches(of: date).compactMap { stretch in
      guard stretch.seconds.contains(minuteOfDay * 60) else { return nil }
      return instant(of: date, second: minuteOfDay * 60, offsetSeconds: stretch.offsetSeconds)
    }
  }

  /// The first instant whose local date is `date` or later.
  package func startOfDay(_ date: CivilDate) -> Instant {
    let midnight = ZoneRules.localMidnight(date.ordinal)
    var start = midnight - ZoneRules.offsetMax
    while true {
      let offset = Int64(offsetSeconds(at: start))
      if start + offset >= midnight { return Instant(seconds: start) }
      // A transition at midnight itself is applied first: if it sets the clocks back, a part of the
      // previous day is repeated before `date` begins.
      guard let end = nextTransition(after: start)?.at, end <= midnight - offset else {
        return Instant(seconds: midnight - offset)
      }
      start = end
    }
  }

  /// The first instant after `instant` with a different local date.
  ///
  /// The date can be an earlier one if clocks are set back shortly after midnight.
  /// - Returns: `nil` on 9999-12-31.
  package func nextDateChange(after instant: Instant) -> Instant? {
    let date = localDate(at: instant)
    var start = instant.seconds
    while true {
      let offset = Int64(offsetSeconds(at: start))
      let midnight = ZoneRules.localMidnight(date.ordinal + 1) - offset
      let end = nextTransition(after: start)?.at ?? .max
      if midnight < end { return date == .last ? nil : Instant(seconds: midnight) }
      if localDate(at: Instant(seconds: end)) != date { return Instant(seconds: end) }
      start = end
    }
  }
}
