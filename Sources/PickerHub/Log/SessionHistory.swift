package import PickerSession

/// How far a reader of a session's history has come.
///
/// Between two pages nothing is held open: the fold and the place are all that the log needs to go
/// on, also if it was compacted meanwhile.
package struct HistoryPosition: Sendable {
  package let origin: SessionOrigin
  /// Deltas up to this revision are not wanted.
  package let after: Int
  /// The last revision that is wanted.
  package let through: Int
  /// The state from which folding goes on.
  package var fold: SessionFold
  /// The sequence number of the last entry that is folded in it; 0 before the first page.
  package var place = 0

  /// Deltas of a page, at most two more.
  package static let deltaCountMax = 256
  /// Entries that are folded for a page.
  package static let entryCountMax = 2000

  /// - Returns: `nil` if the session's definition has no value.
  package init?(
    of origin: SessionOrigin, after: Int, through: Int, limits: SessionLimits
  ) {
    var limits = limits
    limits.history = 0
    guard let fold = try? SessionFold(origin, limits: limits) else { return nil }
    self.origin = origin
    self.after = after
    self.through = through
    self.fold = fold
  }

  package var isDone: Bool { fold.revision >= through }

  /// Takes the state of a snapshot.
  package mutating func adopt(_ kept: SessionFold.StoredState, place: Int) {
    fold = SessionFold(origin, limits: fold.limits, kept: kept)
    self.place = place
  }

  /// Folds the next entry, and adds the deltas that are wanted.
  package mutating func apply(_ entry: LogEntry, place: Int, _ deltas: inout [Delta]) {
    self.place = place
    for case .delta(let delta) in fold.apply(entry)
    where delta.revision > after && delta.revision <= through {
      deltas.append(delta)
    }
  }
}

/// Some of the deltas of a session, oldest first.
package struct HistoryPage: Sendable {
  package let deltas: [Delta]
  /// Where the next page begins; `nil` after the last one.
  package let next: HistoryPosition?

  package init(deltas: [Delta], next: HistoryPosition?) {
    self.deltas = deltas
    self.next = next
  }
}
