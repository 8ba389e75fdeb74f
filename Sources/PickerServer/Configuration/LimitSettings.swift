/// A value for every ``ServerLimit``.
package struct LimitSettings: Hashable, Sendable {
  private var changed: [ServerLimit: Int] = [:]

  package init() {}

  /// - Throws: ``ConfigurationProblems`` with every invalid text.
  package init(_ texts: [SettingText]) throws(ConfigurationProblems) {
    var configuration = ServerConfiguration()
    let problems = configuration.read(.limit, texts)
    guard problems.isEmpty else { throw ConfigurationProblems(problems) }
    self = configuration.limits
  }

  /// The settings of limits without their defaults, as ``set(_:)`` reads them.
  var texts: [String] {
    ServerLimit.allCases.filter { changed[$0] != nil }.map { "\($0.rawValue)=\(self[$0])" }
  }

  /// Parses a setting such as `members=50`. If a name is repeated, the last value applies.
  ///
  /// - Throws: For unknown names, and values that are not integers in the permitted range.
  mutating func set(_ setting: String) throws(ConfigurationProblem) {
    let parts = setting.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, let limit = ServerLimit(rawValue: String(parts[0])) else {
      throw ConfigurationProblem(
        "\(ConfigurationProblem.shown(setting)) is not a limit. Use NAME=NUMBER with one "
          + "of the names " + ServerLimit.allCases.map(\.rawValue).joined(separator: ", ") + ".")
    }
    let range = limit.facts.range
    guard let value = Int(parts[1]), range.contains(value) else {
      throw ConfigurationProblem(
        "\(limit.rawValue) (\(limit.facts.meaning)) must be a number from "
          + "\(range.lowerBound) to \(range.upperBound), not "
          + ConfigurationProblem.shown(String(parts[1])) + ".")
    }
    self[limit] = value
  }

  /// Where the value of a limit comes from.
  static func source(
    of limit: ServerLimit, in texts: some Sequence<SettingText>
  ) -> SettingSource {
    let given = texts.filter { $0.text.hasPrefix(limit.rawValue + "=") }
    return given.last?.source ?? .standard
  }

  package internal(set) subscript(limit: ServerLimit) -> Int {
    get { changed[limit] ?? limit.facts.standard }
    set { changed[limit] = newValue == limit.facts.standard ? nil : newValue }
  }
}
