import CivilTime

/// Pickers that differ only in something that must not change the cost of a tap.
struct BenchSeries {
  let name: String
  /// The second one is the reference: a day with bookings costs more than one without, however many
  /// there are on other days.
  let kinds: [BenchKind]

  static let all = [
    BenchSeries(
      name: "slot, an hour, by entries of `taken`",
      kinds: [0, 500, 5_000].map { slot(takenCount: $0, taps: selects(column: 1, rows: [1, 2])) }),
    BenchSeries(
      name: "slot, a day, by entries of `taken`",
      kinds: [0, 500, 5_000].map { slot(takenCount: $0, taps: selects(column: 0, rows: [1, 2])) }),
    BenchSeries(
      name: "slot, a minute, by days searched for the first slot",
      kinds: [1, 30, 360].map(slot(firstDayIn:))),
    BenchSeries(
      name: "calendar, by entries of `taken`", kinds: [0, 500, 5_000].map(calendar(takenCount:))),
  ]

  private static func selects(column: Int, rows: [Int]) -> [String] {
    rows.map { #"{"type":"select","ref":@,"column":\#(column),"row":\#($0),"generation":1}"# }
  }

  private static let tomorrow = CivilDate(iso: "2026-11-21".utf8)!

  /// A booking in every hour from tomorrow on.
  private static func slot(takenCount: Int, taps: [String]) -> BenchKind {
    let taken = (0..<takenCount).map { number in
      let day = tomorrow.adding(days: number / 24)!.iso
      let hour = number % 24 < 10 ? "0\(number % 24)" : "\(number % 24)"
      return #""b\#(number)":{"from":"\#(day)T\#(hour):05","until":"\#(day)T\#(hour):06"}"#
    }
    return BenchKind(
      name: "\(takenCount)",
      definition: #"{"kind":"slot","timeZone":"UTC","days":30,"minutes":10,"taken":"#
        + "{\(taken.joined(separator: ","))}}",
      taps: taps)
  }

  /// Closed but for three days.
  private static func slot(firstDayIn days: Int) -> BenchKind {
    let dates = (0..<3).map { offset in
      let date = tomorrow.adding(days: days - 1 + offset)!.iso
      return #""\#(date)":[{"from":"09:00","until":"17:30"}]"#
    }
    return BenchKind(
      name: "\(days)",
      definition: #"{"kind":"slot","timeZone":"UTC","hours":[],"dates":{"#
        + "\(dates.joined(separator: ","))}}",
      taps: selects(column: 2, rows: [1, 2]))
  }

  /// Every other day from 2027 on.
  private static func calendar(takenCount: Int) -> BenchKind {
    let first = CivilDate(iso: "2027-01-01".utf8)!
    let taken = (0..<takenCount).map { number in
      let date = first.adding(days: 2 * number)!.iso
      return #""s\#(number)":{"from":"\#(date)","through":"\#(date)"}"#
    }
    return BenchKind(
      name: "\(takenCount)",
      definition: #"{"kind":"calendar","months":{"from":"2026-01","through":"2056-12"},"taken":"#
        + "{\(taken.joined(separator: ","))}}",
      taps: ["01-10", "03-20"].map { #"{"type":"tap","ref":@,"date":"2026-\#($0)"}"# },
      join: #","months":{"from":"2026-01","count":3}"#)
  }
}

/// The cost of a tap on each picker of a series, in batches that alternate, so that what else runs
/// on the machine slows all of them down alike.
struct SeriesCost {
  let series: BenchSeries
  /// In the order of the kinds.
  let costs: [Cost]

  private static let count = 2000

  init(_ series: BenchSeries) throws {
    self.series = series
    let benches = try series.kinds.map { kind in
      let bench = BenchHub(kind)
      try bench.create(1)
      bench.join()
      bench.give(bench.taps(1100))
      return bench
    }
    var costs = benches.map { _ in Cost(nanoseconds: .infinity, allocations: .infinity) }
    for _ in 0..<Cost.repetitions.rounds {
      for (index, bench) in benches.enumerated() {
        let cost = Cost.measure(count: SeriesCost.count, batches: 1) {
          bench.taps(SeriesCost.count)
        } run: { taps in
          bench.give(taps)
        }
        costs[index] = costs[index].least(cost)
      }
    }
    self.costs = costs
  }

  /// The pickers on which a tap allocates more than on the second one.
  var excesses: [String] {
    zip(series.kinds, costs).dropFirst(2).compactMap { kind, cost in
      guard cost.allocations.rounded() > costs[1].allocations.rounded() else { return nil }
      return "\(series.name), \(kind.name): \(cost.allocations) allocations, "
        + "not \(costs[1].allocations)"
    }
  }
}
