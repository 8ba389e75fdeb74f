import CivilTime
import PickerModel

/// Random opening hours, taken times and current time, and all slots found minute by minute.
///
/// It shares only the zone's offsets with the code under test.
struct SlotOracle {
  struct Window {
    let weekdays: [Int]
    let from: Int
    let until: Int
  }

  let zone: ZoneRules
  let now: Int64
  let lead: Int
  let step: Int
  let days: Int
  let minutes: Int
  let buffer: Int
  let hours: [Window]?
  let dates: [Int: [Window]]
  let taken: [Range<Int64>]

  /// - Parameter instant: The centre of the period, for example a clock change.
  init(zone: ZoneRules, near instant: Int64, using random: inout RandomSource) {
    func number(_ range: ClosedRange<Int>) -> Int { .random(in: range, using: &random) }
    func windows(_ count: Int) -> [Window] {
      (0..<count).map { _ in
        let unit = [1, 15, 30, 60][number(0...3)]
        let from = number(0...(1_440 / unit - 1)) * unit
        let until = Bool.random(using: &random) ? 1_440 : min(1_440, from + unit * number(1...40))
        let weekdays = (1...7).filter { _ in number(0...3) > 0 }
        return Window(weekdays: weekdays.isEmpty ? [1] : weekdays, from: from, until: until)
      }
    }
    self.zone = zone
    now = instant + Int64(number(-3_000...1_500) * 60 + number(0...59))
    lead = [0, 20, 61, 1_500][number(0...3)]
    step = [5, 10, 15, 20, 30, 60][number(0...5)]
    days = number(1...4)
    minutes = [step, 1, 30, 60, 90, 240, 1_440][number(0...6)]
    buffer = [0, 0, 7, 60][number(0...3)]
    hours = number(0...2) == 0 ? nil : windows(number(0...3))
    let today = Int(floorDivided(instant, 86_400)) + CivilDate.epochOrdinal
    var dates: [Int: [Window]] = [:]
    for _ in 0..<number(0...3) { dates[today + number(-2...5)] = windows(number(0...2)) }
    self.dates = dates
    taken = (0..<number(0...6)).map { _ in
      let start = instant + Int64(number(-3_000...6_000) * 60)
      return start..<(start + Int64(number(1...300) * 60))
    }
  }

  var json: String {
    func text(_ minute: Int) -> String { "\(padded(minute / 60)):\(padded(minute % 60))" }
    func window(_ window: Window, days: Bool) -> String {
      let weekdays = days ? "\"weekdays\":\(window.weekdays)," : ""
      return #"{\#(weekdays)"from":"\#(text(window.from))","until":"\#(text(window.until))"}"#
    }
    var fields = [
      #""kind":"slot","timeZone":"\#(zone.name)","leadMinutes":\#(lead),"stepMinutes":\#(step)"#,
      #""days":\#(days),"minutes":\#(minutes),"bufferMinutes":\#(buffer)"#,
    ]
    if let hours {
      fields.append("\"hours\":[\(hours.map { window($0, days: true) }.joined(separator: ","))]")
    }
    let listed = dates.map { ordinal, windows in
      let all = windows.map { window($0, days: false) }.joined(separator: ",")
      return "\"\(CivilDate(ordinal: ordinal))\":[\(all)]"
    }
    fields.append("\"dates\":{\(listed.joined(separator: ","))}")
    let times = taken.enumerated().map { index, time in
      let from = Instant(seconds: time.lowerBound).rfc3339Seconds
      let until = Instant(seconds: time.upperBound).rfc3339Seconds
      return #""\#(index)":{"from":"\#(from)","until":"\#(until)"}"#
    }
    fields.append("\"taken\":{\(times.joined(separator: ","))}")
    return "{\(fields.joined(separator: ","))}"
  }

  private func local(_ second: Int64) -> (date: Int, minute: Int) {
    let local = second + Int64(zone.offsetSeconds(at: Instant(seconds: second)))
    let day = floorDivided(local, 86_400)
    return (Int(day) + CivilDate.epochOrdinal, Int((local - day * 86_400) / 60))
  }

  /// The bookable minutes and their instants per date, ascending.
  func bookable() -> [(date: Int, minutes: [Int: Int64])] {
    var earliest = now / 60 * 60 + Int64(lead * 60)
    while local(earliest).minute % step != 0 { earliest += 60 }
    let first = local(earliest).date
    let wall = Wall(of: self, from: earliest - 6 * 86_400, to: earliest + 20 * 86_400)
    let last = first + days + 8
    let open = openMinutes(of: (first - 3)...(last + 3), wall).filter { !isTaken($0) }
    return slots(wall, from: earliest, dates: first...last, open)
  }

  /// Why a booking at `start` is not possible, found minute by minute.
  func loss(of start: Int64) -> SlotLoss {
    let date = local(start).date
    let wall = Wall(of: self, from: start - 8 * 86_400, to: start + 8 * 86_400)
    let open = openMinutes(of: (date - 3)...(date + 4), wall)
    let booked = stride(from: start, to: start + Int64(minutes * 60), by: 60)
    if booked.contains(where: isTaken) { return .taken }
    return booked.allSatisfy(open.contains) ? .rules : .closed
  }

  private func isTaken(_ second: Int64) -> Bool {
    let margin = Int64(buffer * 60)
    return taken.contains { second >= $0.lowerBound - margin && second < $0.upperBound + margin }
  }

  private func openMinutes(of dates: ClosedRange<Int>, _ wall: Wall) -> Set<Int64> {
    var open: Set<Int64> = []
    for date in dates {
      let weekday = CivilDate(ordinal: date).weekday
      let all = [Window(weekdays: [], from: 0, until: 1_440)]
      let windows = self.dates[date] ?? hours?.filter { $0.weekdays.contains(weekday) } ?? all
      for window in windows {
        let from = wall.instant(date, window.from, isFirst: true)
        let until = wall.instant(date, window.until, isFirst: false)
        for minute in stride(from: from, to: until, by: 60) { open.insert(minute) }
      }
    }
    return open
  }

  /// The local time at each minute of a period.
  private struct Wall {
    let minutes: [(instant: Int64, shown: Int)]
    let first: [Int: Int64]
    let last: [Int: Int64]

    init(of oracle: SlotOracle, from start: Int64, to end: Int64) {
      minutes = stride(from: start, to: end, by: 60).map { second in
        let (date, minute) = oracle.local(second)
        return (second, date * 1_440 + minute)
      }
      let pairs = minutes.map { ($0.shown, $0.instant) }
      first = Dictionary(pairs, uniquingKeysWith: { first, _ in first })
      last = Dictionary(pairs, uniquingKeysWith: { _, last in last })
    }

    /// The first or last instant at which a wall clock shows a time or skips it.
    func instant(_ date: Int, _ minute: Int, isFirst: Bool) -> Int64 {
      let wanted = date * 1_440 + minute
      if let found = (isFirst ? first : last)[wanted] { return found }
      return minutes.first { $0.shown > wanted }!.instant
    }
  }

  private func slots(
    _ wall: Wall, from earliest: Int64, dates: ClosedRange<Int>, _ open: Set<Int64>
  ) -> [(date: Int, minutes: [Int: Int64])] {
    var found: [Int: [Int: Int64]] = [:]
    for (second, shown) in wall.minutes where second >= earliest {
      let (date, minute) = (shown / 1_440, shown % 1_440)
      guard dates.contains(date), minute % step == 0, found[date]?[minute] == nil else { continue }
      let booked = stride(from: second, to: second + Int64(minutes * 60), by: 60)
      if booked.allSatisfy(open.contains) { found[date, default: [:]][minute] = second }
    }
    return found.keys.sorted().prefix(days).map { ($0, found[$0]!) }
  }
}

private func padded(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }

private func floorDivided(_ number: Int64, _ divisor: Int64) -> Int64 {
  let rest = number % divisor
  return (number - (rest < 0 ? rest + divisor : rest)) / divisor
}
