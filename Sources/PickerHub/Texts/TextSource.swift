package import PickerModel

/// The source of row texts by language.
package protocol TextSource: AnyObject {
  /// The texts for a BCP 47 tag or its language; `nil` if neither is known.
  func texts(for tag: String) -> (any RowTexts)?
}
