import CivilTime
import JSONText

/// The columns of a slot from its earliest one on.
///
/// Nothing is listed but the rows that are shown: the hours of one day are a set of bits, found
/// from the one or two stretches in which that day's clock runs evenly.
/// - Source: rules.md, "`slot`".
struct SlotRules: ColumnRules {
  private let kind: SlotKind
  private let zone: ZoneRules
  private let earliest: Instant
  private var days: SlotDays

  /// A slot by what the wall clock shows.
  private struct Wall: Comparable {
    var date: CivilDate
    var hour: Int
    var minute: Int

    static func < (left: Wall, right: Wall) -> Bool {
      (left.date, left.hour, left.minute) < (right.date, right.hour, right.minute)
    }

    var keys: [String] { [date.iso, twoDigits(hour), twoDigits(minute)] }

    init(date: CivilDate, hour: Int, minute: Int) {
      self.date = date
      self.hour = hour
      self.minute = minute
    }

    init?(keys: [String]) {
      guard keys.count == 3, let date = CivilDate(iso: keys[0].utf8),
        let hour = number(keys[1], digitCount: 2), hour < 24,
        let minute = number(keys[2], digitCount: 2), minute < 60
      else { return nil }
      self.init(date: date, hour: hour, minute: minute)
    }
  }

  init(kind: SlotKind, zone: ZoneRules, earliest: Instant, today: CivilDate) {
    self.kind = kind
    self.zone = zone
    self.earliest = earliest
    let first = zone.localDate(at: earliest)
    days = SlotDays(first: first, count: 0, missing: [], today: nil)
    days = SlotRules.days(
      from: first, count: kind.days, today: today,
      missing: { self.hours(of: $0).isEmpty }, in: zone, from: earliest)
  }

  var firstKeys: [String] { firstSlot(of: days.first).keys }

  func show(_ keys: [String], _ column: (Int, ColumnRows, Int?) -> Void) {
    let wall = Wall(keys: keys)!
    let runs = self.runs(of: wall.date)
    let hours = self.hours(in: runs)
    let minutes = self.minutes(in: runs, hour: wall.hour)
    column(0, .slotDays(days), days.row(of: wall.date)!)
    column(1, .hours(hours), hours.row(of: wall.hour)!)
    column(2, .minutes(minutes), minutes.row(of: wall.minute)!)
  }

  func selecting(
    row: Int, column: Int, showing keys: [String], in columns: [ColumnState]
  ) -> Kept {
    var wanted = keys
    wanted[column] = columns[column].rows.key(at: row)
    guard kind.onParentChange == .first, column < 2 else { return keeping(wanted) }
    let wall = Wall(keys: wanted)!
    let slot = column == 0 ? firstSlot(of: wall.date) : firstSlot(of: wall.date, hour: wall.hour)
    return Kept(keys: slot.keys)
  }

  func keeping(_ keys: [String]) -> Kept {
    guard let wanted = Wall(keys: keys) else { return Kept(keys: firstKeys) }
    let slot = self.slot(from: wanted)
    if slot == wanted { return Kept(keys: keys) }
    let local = zone.local(at: earliest)
    let first = Wall(
      date: local.date, hour: local.secondOfDay / 3_600, minute: local.secondOfDay / 60 % 60)
    return Kept(keys: slot.keys, reason: wanted < first ? .min : .noSuchTime)
  }

  /// The slot at `wanted`, else the next one by the wall clock, else the last.
  private func slot(from wanted: Wall) -> Wall {
    guard let row = days.firstRow(from: wanted.date) else { return lastSlot }
    let date = days.date(at: row)
    guard date == wanted.date else { return firstSlot(of: date) }
    let minutes = self.minutes(of: date, hour: wanted.hour)
    if let minute = minutes.first(from: wanted.minute) {
      return Wall(date: date, hour: wanted.hour, minute: minute)
    }
    if let hour = hours(of: date).first(from: wanted.hour + 1) {
      return firstSlot(of: date, hour: hour)
    }
    return row + 1 < days.count ? firstSlot(of: days.date(at: row + 1)) : lastSlot
  }

  private func firstSlot(of date: CivilDate) -> Wall {
    firstSlot(of: date, hour: hours(of: date).first!)
  }

  private func firstSlot(of date: CivilDate, hour: Int) -> Wall {
    Wall(date: date, hour: hour, minute: minutes(of: date, hour: hour).first!)
  }

  private var lastSlot: Wall {
    let hour = hours(of: days.last).last!
    let minute = minutes(of: days.last, hour: hour).last!
    return Wall(date: days.last, hour: hour, minute: minute)
  }

  /// The result of a slot: its local time and the first of its instants that can be booked.
  func result(of keys: [String]) -> JSONTree {
    let wall = Wall(keys: keys)!
    let instant = zone.occurrences(of: wall.date, minuteOfDay: wall.hour * 60 + wall.minute)
      .first { $0 >= earliest }!
    return .object([
      .init("local", .string("\(keys[0])T\(keys[1]):\(keys[2])")),
      .init("instant", .string(instant.rfc3339Seconds)),
    ])
  }
}

extension SlotRules {
  /// The slots of `date`, as runs of seconds of the day, ends included, every step's multiple.
  private func runs(of date: CivilDate) -> [ClosedRange<Int>] {
    let step = kind.stepMinutes * 60
    return zone.wallStretches(of: date).compactMap { stretch in
      let midnight = zone.instant(of: date, second: 0, offsetSeconds: stretch.offsetSeconds)
      let low = max(stretch.seconds.lowerBound, Int(earliest.seconds - midnight.seconds))
      let first = (low + step - 1) / step * step
      let last = (stretch.seconds.upperBound - 1) / step * step
      return first <= last ? first...last : nil
    }
  }

  /// The hours of `date` that have a slot. Every hour between a run's first and last has, because
  /// the step divides it.
  private func hours(of date: CivilDate) -> NumberSet { hours(in: runs(of: date)) }

  private func hours(in runs: [ClosedRange<Int>]) -> NumberSet {
    var hours = NumberSet()
    for run in runs {
      for hour in (run.lowerBound / 3_600)...(run.upperBound / 3_600) { hours.insert(hour) }
    }
    return hours
  }

  private func minutes(of date: CivilDate, hour: Int) -> NumberSet {
    minutes(in: runs(of: date), hour: hour)
  }

  private func minutes(in runs: [ClosedRange<Int>], hour: Int) -> NumberSet {
    var minutes = NumberSet()
    for run in runs {
      for minute in stride(from: 0, to: 60, by: kind.stepMinutes)
      where run.contains(hour * 3_600 + minute * 60) { minutes.insert(minute) }
    }
    return minutes
  }

  /// The first `count` dates from `first` on that have a slot.
  ///
  /// Only where clocks change can a date have none, so only those dates are looked at.
  private static func days(
    from first: CivilDate, count: Int, today: CivilDate,
    missing isMissing: (CivilDate) -> Bool, in zone: ZoneRules, from start: Instant
  ) -> SlotDays {
    let available = SlotKind.lastDate.days(since: first) + 1
    var missing: [CivilDate] = []
    var instant = start
    while let change = zone.nextTransition(after: instant) {
      instant = Instant(seconds: change.at)
      let before = zone.localDate(at: instant.adding(milliseconds: -1))
      let after = zone.localDate(at: instant)
      guard before < SlotKind.lastDate, before.days(since: first) < count + missing.count
      else { break }
      guard before <= after else { continue }
      for ordinal in before.ordinal...after.ordinal {
        let date = CivilDate(ordinal: ordinal)
        guard date > missing.last ?? first else { continue }
        guard date.days(since: first) < count + missing.count else { break }
        if isMissing(date) { missing.append(date) }
      }
    }
    return SlotDays(
      first: first, count: min(count, available - missing.count), missing: missing, today: today)
  }
}
