package import PickerSession

/// The events of one entry of a session's log.
///
/// A session has a mark: the last entry whose events are in the feed. The store adds the events and
/// advances the mark in one transaction, so that a crash neither loses nor duplicates events.
package struct FeedRecord: Sendable {
  package let events: [FeedEvent]
  /// The sequence number of the entry; 0 for the creation. The mark advances to it.
  package let sequence: Int
  /// The mark that the record needs, or a later one: that of the record before it. If that record
  /// was lost, this one must not be stored either.
  package let previous: Int
  /// The status after the entry, for the list of sessions of a cluster's log. Each change of the
  /// status has an event.
  package let status: SessionStatus?

  /// The mark of a session whose creation the feed does not have.
  package static let nothing = -1

  package init(
    events: [FeedEvent], sequence: Int, previous: Int, status: SessionStatus? = nil
  ) {
    self.events = events
    self.sequence = sequence
    self.previous = previous
    self.status = status
  }

  /// The memory that it takes while it is pending, in bytes, an estimate.
  package var byteCount: Int { events.reduce(64) { $0 + $1.byteCount } }

  /// The records of the entries of a session that are not in the feed.
  package struct Missed {
    package private(set) var records: [FeedRecord] = []
    private var previous: Int

    /// - Parameter previous: The mark of the session.
    package init(after previous: Int) { self.previous = previous }

    /// Adds the record of an entry, if it has events and the feed lacks them.
    package mutating func add(_ events: [FeedEvent], sequence: Int, status: SessionStatus) {
      guard sequence > previous, !events.isEmpty else { return }
      records.append(
        FeedRecord(events: events, sequence: sequence, previous: previous, status: status))
      previous = sequence
    }
  }
}
