package import JSONText

/// Why a command is refused: the code on the wire.
///
/// - Source: protocol.md, "Refusals, in the order in which they are checked".
package enum Rejection: String, Error, Hashable, Sendable, CaseIterable {
  case oldRef, unknownType, tooMany, full, notAllowed, wrongKind, notOpen
  case noSuchColumn, staleColumn, noSuchRow
  case outsideMonths, noSuchCell, otherMonth, beforeMin, afterMax, blocked, tapClaimed, minDays
  case nothingToUndo, notComplete, elapsed
}

/// A command that is not done; nothing has changed.
package struct Refusal: Error, Hashable, Sendable {
  package let code: Rejection
  /// One English sentence for developers: what was wrong, and what would be right. At most 512
  /// bytes.
  package let detail: String
  /// The facts of the code, for a sentence in the user's language. Dates are those of now.
  package let params: [JSONTree.Member]

  package init(
    _ code: Rejection, _ detail: String, _ params: KeyValuePairs<String, JSONTree> = [:]
  ) {
    self.init(code, detail, params: params.map { .init($0.key, $0.value) })
  }

  package init(_ code: Rejection, _ detail: String, params: [JSONTree.Member]) {
    self.code = code
    self.detail = detail
    self.params = params
  }
}

extension String {
  /// What a client sent, as a detail quotes it: at most 64 Unicode scalars.
  package var quoted: String { String(String.UnicodeScalarView(unicodeScalars.prefix(64))) }
}
