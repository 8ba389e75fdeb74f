package import CivilTime

/// The source of time-zone rules. It is called on any thread.
package protocol ZoneSource: AnyObject, Sendable {
  /// The rules of an IANA zone; `nil` if the name is unknown.
  func rules(named name: String) -> ZoneRules?
}
