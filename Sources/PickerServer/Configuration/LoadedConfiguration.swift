import JSONText

/// A validated configuration, with the source of each value.
package struct LoadedConfiguration: Sendable {
  package let settings: ServerConfiguration
  private let texts: ConfigurationTexts

  init(_ settings: ServerConfiguration, _ texts: ConfigurationTexts) {
    self.settings = settings
    self.texts = texts
  }

  func source(of setting: Setting) -> SettingSource { texts.source(of: setting) }

  func source(of limit: ServerLimit) -> SettingSource {
    LimitSettings.source(of: limit, in: texts[.limit])
  }
}

extension LoadedConfiguration {
  /// The configuration in force for `serve --check`, as a configuration file with the source of
  /// each value as a comment.
  package var summary: String {
    var lines: [Line] = []
    for setting in Setting.allCases where setting.isInFile && setting != .limit {
      lines.append(line(setting))
    }
    lines.append(Line(text: "limit:", source: nil))
    for limit in ServerLimit.allCases {
      let text = "  \(limit.rawValue): \(settings.limits[limit])"
      lines.append(Line(text: text, source: source(of: limit)))
    }
    var width = 0
    for line in lines where line.text.count < 60 { width = max(width, line.text.count) }
    return lines.map { $0.padded(to: width) }.joined(separator: "\n")
  }

  private struct Line {
    let text: String
    let source: SettingSource?

    func padded(to width: Int) -> String {
      guard let source else { return text }
      return "\(text.padded(to: width))  # \(source)"
    }
  }

  private func line(_ setting: Setting) -> Line {
    let values = setting.row.values(settings).map(LoadedConfiguration.quoted)
    let value: String
    switch values.count {
    case 0: value = ""
    case 1: value = " \(values[0])"
    default: value = " [\(values.joined(separator: ", "))]"
    }
    return Line(text: "\(setting.rawValue):\(value)", source: source(of: setting))
  }

  /// A text as a YAML scalar.
  private static func quoted(_ text: String) -> String {
    let first = text.first.map { $0.isLetter || $0.isNumber || $0 == "/" } ?? false
    if first, text.isWord(with: "./:_-"), !text.hasSuffix(":") { return text }
    var writer = JSONWriter()
    writer.string(text)
    return String(decoding: writer.bytes, as: UTF8.self)
  }
}
