package import CivilTime
package import PickerModel
package import PickerSession

/// A session's state after some entries of its log. A reload starts from it instead of the first
/// entry.
package struct LogSnapshot: Sendable {
  /// The epoch of the session.
  package let epoch: String
  /// The number of entries that it covers.
  package let entryCount: Int
  package let state: SessionFold.StoredState
  /// The picker in this state, for a checksum of what members see.
  package let picker: Picker
  /// Whether the session is about to be evicted. Such a session is reloaded without its history;
  /// the hub reads that when a client resumes.
  package let isIdle: Bool
  /// The next instant at which time changes the picker.
  package let nextTick: Instant?
  /// The time since the last revision or join.
  package let idleMilliseconds: Int64
  /// Entries since the previous snapshot that this one makes superfluous.
  package let spent: SpentEntries
  /// The last of the covered entries that has events. The snapshot must not be stored before them:
  /// they could not be derived again.
  package let eventSequence: Int

  package init(
    epoch: String, entryCount: Int, state: SessionFold.StoredState, picker: Picker,
    isIdle: Bool, nextTick: Instant?, idleMilliseconds: Int64,
    spent: SpentEntries = SpentEntries(), eventSequence: Int = FeedRecord.nothing
  ) {
    self.epoch = epoch
    self.entryCount = entryCount
    self.state = state
    self.picker = picker
    self.isIdle = isIdle
    self.nextTick = nextTick
    self.idleMilliseconds = idleMilliseconds
    self.spent = spent
    self.eventSequence = eventSequence
  }

  /// The memory that it takes while it is pending, in bytes, an estimate.
  package var byteCount: Int {
    let members = state.facts.members.values.reduce(0) {
      $0 + 256 + 64 * $1.refs.entries.count
    }
    return 1024 + members + 8 * (spent.dropped.count + spent.ticks.count)
  }
}
