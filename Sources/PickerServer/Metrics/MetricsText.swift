package import PickerHub

/// Formats metrics in Prometheus' text format. Created for each scrape; it stores no values between
/// scrapes.
///
/// - Source: Prometheus, "Exposition formats", text format 0.0.4.
package struct MetricsText {
  /// The media type of ``text``.
  package static let contentType = "text/plain; version=0.0.4; charset=utf-8"

  /// A value with labels.
  package struct Sample {
    let labels: [(name: String, value: String)]
    let value: Double

    package init(_ value: some BinaryInteger, _ labels: (name: String, value: String)...) {
      self.value = Double(value)
      self.labels = labels
    }

    package init(_ value: Double, _ labels: (name: String, value: String)...) {
      self.value = value
      self.labels = labels
    }
  }

  package private(set) var text = ""
  private var names: Set<String> = []

  package init() {}

  /// Writes a counter. Its name must end with `_total`.
  package mutating func counter(_ name: String, _ help: String, _ samples: Sample...) {
    counter(name, help, samples)
  }

  package mutating func counter(_ name: String, _ help: String, _ samples: [Sample]) {
    precondition(name.hasSuffix("_total"), "a counter's name must end with _total")
    head(name, "counter", help)
    for sample in samples { line(name, sample.labels, sample.value) }
  }

  package mutating func gauge(_ name: String, _ help: String, _ samples: Sample...) {
    gauge(name, help, samples)
  }

  package mutating func gauge(_ name: String, _ help: String, _ samples: [Sample]) {
    head(name, "gauge", help)
    for sample in samples { line(name, sample.labels, sample.value) }
  }

  package mutating func histogram(_ name: String, _ help: String, _ histogram: Histogram) {
    head(name, "histogram", help)
    var count = 0
    for (bound, inBucket) in zip(histogram.bounds, histogram.counts) {
      count += inBucket
      line(name + "_bucket", [("le", MetricsText.number(bound))], Double(count))
    }
    line(name + "_bucket", [("le", "+Inf")], Double(histogram.count))
    line(name + "_sum", [], histogram.sum)
    line(name + "_count", [], Double(histogram.count))
  }

  private mutating func head(_ name: String, _ type: String, _ help: String) {
    precondition(MetricsText.isName(name), "invalid metric name: \(name)")
    precondition(names.insert(name).inserted, "duplicate metric: \(name)")
    text += "# HELP \(name) \(MetricsText.escaped(help, quotes: false))\n# TYPE \(name) \(type)\n"
  }

  private mutating func line(
    _ name: String, _ labels: [(name: String, value: String)], _ value: Double
  ) {
    text += name
    if !labels.isEmpty {
      let written = labels.map { label in
        precondition(MetricsText.isName(label.name), "invalid label name: \(label.name)")
        return "\(label.name)=\"\(MetricsText.escaped(label.value, quotes: true))\""
      }
      text += "{" + written.joined(separator: ",") + "}"
    }
    text += " " + MetricsText.number(value) + "\n"
  }

  /// Letters, digits and `_`, no digit first. Colons are reserved for recording rules.
  private static func isName(_ name: String) -> Bool {
    guard let first = name.utf8.first, !(48...57).contains(first) else { return false }
    return name.utf8.allSatisfy {
      (97...122).contains($0 | 0x20) || (48...57).contains($0) || $0 == UInt8(ascii: "_")
    }
  }

  private static func escaped(_ text: String, quotes: Bool) -> String {
    var escaped = ""
    for character in text.unicodeScalars {
      switch character {
      case "\\": escaped += "\\\\"
      case "\n": escaped += "\\n"
      case "\"" where quotes: escaped += "\\\""
      default: escaped.unicodeScalars.append(character)
      }
    }
    return escaped
  }

  private static func number(_ value: Double) -> String {
    if let integer = Int(exactly: value) { return String(integer) }
    if value.isNaN { return "NaN" }
    if value.isInfinite { return value < 0 ? "-Inf" : "+Inf" }
    return "\(value)"
  }
}
