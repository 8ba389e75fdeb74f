/// An invalid setting.
package struct ConfigurationProblem: Error, Hashable, CustomStringConvertible {
  /// The option, such as `--listen`.
  package let option: String
  /// One or two sentences to print after the option: the error, and what a valid value looks like.
  package let detail: String

  package init(option: String, detail: String) {
    self.option = option
    self.detail = detail
  }

  package var description: String { "\(option): \(detail)" }
}

extension ConfigurationProblem {
  /// `text` for an error message: quoted, with control characters escaped, and truncated.
  static func shown(_ text: String) -> String {
    let cut = text.unicodeScalars.prefix(80)
    let escaped = cut.map { scalar in
      scalar.properties.generalCategory == .control || scalar.properties.generalCategory == .format
        ? scalar.escaped(asASCII: true) : String(scalar)
    }
    return "“" + escaped.joined() + (cut.count < text.unicodeScalars.count ? "…”" : "”")
  }
}
