package import CivilTime
package import PickerModel

/// The source of row texts by language.
package protocol TextSource: AnyObject {
  /// The texts for a BCP 47 tag or its language; `nil` if neither is known.
  func texts(for tag: String) -> (any RowTexts)?
}

/// The source of time-zone rules. It is called on any thread.
package protocol ZoneSource: AnyObject, Sendable {
  /// The rules of an IANA zone; `nil` if the name is unknown.
  func rules(named name: String) -> ZoneRules?
}
