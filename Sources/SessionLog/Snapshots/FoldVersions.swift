import PickerModel

/// The versions of the rules and the zone database. The same log gives the same state only with the
/// same versions.
package struct FoldVersions: Hashable, Sendable {
  package let rules: Int
  /// The version of the zone database, such as `2026a`; `nil` if unknown.
  package let tzdata: String?

  package init(rules: Int = RulesVersion.current, tzdata: String?) {
    self.rules = rules
    self.tzdata = tzdata
  }

  /// Whether a session of this definition could have another state with `other`.
  func matter(for definition: Definition, against other: FoldVersions) -> Bool {
    rules != other.rules || (definition.timeZone != "UTC" && tzdata != other.tzdata)
  }

  /// The versions as text: `rules 1, tzdata 2026a`.
  var text: String { "rules \(rules), tzdata \(tzdata ?? "unknown")" }
}
