/// An invalid setting.
package struct ConfigurationProblem: Error, Hashable, CustomStringConvertible {
  /// Where it is set: `--listen`, `PICKERD_LISTEN`, `pickerd.yaml:4:11: listen`, or the path of the
  /// file. Empty while it is not known.
  package let place: String
  /// One or two sentences to print after the place: the error, and what a valid value looks like.
  package let detail: String

  package init(_ detail: String, at place: String = "") {
    self.place = place
    self.detail = detail
  }

  package var description: String { place.isEmpty ? detail : "\(place): \(detail)" }

  /// The same problem, of the value at `source`.
  func at(_ source: SettingSource) -> ConfigurationProblem {
    ConfigurationProblem(detail, at: source.subject)
  }
}

/// All problems of a configuration.
package struct ConfigurationProblems: Error, Hashable, CustomStringConvertible {
  package let all: [ConfigurationProblem]

  package init(_ all: [ConfigurationProblem]) { self.all = all }

  package var description: String { all.map(\.description).joined(separator: "\n") }
}

extension ConfigurationProblem {
  /// `text` for an error message: quoted, with control characters escaped, truncated, and without
  /// passwords.
  static func shown(_ text: String) -> String {
    let text = SettingText.withoutPassword(text)
    let cut = text.unicodeScalars.prefix(80)
    let escaped = cut.map { scalar in
      scalar.properties.generalCategory == .control || scalar.properties.generalCategory == .format
        ? scalar.escaped(asASCII: true) : String(scalar)
    }
    return "“" + escaped.joined() + (cut.count < text.unicodeScalars.count ? "…”" : "”")
  }
}
