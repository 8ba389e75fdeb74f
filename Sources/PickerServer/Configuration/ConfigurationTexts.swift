/// The settings before validation: command line options, environment variables for those that are
/// not given as options, and the configuration file for the rest.
package struct ConfigurationTexts: Hashable, Sendable {
  private var texts: [Setting: [SettingText]] = [:]

  /// Empty variables are ignored. A variable of a setting with several values separates them with
  /// blanks or commas. Limits of all sources are combined.
  ///
  /// - Parameters:
  ///   - options: The values of each command line option, in order.
  ///   - file: The fields of the configuration file.
  package init(
    options: [Setting: [String]] = [:], environment: [String: String] = [:],
    file: [Setting: [SettingText]] = [:]
  ) {
    for setting in Setting.allCases {
      let given = (options[setting] ?? []).map { SettingText($0, from: .flag(setting)) }
      let inherited = ConfigurationTexts.values(of: setting, in: environment)
      let written = file[setting] ?? []
      // For a repeated limit the last value applies.
      if setting == .limit {
        texts[setting] = written + inherited + given
      } else {
        texts[setting] = [given, inherited, written].first { !$0.isEmpty } ?? []
      }
    }
  }

  /// All values of a setting; none if it has its default.
  package subscript(setting: Setting) -> [SettingText] { texts[setting] ?? [] }

  /// The source of a setting's value in force.
  func source(of setting: Setting) -> SettingSource { self[setting].last?.source ?? .standard }

  private static func values(
    of setting: Setting, in environment: [String: String]
  ) -> [SettingText] {
    guard let text = environment[setting.variable], !text.isEmpty else { return [] }
    let source = SettingSource.variable(setting)
    guard setting.row.isList else { return [SettingText(text, from: source)] }
    return text.split { $0 == "," || $0.isWhitespace }.map { SettingText(String($0), from: source) }
  }

  /// Unknown variables that begin with `PICKERD_`, to detect spelling errors.
  ///
  /// Ignores `PICKERD_SERVICE_…` and `PICKERD_PORT…`, which Kubernetes sets in every container if a
  /// service is called pickerd.
  package static func unknownVariables(in environment: [String: String]) -> [String] {
    let known = Set(Setting.allCases.map(\.variable))
    return environment.keys.filter { name in
      name.hasPrefix("PICKERD_") && !known.contains(name)
        && !name.hasPrefix("PICKERD_SERVICE_") && !name.hasPrefix("PICKERD_PORT")
    }.sorted()
  }
}
