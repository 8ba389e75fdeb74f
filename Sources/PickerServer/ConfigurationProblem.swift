/// A setting that cannot be used: what was wrong, and what would be right.
package struct ConfigurationProblem: Error, Hashable, CustomStringConvertible {
  /// The option as it is typed, such as `--listen`.
  package let option: String
  /// One or two sentences, ready to print after the option.
  package let detail: String

  package init(option: String, detail: String) {
    self.option = option
    self.detail = detail
  }

  package var description: String { "\(option): \(detail)" }
}

extension ConfigurationProblem {
  /// `text` as an operator may be shown it: quoted, control characters escaped, cut short.
  static func shown(_ text: String) -> String {
    let cut = text.unicodeScalars.prefix(80)
    let escaped = cut.map { scalar in
      scalar.properties.generalCategory == .control || scalar.properties.generalCategory == .format
        ? scalar.escaped(asASCII: true) : String(scalar)
    }
    return "“" + escaped.joined() + (cut.count < text.unicodeScalars.count ? "…”" : "”")
  }
}
