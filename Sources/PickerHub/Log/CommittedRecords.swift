package import PickerSession

/// The next records of a session that its log has committed, in log order.
///
/// A log that is not shared only reports runs of the hub's own records; those need no array.
package enum CommittedRecords: Sendable {
  /// The hub's next pending records, in the order of their appends.
  case own(Int)
  case mixed([CommittedRecord])
}

/// A committed record of a session.
package enum CommittedRecord: Sendable {
  /// The hub's next pending record.
  case own
  /// The hub's next pending record was not stored: it is a creation, and another session has its
  /// external id or idempotency key.
  case refused
  /// An entry that another node has appended.
  case foreign(LogEntry)
  /// Another node has ended the session. None of the hub's pending records is stored.
  case foreignEnd
}
