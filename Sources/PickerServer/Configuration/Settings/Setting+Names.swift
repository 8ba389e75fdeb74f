/// The names of a setting, and tables of all settings.
extension Setting {
  /// `--admin-listen`, without the dashes.
  package var flagName: String { words.joined(separator: "-") }
  package var flag: String { "--" + flagName }
  /// `PICKERD_ADMIN_LISTEN`
  package var variable: String { "PICKERD_" + words.joined(separator: "_").uppercased() }
  /// Whether it is a field of the configuration file.
  var isInFile: Bool { self != .config }

  /// `adminListen` as `admin`, `listen`.
  private var words: [String] {
    var words = [""]
    for character in rawValue {
      if character.isUppercase { words.append("") }
      words[words.count - 1] += character.lowercased()
    }
    return words
  }

  /// The text of `--help`.
  package var help: String {
    facts.meaning + (facts.isList ? " Can be repeated." : "") + " (default: \(facts.standard))"
  }

  /// The handbook's table of settings, in Markdown.
  package static var markdown: String {
    let rows = allCases.map { setting in
      let facts = setting.facts
      let meaning = facts.meaning + (facts.isList ? " Can be repeated." : "")
      let reload = setting == .limit ? "[some](#limits)" : facts.isReloadable ? "yes" : "no"
      return "| `\(setting.flag)` | \(facts.standard) | \(reload) | \(meaning) |"
    }
    return (["| option | default | SIGHUP | |", "|---|---|---|---|"] + rows)
      .joined(separator: "\n")
  }
}

extension ServerLimit {
  /// The unit of its values; empty for a plain number.
  package var unit: String {
    let units = [
      ("Milliseconds", "ms"), ("PerSecond", "1/s"), ("Seconds", "s"), ("Bytes", "bytes"),
      ("Days", "days"),
    ]
    return units.first { rawValue.hasSuffix($0.0) }?.1 ?? ""
  }

  /// All limits, one per line, for `--help`.
  package static var table: String {
    let nameWidth = allCases.map(\.rawValue.count).max() ?? 0
    return allCases.map { limit in
      let standard = String(limit.facts.standard)
      return "  " + limit.rawValue.padded(to: nameWidth)
        + "  " + String(repeating: " ", count: max(0, 8 - standard.count)) + standard
        + "  " + limit.facts.meaning
    }.joined(separator: "\n")
  }

  /// The handbook's table of limits, in Markdown.
  package static var markdown: String {
    let rows = allCases.map { limit in
      let range = "\(limit.facts.range.lowerBound)…\(limit.facts.range.upperBound)"
      return "| `\(limit.rawValue)` | \(limit.facts.standard) | \(range) | \(limit.unit) "
        + "| \(limit.isReloadable ? "yes" : "no") | \(limit.facts.meaning) |"
    }
    return (["| limit | default | range | unit | SIGHUP | |", "|---|---|---|---|---|---|"] + rows)
      .joined(separator: "\n")
  }
}

extension String {
  func padded(to width: Int) -> String {
    self + String(repeating: " ", count: max(0, width - count))
  }
}
