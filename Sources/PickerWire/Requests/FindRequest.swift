import JSONText
import PickerModel

/// A search for rows of a column by their texts.
///
/// - Source: web/guide/README.md, "Find".
package struct FindRequest: Hashable, Sendable {
  /// The client's own number, which the answer repeats.
  package let id: Int
  package let column: Int
  package let text: String
  /// The maximum of rows in the answer.
  package let limit: Int

  private static let textCharactersMax = 64
  private static let limitDefault = 20
  private static let limits = 1...100

  /// Reads a message of type `find`.
  ///
  /// Its fields are no names of ``MessageFields``, which every tap would have to clear.
  /// - Parameter text: A JSON object.
  init(_ text: Span<UInt8>) throws(BadMessage) {
    guard let tree = try? JSONTree.parse(text) else {
      throw BadMessage("the message has a field twice")
    }
    id = try tree.integer("id")
    column = try tree.integer("column")
    guard let searched = tree["text"]?.string,
      1...FindRequest.textCharactersMax ~= searched.unicodeScalars.count
    else {
      throw BadMessage(
        "text must be a string of 1 to \(FindRequest.textCharactersMax) characters",
        pointer: "/text")
    }
    self.text = searched
    let wanted = tree["limit"] == nil ? FindRequest.limitDefault : try tree.integer("limit")
    limit = min(max(wanted, FindRequest.limits.lowerBound), FindRequest.limits.upperBound)
  }
}

extension JSONTree {
  fileprivate func integer(_ field: String) throws(BadMessage) -> Int {
    if let value = self[field]?.integer { return value }
    throw BadMessage(
      "\(field)\(self[field] == nil ? " is missing: it" : "") must be an integer",
      pointer: "/\(field)")
  }
}
