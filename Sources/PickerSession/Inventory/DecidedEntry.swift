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

  package func with(_ outcome: InventoryOutcome) -> DecidedEntry {
    DecidedEntry(body, demand: demand, outcome: outcome)
  }
}
