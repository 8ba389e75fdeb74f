import PickerModel

/// What a session is folded with besides its log: the same log gives the same state only with the
/// same rules and the same zone database.
package struct FoldVersions: Hashable, Sendable {
  package let rules: Int
  /// The version of the zone database, such as `2026a`; `nil` if it has none.
  package let tzdata: String?

  package init(rules: Int = RulesVersion.current, tzdata: String?) {
    self.rules = rules
    self.tzdata = tzdata
  }

  /// Whether folding a session of this definition could give something else with `other`.
  func matter(for definition: Definition, against other: FoldVersions) -> Bool {
    rules != other.rules || (definition.timeZone != "UTC" && tzdata != other.tzdata)
  }

  /// As a sentence has them: `rules 1, tzdata 2026a`.
  var text: String { "rules \(rules), tzdata \(tzdata ?? "unknown")" }
}
