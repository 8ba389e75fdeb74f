package import PickerHub

/// A metric and its values at one time.
package struct MetricFamily: Sendable {
  package enum Kind: String, Sendable {
    case counter, gauge, histogram
  }

  /// One line of the text exposition.
  package struct Series: Sendable {
    /// The name of the family; for a histogram with `_bucket`, `_sum` or `_count`.
    package let name: String
    package let labels: [(name: String, value: String)]
    package let value: Double
    /// Whether all values of the series are integers.
    package let isInteger: Bool
  }

  package let name: String
  package let kind: Kind
  package let help: String
  package let series: [Series]
}

/// A value with labels.
package struct MetricSample {
  fileprivate let labels: [(name: String, value: String)]
  fileprivate let value: Double
  fileprivate let isInteger: Bool

  package init(_ value: some BinaryInteger, _ labels: (name: String, value: String)...) {
    self.value = Double(value)
    self.labels = labels
    isInteger = true
  }

  package init(_ value: Double, _ labels: (name: String, value: String)...) {
    self.value = value
    self.labels = labels
    isInteger = false
  }
}

/// Collects metrics; each call is the only definition of a metric's name, type and help.
package struct MetricFamilies {
  package private(set) var all: [MetricFamily] = []
  private var names: Set<String> = []

  package init() {}

  /// Adds a counter. Its name must end with `_total`.
  package mutating func counter(_ name: String, _ help: String, _ samples: MetricSample...) {
    counter(name, help, samples)
  }

  package mutating func counter(_ name: String, _ help: String, _ samples: [MetricSample]) {
    precondition(name.hasSuffix("_total"), "a counter's name must end with _total")
    add(name, .counter, help, samples.map { $0.series(name) })
  }

  package mutating func gauge(_ name: String, _ help: String, _ samples: MetricSample...) {
    gauge(name, help, samples)
  }

  package mutating func gauge(_ name: String, _ help: String, _ samples: [MetricSample]) {
    add(name, .gauge, help, samples.map { $0.series(name) })
  }

  package mutating func histogram(_ name: String, _ help: String, _ histogram: Histogram) {
    var count = 0
    var series: [MetricFamily.Series] = []
    for (bound, inBucket) in zip(histogram.bounds, histogram.counts) {
      count += inBucket
      let bucket = MetricSample(count, ("le", MetricsText.number(bound)))
      series.append(bucket.series(name + "_bucket"))
    }
    series.append(MetricSample(histogram.count, ("le", "+Inf")).series(name + "_bucket"))
    series.append(MetricSample(histogram.sum).series(name + "_sum"))
    series.append(MetricSample(histogram.count).series(name + "_count"))
    add(name, .histogram, help, series)
  }

  private mutating func add(
    _ name: String, _ kind: MetricFamily.Kind, _ help: String, _ series: [MetricFamily.Series]
  ) {
    precondition(MetricFamilies.isName(name), "invalid metric name: \(name)")
    precondition(names.insert(name).inserted, "duplicate metric: \(name)")
    for label in series.lazy.flatMap(\.labels) {
      precondition(MetricFamilies.isName(label.name), "invalid label name: \(label.name)")
    }
    all.append(MetricFamily(name: name, kind: kind, help: help, series: series))
  }

  /// Letters, digits and `_`, no digit first. Colons are reserved for recording rules.
  private static func isName(_ name: String) -> Bool {
    name.utf8.first?.isDigit == false && name.isWord(with: "_")
  }
}

extension MetricSample {
  fileprivate func series(_ name: String) -> MetricFamily.Series {
    MetricFamily.Series(name: name, labels: labels, value: value, isInteger: isInteger)
  }
}
