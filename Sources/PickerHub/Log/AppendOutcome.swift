package import PickerSession

/// The outcome of appending a record.
package enum AppendOutcome: Hashable, Sendable {
  /// Stored, as durably as this log stores anything. A log whose earlier record of the session is
  /// still pending answers ``pending``: a step behind others waits for a report.
  case stored
  /// Stored, and the inventory has decided it so: ``stored`` for an undecided entry.
  indirect case decided(InventoryOutcome)
  /// The outcome follows by ``Hub/committed(_:outcomes:of:at:)``, ``Hub/refused(_:at:)``,
  /// ``Hub/lost(_:at:)`` or ``Hub/taken(_:at:)``. The log reports the records of a session in the
  /// order of their appends.
  case pending
  /// Not stored: the session's log has reached its maximum size.
  case full
  /// Not stored: the store of all sessions has reached its maximum size.
  case storeFull
  /// Not stored: the log is unavailable.
  case failed
  /// Not stored: the session's log has reached twice its maximum size, by ticks and leaving
  /// members. Only the session's end can still be appended.
  case exhausted
}
