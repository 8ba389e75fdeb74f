package import JSONText
package import PickerModel

/// A version of a shared definition that is not stored yet.
package struct SharedDraft: Sendable {
  package let name: String
  package let document: JSONTree
  package let notes: Notes

  package var byteCount: Int { document.byteCount + notes.byteCount }

  package init(name: String, document: JSONTree, notes: Notes) {
    (self.name, self.document, self.notes) = (name, document, notes)
  }
}

/// The versions in an `If-Match` header.
/// - Source: RFC 9110 section 13.1.1.
package enum VersionMatch: Hashable, Sendable {
  case any
  case oneOf([String])

  package func names(_ version: Int) -> Bool {
    switch self {
    case .any: true
    case .oneOf(let tags): tags.contains("\"\(version)\"")
    }
  }
}
