/// How often values fell into each of a few fixed buckets.
package struct Histogram: Hashable, Sendable {
  /// The upper bounds of the buckets, ascending and inclusive; what is greater only counts.
  package let bounds: [Double]
  /// By bucket, each value once.
  package private(set) var counts: [Int]
  /// All values, those above the last bound too.
  package private(set) var count = 0
  package private(set) var sum = 0.0

  package init(bounds: [Double]) {
    precondition(!bounds.isEmpty && zip(bounds, bounds.dropFirst()).allSatisfy(<))
    self.bounds = bounds
    counts = Array(repeating: 0, count: bounds.count)
  }

  /// Seconds from 50 µs to 10 s, for how long something took.
  package static var seconds: Histogram {
    Histogram(bounds: [
      0.000_05, 0.000_1, 0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25,
      0.5, 1, 2.5, 5, 10,
    ])
  }

  /// Records of a batch, bytes of a queue: powers of 4.
  package static var counts: Histogram {
    Histogram(bounds: [1, 4, 16, 64, 256, 1024, 4096, 16_384, 65_536])
  }

  /// Adds what another histogram with the same bounds has counted.
  package static func += (sum: inout Histogram, other: Histogram) {
    precondition(sum.bounds == other.bounds, "histograms of one metric have the same buckets")
    for index in sum.counts.indices { sum.counts[index] += other.counts[index] }
    sum.count += other.count
    sum.sum += other.sum
  }

  package mutating func record(_ value: Double) {
    count += 1
    sum += value
    if let bucket = bounds.firstIndex(where: { value <= $0 }) { counts[bucket] += 1 }
  }
}
