/// Why a text is not JSON, and where.
package struct JSONError: Error, Hashable, Sendable {
  /// Octets before the first one that does not fit, from 0.
  package let offset: Int
  /// What does not fit, as a clause: `a string without its closing quote`.
  package let reason: String

  package init(offset: Int, reason: String) {
    self.offset = offset
    self.reason = reason
  }
}
