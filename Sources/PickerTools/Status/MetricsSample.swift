/// The metrics of a server at one time, parsed from the Prometheus text format.
/// - Source: prometheus.io/docs/instrumenting/exposition_formats.
struct MetricsSample: Sendable {
  /// By the name of the sample with its labels, `pickerd_loop_seconds_total{loop="0"}`.
  private var values: [String: Double] = [:]
  /// Seconds of a monotonic clock.
  let time: Double

  init(_ text: String, at time: Double) {
    self.time = time
    for line in text.split(separator: "\n") where !line.hasPrefix("#") {
      guard let blank = line.lastIndex(of: " "),
        let value = Double(line[line.index(after: blank)...])
      else { continue }
      values[String(line[..<blank])] = value
    }
  }

  subscript(name: String) -> Double? { values[name] }

  /// The values of a family by its label's value. Several labels are one key.
  func byLabel(_ name: String) -> [String: Double] {
    var found: [String: Double] = [:]
    for (sample, value) in values where sample.hasPrefix(name + "{") && sample.hasSuffix("\"}") {
      guard let start = sample.firstIndex(of: "\"") else { continue }
      found[String(sample[sample.index(after: start)...].dropLast(2))] = value
    }
    return found
  }
}

/// What happened between two samples.
struct MetricsInterval: Sendable {
  let first, last: MetricsSample

  var seconds: Double { max(last.time - first.time, 0.001) }

  /// The increase of a counter per second, in total over its labels; `nil` if the server does not
  /// have it. A counter that has decreased belongs to a new process.
  func rate(_ name: String) -> Double? {
    guard let value = last[name] else {
      let rates = rates(name).values
      return rates.isEmpty ? nil : rates.reduce(0, +)
    }
    return max(0, value - min(first[name] ?? 0, value)) / seconds
  }

  /// Rates by the value of the family's label; by all values if it has several.
  func rates(_ name: String) -> [String: Double] {
    let before = first.byLabel(name)
    return last.byLabel(name).reduce(into: [:]) { rates, entry in
      rates[entry.key] = max(0, entry.value - min(before[entry.key] ?? 0, entry.value)) / seconds
    }
  }

  /// The value below which a part of the histogram's observations in this interval were, by linear
  /// interpolation in its bucket; `nil` if there were none.
  func quantile(_ part: Double, of name: String) -> Double? {
    let before = first.byLabel(name + "_bucket")
    let buckets = last.byLabel(name + "_bucket").compactMap { bound, count in
      Double(bound.replacing("+Inf", with: "inf")).map {
        (bound: $0, count: count - (before[bound] ?? 0))
      }
    }.sorted { $0.bound < $1.bound }
    guard let total = buckets.last?.count, total > 0 else { return nil }
    let rank = part * total
    var lower = (bound: 0.0, count: 0.0)
    for bucket in buckets {
      if bucket.count >= rank, bucket.count > lower.count {
        guard bucket.bound.isFinite else { return lower.bound }
        let share = (rank - lower.count) / (bucket.count - lower.count)
        return lower.bound + (bucket.bound - lower.bound) * share
      }
      lower = bucket
    }
    return lower.bound
  }
}
