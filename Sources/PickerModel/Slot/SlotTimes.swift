import CivilTime

/// Consecutive slots of one date at one UTC offset.
struct SlotRun {
  /// The local times of the first and the last slot, in seconds since midnight as a clock at
  /// ``offsetSeconds`` shows them. Both are multiples of the step; between them there is a slot at
  /// each step.
  let seconds: ClosedRange<Int>
  let offsetSeconds: Int
}

/// The slots within the opening hours and outside the taken times, independent of the current time.
///
/// - Source: web/guide/definitions.md, "`slot`".
struct SlotTimes {
  let kind: SlotKind
  let zone: ZoneRules
  /// `nil` without inventory.
  var levels: KeyLevels?

  /// The slots of `date` that start at `earliest` or later.
  func runs(of date: CivilDate, from earliest: Instant) -> [SlotRun] {
    let all = runsWithoutInventory(of: date, from: earliest)
    guard let levels else { return all }
    return all.flatMap { open($0, of: date, levels) }
  }

  /// The parts of a run that the inventory leaves open.
  private func open(_ run: SlotRun, of date: CivilDate, _ levels: KeyLevels) -> [SlotRun] {
    let midnight = zone.instant(of: date, second: 0, offsetSeconds: run.offsetSeconds).seconds
    let first = midnight + Int64(run.seconds.lowerBound)
    let last = midnight + Int64(run.seconds.upperBound + kind.occupiedMinutes * 60)
    if levels.areOpen(first...last) { return [run] }
    var runs: [SlotRun] = []
    var begin = run.seconds.lowerBound
    func add(through last: Int) {
      guard begin <= last else { return }
      runs.append(SlotRun(seconds: begin...last, offsetSeconds: run.offsetSeconds))
    }
    let step = kind.stepMinutes * 60
    // From the first key of a booking to its last.
    let length = (kind.occupiedMinutes * 60 - 1) / step * step
    for key in stride(from: begin, through: run.seconds.upperBound + length, by: step)
    where !levels[second: midnight + Int64(key)].isOpen {
      add(through: key - length - step)
      begin = key + step
    }
    add(through: run.seconds.upperBound)
    return runs
  }

  /// The level of a booking: of its keys the one that says most.
  func level(ofStart second: Int64, _ levels: KeyLevels) -> KeyLevel? {
    var level: KeyLevel?
    let end = second + Int64(kind.occupiedMinutes * 60)
    for key in stride(from: second, to: end, by: kind.stepMinutes * 60) {
      level = level.worse(levels[second: key])
    }
    return level
  }

  private func runsWithoutInventory(
    of date: CivilDate, from earliest: Instant
  ) -> [SlotRun] {
    let constantOffset = zone.constantOffset(around: date)
    if let constantOffset, kind.isAlwaysFree {
      return wholeDay(date, constantOffset, from: earliest).map { [$0] } ?? []
    }
    let stretches =
      constantOffset.map { [WallStretch(seconds: 0..<86_400, offsetSeconds: $0)] }
      ?? zone.wallStretches(of: date)
    if stretches.isEmpty { return [] }
    let length = Int64(kind.minutes * 60)
    var runs: [SlotRun] = []
    for open in openTimes(around: date, constantOffset) {
      for free in kind.taken.free(in: open, buffer: Int64(kind.bufferMinutes * 60)) {
        let first = max(free.lowerBound, earliest.seconds)
        guard first <= free.upperBound - length else { continue }
        for stretch in stretches {
          let run = run(of: date, in: stretch, first...(free.upperBound - length))
          if let run { runs.append(run) }
        }
      }
    }
    return runs
  }

  /// Why a booking that starts at `start` is not possible: the first of the causes.
  func loss(of start: Instant) -> SlotLoss {
    let booking = start.seconds..<start.adding(minutes: kind.minutes).seconds
    let buffer = Int64(kind.bufferMinutes * 60)
    guard kind.taken.free(in: booking, buffer: buffer) == [booking] else { return .taken }
    let date = zone.localDate(at: start)
    let open = openTimes(around: date, zone.constantOffset(around: date))
    let isOpen = open.contains {
      $0.lowerBound <= booking.lowerBound && booking.upperBound <= $0.upperBound
    }
    return isOpen ? .rules : .closed
  }

  /// The slots of a date that is open all day, with nothing taken and no clock change: the same
  /// result as the general case, without allocating lists.
  private func wholeDay(
    _ date: CivilDate, _ offsetSeconds: Int, from earliest: Instant
  ) -> SlotRun? {
    let midnight = zone.instant(of: date, second: 0, offsetSeconds: offsetSeconds).seconds
    let first = max(midnight, earliest.seconds)
    let last = Instant.last.seconds - Int64(kind.minutes * 60)
    guard first <= last else { return nil }
    let stretch = WallStretch(seconds: 0..<86_400, offsetSeconds: offsetSeconds)
    return run(of: date, in: stretch, first...last)
  }

  /// The slots in a part of the day at one offset that start within `starts`, in seconds since
  /// 1970.
  private func run(
    of date: CivilDate, in stretch: WallStretch, _ starts: ClosedRange<Int64>
  ) -> SlotRun? {
    let step = kind.stepMinutes * 60
    let midnight = zone.instant(of: date, second: 0, offsetSeconds: stretch.offsetSeconds).seconds
    let low = max(stretch.seconds.lowerBound, Int(starts.lowerBound - midnight))
    let high = min(stretch.seconds.upperBound - 1, Int(starts.upperBound - midnight))
    guard low <= high else { return nil }
    let first = (low + step - 1) / step * step
    let last = high / step * step
    guard first <= last else { return nil }
    return SlotRun(seconds: first...last, offsetSeconds: stretch.offsetSeconds)
  }

  /// The open times that a booking starting on `date` can use, merged and ascending.
  ///
  /// A booking takes at most 24 hours, so it can end on the next date. Around a clock change more
  /// dates are included: opening hours of another date can cover times of this one, and a date can
  /// be shorter than 24 hours.
  private func openTimes(around date: CivilDate, _ constantOffset: Int?) -> [Range<Int64>] {
    var open: [Range<Int64>] = []
    for days in constantOffset == nil ? -2...3 : 0...1 {
      guard let other = date.adding(days: days) else { continue }
      for window in kind.windows(of: other) {
        let time = self.time(of: window, on: other, constantOffset)
        if !time.isEmpty { open.append(time) }
      }
    }
    return open.merged()
  }

  private func time(
    of window: SlotWindow, on date: CivilDate, _ constantOffset: Int?
  ) -> Range<Int64> {
    let start: Int64
    let end: Int64
    if let constantOffset {
      let midnight = zone.instant(of: date, second: 0, offsetSeconds: constantOffset).seconds
      (start, end) = (midnight + Int64(window.from * 60), midnight + Int64(window.until * 60))
    } else {
      start = zone.span(of: date, minute: window.from).first.seconds
      end = zone.span(of: date, minute: window.until).last.seconds
    }
    // The end of a booking must have an RFC 3339 form.
    return start..<max(start, min(end, Instant.last.seconds))
  }
}

extension SlotTimes {
  /// The dates of the day column: the first ``SlotKind/days`` dates with a slot within a year.
  ///
  /// - Parameter known: The dates computed for an earlier or the same time. Only the dates that can
  ///   have changed since are searched again.
  func dates(
    from earliest: Instant, knowing known: (earliest: Instant, dates: [CivilDate])?
  ) -> [CivilDate] {
    if let known, known.earliest == earliest { return known.dates }
    let first = zone.localDate(at: earliest)
    let last = min(first.adding(days: 365) ?? .last, SlotKind.lastDate)
    var dates: [CivilDate] = []
    var next: CivilDate? = first
    if let known, known.earliest < earliest, let rest = rest(of: known, from: first) {
      dates = search(from: first, through: min(rest.from, last), earliest, after: [])
      dates += rest.dates
      next = rest.searched.adding(days: 1)
    }
    guard let next, next <= last, dates.count < kind.days else {
      return Array(dates.prefix(kind.days))
    }
    return search(from: next, through: last, earliest, after: dates)
  }

  /// The dates from an earlier search that are still valid. The passage of time can remove slots of
  /// `first` and of the next date only, so all later dates are.
  ///
  /// - Returns: The last date to search again, the valid dates after it, and the last date that the
  ///   earlier search reached; `nil` if everything must be searched.
  private func rest(
    of known: (earliest: Instant, dates: [CivilDate]), from first: CivilDate
  ) -> (from: CivilDate, dates: [CivilDate], searched: CivilDate)? {
    let before = zone.localDate(at: known.earliest)
    guard before <= first, let from = first.adding(days: 1), let all = before.adding(days: 365)
    else { return nil }
    let searched = known.dates.count < kind.days ? all : known.dates[known.dates.count - 1]
    guard searched >= from else { return nil }
    return (from, known.dates.filter { $0 > from }, min(searched, SlotKind.lastDate))
  }

  private func search(
    from first: CivilDate, through last: CivilDate, _ earliest: Instant, after found: [CivilDate]
  ) -> [CivilDate] {
    var dates = found
    guard first <= last else { return dates }
    for ordinal in first.ordinal...last.ordinal where dates.count < kind.days {
      let date = CivilDate(ordinal: ordinal)
      if !runs(of: date, from: earliest).isEmpty { dates.append(date) }
    }
    return dates
  }
}
