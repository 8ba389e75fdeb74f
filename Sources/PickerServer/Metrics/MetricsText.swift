/// Formats metrics in Prometheus' text format.
///
/// - Source: Prometheus, "Exposition formats", text format 0.0.4.
package struct MetricsText {
  /// The media type of ``text``.
  package static let contentType = "text/plain; version=0.0.4; charset=utf-8"

  package private(set) var text = ""

  package init(_ families: [MetricFamily]) {
    for family in families {
      text += "# HELP \(family.name) \(MetricsText.escaped(family.help, quotes: false))\n"
      text += "# TYPE \(family.name) \(family.kind.rawValue)\n"
      for series in family.series {
        text += series.id + " " + MetricsText.number(series.value) + "\n"
      }
    }
  }

  fileprivate static func escaped(_ text: String, quotes: Bool) -> String {
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

  static func number(_ value: Double) -> String {
    if let integer = Int(exactly: value) { return String(integer) }
    if value.isNaN { return "NaN" }
    if value.isInfinite { return value < 0 ? "-Inf" : "+Inf" }
    return "\(value)"
  }
}

extension MetricFamily.Series {
  /// The name with the labels, as in the text format: `pickerd_closes_total{code="4503"}`.
  var id: String {
    guard !labels.isEmpty else { return name }
    let written = labels.map { "\($0.name)=\"\(MetricsText.escaped($0.value, quotes: true))\"" }
    return name + "{" + written.joined(separator: ",") + "}"
  }
}
