import CivilTime
import JSONText
import PickerModel

/// The rules of a calendar of nights, day by day, as web/guide/definitions.md has them: an
/// implementation that has nothing in common with the one it checks.
struct StayOracle {
  struct Rule {
    let days: ClosedRange<CivilDate>?
    let weekdays: [Int]?
    let minNights: Int?
    let maxNights: Int?
    let arrival: Bool?
    let departure: Bool?
  }

  var min: CivilDate
  var max: CivilDate
  let blockedWeekdays: [Int]
  let blocked: [ClosedRange<CivilDate>]
  let minNights: Int
  let maxNights: Int?
  let rules: [Rule]

  /// The outcome of a tap or of a change of definition.
  enum Outcome: Equatable {
    case stay(CivilDate, CivilDate, reason: String?)
    case refused(String)
  }

  func isFree(_ night: CivilDate) -> Bool {
    night >= min && night < max && !blockedWeekdays.contains(night.weekday)
      && !blocked.contains { $0.contains(night) }
  }

  private func value<Value>(_ day: CivilDate, _ field: (Rule) -> Value?) -> Value? {
    rules.last {
      ($0.days?.contains(day) ?? true) && ($0.weekdays?.contains(day.weekday) ?? true)
        && field($0) != nil
    }.flatMap(field)
  }

  private func mayArrive(_ day: CivilDate) -> Bool { value(day, \.arrival) ?? true }
  private func mayDepart(_ day: CivilDate) -> Bool { value(day, \.departure) ?? true }
  private func minimum(_ day: CivilDate) -> Int { value(day, \.minNights) ?? minNights }
  private func maximum(_ day: CivilDate) -> Int { value(day, \.maxNights) ?? maxNights ?? .max }

  func canArrive(_ day: CivilDate) -> Bool { isFree(day) && mayArrive(day) }
  func canDepart(_ day: CivilDate) -> Bool { isFree(before(day)) && mayDepart(day) }

  private func before(_ day: CivilDate) -> CivilDate { day.adding(days: -1)! }

  /// The code of a refused first tap; `nil` if it is accepted.
  func refusal(ofFirst day: CivilDate) -> String? {
    if day < min { return "beforeMin" }
    if day > max { return "afterMax" }
    if canArrive(day) || canDepart(day) { return nil }
    if isFree(day) { return "noArrival" }
    return isFree(before(day)) ? "noDeparture" : "blocked"
  }

  /// Why there is no stay between `first` and `other`.
  private func obstacle(_ first: CivilDate, _ other: CivilDate) -> String? {
    let isArrival = first < other
    if isArrival, !mayArrive(first) { return "noArrival" }
    if !isArrival, !mayDepart(first) { return "noDeparture" }
    let (arrival, departure) = isArrival ? (first, other) : (other, first)
    let count = departure.days(since: arrival)
    if !(0..<count).allSatisfy({ isFree(arrival.adding(days: $0)!) }) { return "blocked" }
    if count > maximum(arrival) { return "maxNights" }
    if isArrival, !mayDepart(other) { return "noDeparture" }
    if !isArrival, !mayArrive(other) { return "noArrival" }
    return nil
  }

  private func stop(_ first: CivilDate, _ goal: CivilDate) -> CivilDate? {
    let step = goal > first ? -1 : 1
    var day = goal
    while day != first {
      if obstacle(first, day) == nil { return day }
      day = day.adding(days: step)!
    }
    return nil
  }

  /// The outcome of a second tap on `day` after a first one on `first`; both are within the bounds.
  func second(_ first: CivilDate, _ day: CivilDate) -> Outcome {
    if first == day { return .refused("minNights") }
    let reason = obstacle(first, day)
    guard let stop = stop(first, day) else { return .refused(reason!) }
    let (start, end) = (Swift.min(first, stop), Swift.max(first, stop))
    if end.days(since: start) < minimum(start) { return .refused("minNights") }
    return .stay(start, end, reason: reason)
  }

  func reach(_ first: CivilDate) -> ClosedRange<CivilDate> {
    (stop(first, min) ?? first)...(stop(first, max) ?? first)
  }

  /// What a change to this definition leaves of a closed stay.
  func kept(_ start: CivilDate, _ end: CivilDate) -> Outcome {
    let (from, to) = (Swift.max(start, min), Swift.min(end, max))
    let cut: String? = start < min ? "min" : end > max ? "max" : nil
    guard from < to else { return .refused(cut!) }
    switch second(from, to) {
    case .stay(let start, let end, let reason): return .stay(start, end, reason: cut ?? reason)
    case .refused("minNights"): return .refused(cut ?? obstacle(from, to) ?? "minNights")
    case .refused(let code): return .refused(cut ?? code)
    }
  }

  /// The definition as JSON.
  var json: String {
    let entries =
      (blockedWeekdays.isEmpty ? [] : [#"{"weekdays":\#(blockedWeekdays)}"#])
      + blocked.map { #"{"from":"\#($0.lowerBound)","through":"\#($0.upperBound)"}"# }
    let stays = rules.map { rule in
      var fields: [String] = []
      if let days = rule.days {
        fields.append(#""from":"\#(days.lowerBound)","through":"\#(days.upperBound)""#)
      }
      if let weekdays = rule.weekdays { fields.append(#""weekdays":\#(weekdays)"#) }
      if let count = rule.minNights { fields.append(#""minNights":\#(count)"#) }
      if let count = rule.maxNights { fields.append(#""maxNights":\#(count)"#) }
      if let may = rule.arrival { fields.append(#""arrival":\#(may)"#) }
      if let may = rule.departure { fields.append(#""departure":\#(may)"#) }
      return "{\(fields.joined(separator: ","))}"
    }
    return """
      {"kind":"calendar","unit":"nights","months":{"from":"2016-06","through":"2016-09"},
       "min":"\(min)","max":"\(max)","blocked":[\(entries.joined(separator: ","))],
       "minNights":\(minNights),"stays":[\(stays.joined(separator: ","))]
       \(maxNights.map { #","maxNights":\#($0)"# } ?? "")}
      """
  }
}

extension StayOracle {
  static let first = CivilDate("2016-06-01")

  /// A random definition with bounds within June to September 2016.
  init(using random: inout RandomSource) {
    func within(_ range: ClosedRange<Int>) -> Int { .random(in: range, using: &random) }
    func once(in count: Int) -> Bool { within(1...count) == 1 }
    func day() -> CivilDate { StayOracle.first.adding(days: within(0...121))! }
    func days(_ count: Int) -> ClosedRange<CivilDate> {
      let from = day()
      return from...from.adding(days: within(0...count))!
    }
    min = once(in: 2) ? StayOracle.first : StayOracle.first.adding(days: within(0...40))!
    max =
      once(in: 2) ? CivilDate("2016-09-30") : CivilDate("2016-09-30").adding(days: -within(0...40))!
    blockedWeekdays = (1...7).filter { _ in once(in: 12) }
    blocked = (0..<within(0...4)).map { _ in days(9) }
    minNights = once(in: 2) ? 1 : within(1...4)
    maxNights = once(in: 2) ? nil : within(4...20)
    rules = (0..<within(0...6)).map { _ in
      let most = once(in: 4) ? within(1...14) : nil
      return Rule(
        days: once(in: 3) ? nil : days(40),
        weekdays: once(in: 2) ? nil : (1...7).filter { _ in once(in: 2) }.ifNotEmpty,
        minNights: once(in: 4) ? within(1...(most ?? 7)) : nil, maxNights: most,
        arrival: once(in: 3) ? once(in: 2) : nil, departure: once(in: 3) ? once(in: 2) : nil)
    }
  }
}

extension Array {
  fileprivate var ifNotEmpty: Self? { isEmpty ? nil : self }
}
