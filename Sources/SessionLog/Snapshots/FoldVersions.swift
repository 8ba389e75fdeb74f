import PickerModel

/// The versions of the picker rules and the zone database. Folding a log with other versions can
/// give another state.
package struct FoldVersions: Hashable, Sendable {
  package let rules: Int
  /// The version of the zone database, such as `2026a`; `nil` if unknown.
  package let tzdata: String?

  package init(rules: Int = RulesVersion.current, tzdata: String?) {
    self.rules = rules
    self.tzdata = tzdata
  }

  /// Whether a session with this definition could have another state under the versions `other`.
  func matter(for definition: Definition, against other: FoldVersions) -> Bool {
    rules != other.rules || (definition.timeZone != "UTC" && tzdata != other.tzdata)
  }

  /// The versions as text: `rules 1, tzdata 2026a`.
  var text: String { "rules \(rules), tzdata \(tzdata ?? "unknown")" }
}
