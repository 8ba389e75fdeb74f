/// An entry that takes units of the inventory or gives some back.
///
/// It is appended undecided. The log decides it in the transaction that stores it, and stores it
/// with the outcome.
package struct DecidedEntry: Hashable, Sendable {
  package let body: LogEntry.Body
  /// `nil` for a stored entry.
  package let demand: InventoryDemand?
  /// `nil` until it is decided.
  package let outcome: InventoryOutcome?

  package init(_ body: LogEntry.Body, demand: InventoryDemand?, outcome: InventoryOutcome? = nil) {
    (self.body, self.demand, self.outcome) = (body, demand, outcome)
  }

  /// The entry with its outcome.
  package func with(_ outcome: InventoryOutcome) -> DecidedEntry {
    DecidedEntry(body, demand: demand, outcome: outcome)
  }
}

extension LogEntry {
  /// An undecided entry with its outcome; another one as it is.
  package func decided(_ outcome: InventoryOutcome) -> LogEntry {
    guard let demand else { return self }
    return LogEntry(at: at, body: .decided(demand.entry.with(outcome)), op: op)
  }

  /// What an undecided entry asks; `nil` for any other.
  package var demand: (entry: DecidedEntry, demand: InventoryDemand)? {
    guard facts.isUndecided, case .decided(let entry) = body, let demand = entry.demand else {
      return nil
    }
    return (entry, demand)
  }
}
