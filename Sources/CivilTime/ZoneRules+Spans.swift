extension ZoneRules {
  /// The instants at which clocks show a local time first and last.
  ///
  /// Both are the instant of the change where a change of the clocks skips the time.
  /// - Parameter minute: 0 … 1,440; 1,440 is `00:00` of the next date.
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
    // Every local time is shown or skipped: local times grow without end.
    let (first, last) = found ?? (change!, change!)
    return (Instant(seconds: first), Instant(seconds: last))
  }

  /// The offset if it is the same from two days before `date` to four days after it.
  ///
  /// All windows that can matter for a slot of the date are within, so that local times are plain
  /// arithmetic on almost every date.
  package func steadyOffset(around date: CivilDate) -> Int? {
    let midnight = ZoneRules.localMidnight(date.ordinal)
    let start = midnight - 2 * 86_400
    if let next = nextTransition(after: start)?.at, next < midnight + 5 * 86_400 { return nil }
    return offsetSeconds(at: start)
  }
}
