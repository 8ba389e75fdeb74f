/// A syntax error in a JSON text, or a limit that it exceeds.
package struct JSONError: Error, Hashable, Sendable {
  /// The offset of the first invalid byte, from 0.
  package let offset: Int
  /// The error as a phrase: `the string is not terminated`.
  package let reason: String

  package init(offset: Int, reason: String) {
    self.offset = offset
    self.reason = reason
  }
}
