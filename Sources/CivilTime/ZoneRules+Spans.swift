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
