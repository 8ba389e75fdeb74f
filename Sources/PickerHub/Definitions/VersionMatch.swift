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
