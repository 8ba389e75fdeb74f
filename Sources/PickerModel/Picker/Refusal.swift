package import JSONText

/// The code of a ``Refusal``. The raw values are sent on the wire.
///
/// - Source: web/guide/README.md, "Refusals".
package enum Rejection: String, Error, Hashable, Sendable, CaseIterable {
  case oldRef, unknownType, tooMany, full, notAllowed, wrongKind, notOpen, confirming
  case stale
  case noSuchColumn, staleColumn, noSuchRow
  case outsideMonths, noSuchCell, otherMonth, beforeMin, afterMax, blocked, tapClaimed, minDays
  case maxDays, noArrival, noDeparture, maxNights, minNights
  case closed, noSuchGrade, staleCells, past, tooManyRuns
  case nothingToUndo, notComplete, elapsed
  case waiting, soldOut, held, tooManyHolds, holdLimit, free, wrongUnits
}

/// The error of a refused command, which has changed nothing.
package struct Refusal: Error, Hashable, Sendable {
  package let code: Rejection
  /// One English sentence for developers: what was wrong, and what would be right. At most 512
  /// bytes.
  package let detail: String
  /// The values that belong to the code, so that a client can write a sentence in the user's
  /// language.
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
