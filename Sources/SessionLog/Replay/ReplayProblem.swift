/// The reason why a log cannot be replayed, as a sentence.
package struct ReplayProblem: Error, Hashable, Sendable, CustomStringConvertible {
  package enum Kind: Hashable, Sendable {
    /// The arguments are invalid: `EX_USAGE`.
    case usage
    /// The log is missing or cannot be read: `EX_NOINPUT`.
    case noInput
    /// The data is not a log that can be replayed: `EX_DATAERR`.
    case badData
  }

  package let kind: Kind
  package let description: String

  package init(_ kind: Kind, _ description: String) {
    self.kind = kind
    self.description = description
  }
}
