package import CivilTime
package import PickerSession

/// A record of a session's log: `created` first, then entries, `ended` last.
package enum LogRecord: Sendable {
  /// The log writes the event in the transaction that creates the session. With several nodes it
  /// belongs to none then; one claims it at `nextTick`, if nobody asks for it before.
  ///
  /// Indirect, because an origin is four times as large as an entry.
  indirect case created(SessionOrigin, event: FeedEvent? = nil, nextTick: Instant? = nil)
  case entry(LogEntry)
  /// The log writes the event in the transaction that removes the session; `nil` for a session that
  /// could not be read.
  ///
  /// What the session has of an inventory is given back, a booking only with `releasesBooking`.
  indirect case ended(FeedEvent?, releasesBooking: Bool = false)
}

extension LogRecord {
  /// Whether a log or a store that has reached its maximum size refuses the record, see
  /// ``LogEntry/Facts/needsBudget``.
  package var needsBudget: Bool {
    switch self {
    case .created: true
    case .entry(let entry): entry.facts.needsBudget
    case .ended: false
    }
  }

  /// The memory that the record takes while it is pending, in bytes, an estimate. A definition is
  /// not counted, because the session shares it.
  package var byteCount: Int {
    switch self {
    case .created(let origin, let event, _):
      1024 + (origin.title?.tree.serialized().count ?? 0) + origin.notes.byteCount
        + (event?.byteCount ?? 0)
    case .entry(let entry): entry.facts.byteCount
    case .ended(let event, _): 64 + (event?.byteCount ?? 0)
    }
  }
}
