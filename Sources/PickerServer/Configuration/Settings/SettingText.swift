/// A value of a setting before validation, with the place where it was written.
package struct SettingText: Hashable, Sendable {
  package let text: String
  package let source: SettingSource

  package init(_ text: String, from source: SettingSource) {
    self.text = text
    self.source = source
  }
}

/// Where the value of a setting comes from. Each overrides those after it.
package enum SettingSource: Hashable, Sendable, CustomStringConvertible {
  case flag(Setting)
  case variable(Setting)
  /// A place in the configuration file, `pickerd.yaml:4:11`, and the name of the field.
  case file(place: String, field: String)
  case standard

  package var description: String {
    switch self {
    case .flag(let setting): setting.flag
    case .variable(let setting): setting.variable
    case .file(let place, _): place
    case .standard: "default"
    }
  }

  /// What precedes an error message: the place, and what is set there.
  var subject: String {
    switch self {
    case .flag, .variable, .standard: description
    case .file(let place, let field): "\(place): \(field)"
    }
  }
}

extension SettingText {
  /// `text` without the password of a URL or connection string.
  static func withoutPassword(_ text: String) -> String {
    var (shown, rest) = ("", text[...])
    while let found = rest.range(of: "password=") {
      // The value may be quoted and contain blanks, so everything up to the next parameter of a URL
      // is hidden.
      shown += rest[..<found.upperBound] + "…"
      rest = rest[found.upperBound...].drop { $0 != "&" }
    }
    let text = shown + rest
    guard let scheme = text.range(of: "://"), let end = text.lastIndex(of: "@"),
      scheme.upperBound < end,
      let colon = text[scheme.upperBound..<end].firstIndex(of: ":")
    else { return text }
    return text[...colon] + "…" + text[end...]
  }
}
