import CivilTime

/// The rules of a `slot` from its earliest slot on.
///
/// Slots are never listed one by one: the hours of a day are a bit set, computed from the runs of
/// consecutive slots on that day.
/// - Source: web/guide/definitions.md, "`slot`".
struct SlotRules: ColumnRules {
  private let kind: SlotKind
  private let zone: ZoneRules
  private let earliest: Instant
  let times: SlotTimes
  private let days: SlotDays

  /// A slot as a local date and time, without offset.
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

  /// - Parameter known: The days computed for an earlier or the same time, to save work.
  init(
    kind: SlotKind, zone: ZoneRules, earliest: Instant, today: CivilDate,
    knowing known: (earliest: Instant, days: SlotDays)?, seeing levels: KeyLevels? = nil
  ) {
    self.kind = kind
    self.zone = zone
    self.earliest = earliest
    times = SlotTimes(kind: kind, zone: zone, levels: levels)
    days = SlotDays(
      times.dates(from: earliest, knowing: known.map { ($0.earliest, $0.days.dates) }),
      today: today)
  }

  var firstKeys: [String] { days.count == 0 ? [] : firstSlot(of: days.date(at: 0)).keys }

  func show(_ keys: [String], _ column: (Int, ColumnRows, Int?) -> Void) {
    guard let wall = Wall(keys: keys) else {
      column(0, .slotDays(days), nil)
      column(1, .hours(NumberSet()), nil)
      column(2, .minutes(NumberSet()), nil)
      return
    }
    let runs = self.runs(of: wall.date)
    let hours = self.hours(in: runs)
    let minutes = self.minutes(in: runs, hour: wall.hour)
    column(0, .slotDays(days), days.row(of: wall.date)!)
    column(1, .hours(hours), hours.row(of: wall.hour)!)
    column(2, .minutes(minutes), minutes.row(of: wall.minute)!)
  }

  /// The third key of an instant that no row means is the instant, which is no minute.
  func keys(of fields: ResultFields) -> [String]? {
    switch fields.time {
    case nil: return nil
    case .local(let date, let minute):
      return Wall(date: date, hour: minute / 60, minute: minute % 60).keys
    case .instant(let instant, let text):
      var keys = wall(at: instant).keys
      if days.row(of: zone.localDate(at: instant)) != nil, self.instant(of: keys) != instant {
        keys[2] = text
      }
      return keys
    }
  }

  func rows(below keys: ArraySlice<String>) -> ColumnRows {
    guard let first = keys.first else { return .slotDays(days) }
    let runs = self.runs(of: CivilDate(iso: first.utf8)!)
    switch keys.count {
    case 1: return .hours(hours(in: runs))
    case 2: return .minutes(minutes(in: runs, hour: Int(keys[1])!))
    default: return .empty
    }
  }

  func selecting(
    row: Int, column: Int, showing keys: [String], in columns: [ColumnState]
  ) -> RetainedSelection {
    var wanted = keys
    wanted[column] = columns[column].rows.key(at: row)
    guard kind.onParentChange == .first, column < 2 else { return keeping(wanted) }
    let wall = Wall(keys: wanted)!
    let slot = column == 0 ? firstSlot(of: wall.date) : firstSlot(of: wall.date, hour: wall.hour)
    return RetainedSelection(keys: slot.keys)
  }

  func keeping(_ keys: [String]) -> RetainedSelection {
    guard let wanted = Wall(keys: keys) else { return RetainedSelection(keys: firstKeys) }
    guard days.count > 0 else { return RetainedSelection(keys: []) }
    let slot = self.slot(from: wanted)
    if slot == wanted { return RetainedSelection(keys: keys) }
    let isEarly = wanted < wall(at: earliest)
    return RetainedSelection(
      keys: slot.keys, reason: isEarly ? .min : reason(without: wanted) ?? .noSuchTime)
  }

  /// Why the inventory has no slot at a time at which there would be one otherwise; `nil` if it has
  /// one, or if there would be none.
  private func reason(without wanted: Wall) -> ClampReason? {
    guard let levels = times.levels else { return nil }
    let all = SlotTimes(kind: kind, zone: zone).runs(of: wanted.date, from: earliest)
    let second = wanted.hour * 3_600 + wanted.minute * 60
    return all.filter { $0.seconds.contains(second) }
      .map { zone.instant(of: wanted.date, second: second, offsetSeconds: $0.offsetSeconds) }
      .min().flatMap { times.level(ofStart: $0.seconds, levels)?.reason }
  }

  func reason(without keys: [String]) -> ClampReason? {
    Wall(keys: keys).flatMap(reason(without:))
  }

  func levels(
    of rows: ColumnRows, column: Int, showing keys: [String], in inventory: KeyLevels
  ) -> [Int: KeyLevel] {
    guard column == 2, keys.count == 3 else { return [:] }
    var levels: [Int: KeyLevel] = [:]
    for row in 0..<rows.count {
      guard let start = instant(of: [keys[0], keys[1], rows.key(at: row)]) else { continue }
      levels[row] = times.level(ofStart: start.seconds, inventory)
    }
    return levels
  }

  private func wall(at instant: Instant) -> Wall {
    let local = zone.local(at: instant)
    return Wall(
      date: local.date, hour: local.secondOfDay / 3_600, minute: local.secondOfDay / 60 % 60)
  }

  /// The slot at `wanted`; if there is none, the next one in local time, otherwise the last one.
  ///
  /// - Precondition: ``days`` is not empty.
  private func slot(from wanted: Wall) -> Wall {
    guard let row = days.firstRow(from: wanted.date) else { return lastSlot }
    let date = days.date(at: row)
    guard date == wanted.date else { return firstSlot(of: date) }
    let runs = self.runs(of: date)
    if let minute = minutes(in: runs, hour: wanted.hour).first(from: wanted.minute) {
      return Wall(date: date, hour: wanted.hour, minute: minute)
    }
    if let hour = hours(in: runs).first(from: wanted.hour + 1) {
      return Wall(date: date, hour: hour, minute: minutes(in: runs, hour: hour).first!)
    }
    return row + 1 < days.count ? firstSlot(of: days.date(at: row + 1)) : lastSlot
  }

  private func firstSlot(of date: CivilDate) -> Wall {
    let runs = self.runs(of: date)
    let hour = hours(in: runs).first!
    return Wall(date: date, hour: hour, minute: minutes(in: runs, hour: hour).first!)
  }

  private func firstSlot(of date: CivilDate, hour: Int) -> Wall {
    Wall(date: date, hour: hour, minute: minutes(in: runs(of: date), hour: hour).first!)
  }

  private var lastSlot: Wall {
    let date = days.date(at: days.count - 1)
    let runs = self.runs(of: date)
    let hour = hours(in: runs).last!
    return Wall(date: date, hour: hour, minute: minutes(in: runs, hour: hour).last!)
  }

  /// The start of the slot with `keys`; `nil` if nothing is selected. If clocks are set back, so
  /// that the local time exists twice, the earlier bookable instant.
  func instant(of keys: [String]) -> Instant? {
    guard let wall = Wall(keys: keys) else { return nil }
    let second = wall.hour * 3_600 + wall.minute * 60
    return runs(of: wall.date).filter { $0.seconds.contains(second) }
      .map { zone.instant(of: wall.date, second: second, offsetSeconds: $0.offsetSeconds) }.min()
  }

  func result(of keys: [String]) -> PickerResult {
    guard let instant = instant(of: keys) else { return .null }
    let until = kind.areMinutesGiven ? instant.adding(minutes: kind.minutes) : nil
    return .slot(keys, instant, until: until)
  }
}

extension SlotRules {
  private func runs(of date: CivilDate) -> [SlotRun] { times.runs(of: date, from: earliest) }

  /// The hours with a slot. Each hour between the first and the last slot of a run has one, because
  /// the step divides 60 minutes.
  private func hours(in runs: [SlotRun]) -> NumberSet {
    var hours = NumberSet()
    for run in runs {
      for hour in (run.seconds.lowerBound / 3_600)...(run.seconds.upperBound / 3_600) {
        hours.insert(hour)
      }
    }
    return hours
  }

  private func minutes(in runs: [SlotRun], hour: Int) -> NumberSet {
    var minutes = NumberSet()
    let step = kind.stepMinutes * 60
    for run in runs {
      let first = max(run.seconds.lowerBound, hour * 3_600)
      for second in stride(from: first, through: run.seconds.upperBound, by: step) {
        guard second < (hour + 1) * 3_600 else { break }
        minutes.insert(second / 60 % 60)
      }
    }
    return minutes
  }
}
