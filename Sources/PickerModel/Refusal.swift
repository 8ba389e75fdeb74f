/// Why a command is refused: the code on the wire.
///
/// - Source: protocol.md, "Refusals, in the order in which they are checked".
package enum Rejection: String, Error, Hashable, Sendable, CaseIterable {
  case oldRef, unknownType, tooMany, notAllowed, wrongKind, notOpen
  case noSuchColumn, staleColumn, noSuchRow
  case outsideMonths, noSuchCell, otherMonth, beforeMin, afterMax, blocked, tapClaimed, minDays
  case nothingToUndo, notComplete, elapsed
}

/// A command that is not done; nothing has changed.
package struct Refusal: Error, Hashable, Sendable {
  package let code: Rejection
  /// What was wrong, and what would be right, for the people who read logs.
  package let detail: String

  package init(_ code: Rejection, _ detail: String) {
    self.code = code
    self.detail = detail
  }
}
