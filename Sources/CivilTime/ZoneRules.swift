/// A time zone: its UTC offsets and the instants at which they change.
///
/// Immutable and shared. The server reads the rules from the system's zone database; this module
/// does not access files. Rules with the same name are equal, because a process has only one set of
/// rules per name.
/// - Source: RFC 9636 section 3.2.
package final class ZoneRules: Sendable {
  /// A change of the UTC offset: the instant in seconds since 1970-01-01T00:00Z, and the new offset
  /// in seconds east of Greenwich.
  package typealias Transition = (at: Int64, offsetSeconds: Int)

  /// The zone's name in the database: `Asia/Shanghai`.
  package let name: String
  private let initialOffsetSeconds: Int
  /// Strictly ascending. Separate from `offsets`, so that a search only accesses the instants.
  private let instants: [Int64]
  private let offsets: [Int32]
  private let footer: PosixZoneRule?
  /// The instant from which ``footer`` determines the offset.
  private let footerStart: Int64

  /// - Parameter initialOffsetSeconds: The offset before the first transition.
  /// - Parameter transitions: Strictly ascending. Transitions that keep the offset are permitted;
  ///   `footer` applies from the last of all transitions.
  /// - Parameter footer: The rule from the last transition on; `nil` if the offset stays constant.
  package init(
    name: String, initialOffsetSeconds: Int, transitions: [Transition], footer: PosixZoneRule?
  ) {
    self.name = name
    self.initialOffsetSeconds = initialOffsetSeconds
    self.footer = footer
    footerStart = transitions.last?.at ?? .min
    var instants: [Int64] = []
    var offsets: [Int32] = []
    var offset = initialOffsetSeconds
    for transition in transitions where transition.offsetSeconds != offset {
      offset = transition.offsetSeconds
      instants.append(transition.at)
      offsets.append(Int32(offset))
    }
    self.instants = instants
    self.offsets = offsets
  }

  package static let utc = ZoneRules(
    name: "UTC", initialOffsetSeconds: 0, transitions: [], footer: nil)
}

extension ZoneRules: Hashable {
  package static func == (left: ZoneRules, right: ZoneRules) -> Bool {
    left === right || left.name == right.name
  }

  package func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

extension ZoneRules {
  /// Seconds east of Greenwich at `instant`.
  package func offsetSeconds(at instant: Instant) -> Int { offsetSeconds(at: instant.seconds) }

  /// Seconds east of Greenwich at `seconds` since 1970-01-01T00:00Z.
  func offsetSeconds(at seconds: Int64) -> Int {
    if let footer, seconds >= footerStart { return footer.offsetSeconds(at: seconds) }
    let count = countOfTransitions(upTo: seconds)
    return count == 0 ? initialOffsetSeconds : Int(offsets[count - 1])
  }

  /// The first transition after `instant`; `nil` if there is none.
  package func nextTransition(after instant: Instant) -> Transition? {
    nextTransition(after: instant.seconds)
  }

  func nextTransition(after seconds: Int64) -> Transition? {
    let count = countOfTransitions(upTo: seconds)
    if count < instants.count { return (instants[count], Int(offsets[count])) }
    guard let footer else { return nil }
    guard seconds < footerStart else { return footer.nextTransition(after: seconds) }
    // The footer's first offset can differ from the last offset in the list.
    let offset = footer.offsetSeconds(at: footerStart)
    if footerStart > .min, offset != offsetSeconds(at: seconds) { return (footerStart, offset) }
    return footer.nextTransition(after: footerStart)
  }

  /// The number of transitions at or before `seconds`, found by binary search.
  private func countOfTransitions(upTo seconds: Int64) -> Int {
    instants.partitionPoint { $0 > seconds }
  }
}

extension ZoneRules {
  /// The first and the last instant at which clocks in the zone show a local time of `date`. They
  /// differ if a transition repeats the time. If a transition skips it, both are the instant of the
  /// transition.
  ///
  /// - Parameter minute: Local time in minutes: 0 … 1,440; 1,440 means `00:00` of the next date.
  package func span(of date: CivilDate, minute: Int) -> (first: Instant, last: Instant) {
    let target = ZoneRules.localMidnight(date.ordinal) + Int64(minute * 60)
    var found: (first: Int64, last: Int64)?
    var change: Int64?
    var start = target - ZoneRules.offsetMax
    while start <= target + ZoneRules.offsetMax {
      let instant = target - Int64(offsetSeconds(at: start))
      let next = nextTransition(after: start)
      let end = next?.at ?? .max
      if instant >= start, instant < end { found = (found?.first ?? instant, instant) }
      if change == nil, instant >= end, let next, end + Int64(next.offsetSeconds) > target {
        change = end
      }
      start = end
    }
    // Safe: if no instant has the local time, a transition skips it, and the loop has set `change`.
    let (first, last) = found ?? (change!, change!)
    return (Instant(seconds: first), Instant(seconds: last))
  }

  /// The offset, if it is the same from two days before `date` to four days after it; otherwise
  /// `nil`.
  ///
  /// All times that are needed for a slot of the date are within that interval. If the offset is
  /// constant there, they can be computed without searching for transitions.
  package func constantOffset(around date: CivilDate) -> Int? {
    let midnight = ZoneRules.localMidnight(date.ordinal)
    let start = midnight - 2 * 86_400
    if let next = nextTransition(after: start)?.at, next < midnight + 5 * 86_400 { return nil }
    return offsetSeconds(at: start)
  }
}

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
