/// A histogram with fixed buckets.
package struct Histogram: Hashable, Sendable {
  /// The upper bounds of the buckets, ascending and inclusive. A greater value is in no bucket; it
  /// counts in ``count`` and ``sum`` only.
  package let bounds: [Double]
  /// The number of values in each bucket; not cumulative.
  package private(set) var counts: [Int]
  /// The number of all values, including those above the last bound.
  package private(set) var count = 0
  package private(set) var sum = 0.0

  package init(bounds: [Double]) {
    precondition(!bounds.isEmpty && zip(bounds, bounds.dropFirst()).allSatisfy(<))
    self.bounds = bounds
    counts = Array(repeating: 0, count: bounds.count)
  }

  /// An empty histogram of durations in seconds, with buckets from 50 µs to 10 s.
  package static var seconds: Histogram {
    Histogram(bounds: [
      0.000_05, 0.000_1, 0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25,
      0.5, 1, 2.5, 5, 10,
    ])
  }

  /// An empty histogram of sizes (records of a batch, bytes of a queue), with powers of 4 as
  /// bounds.
  package static var counts: Histogram {
    Histogram(bounds: [1, 4, 16, 64, 256, 1024, 4096, 16_384, 65_536])
  }

  /// Adds the values of another histogram, which must have the same bounds.
  package static func += (sum: inout Histogram, other: Histogram) {
    precondition(sum.bounds == other.bounds, "histograms of one metric have the same buckets")
    for index in sum.counts.indices { sum.counts[index] += other.counts[index] }
    sum.count += other.count
    sum.sum += other.sum
  }

  package mutating func record(_ value: Double) {
    count += 1
    sum += value
    // Most durations are in the first bucket.
    var bucket = 0
    while bucket < bounds.count, value > bounds[bucket] { bucket += 1 }
    if bucket < counts.count { counts[bucket] += 1 }
  }
}
