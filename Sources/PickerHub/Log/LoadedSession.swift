package import PickerSession

/// A session that was reloaded from its log.
package struct LoadedSession: Sendable {
  package let fold: SessionFold
  /// The number of entries of its log, compacted ones included.
  package let entryCount: Int
  /// The number of entries that the newest stored snapshot covers.
  package let snapshotEntryCount: Int
  /// Entries after that snapshot that the next one makes superfluous.
  package let spent: SpentEntries
  /// The time since the last revision or join.
  package let idleMilliseconds: Int64
  /// Whether the log has an idle snapshot after the last entry: until the next append, another one
  /// would be identical.
  package let isSnapshotted: Bool
  /// The last entry whose events the feed has.
  package let eventSequence: Int
  /// The events of later entries, one record per entry that has some.
  package let missed: [FeedRecord]
  /// What changes because its shared definition has a version that the session has not got.
  package var step: SharedStep?
  /// The whole inventory of its shared definition, with its own claim; `nil` if there is none.
  package var inventory: InventoryChange?

  package init(
    fold: SessionFold, entryCount: Int, snapshotEntryCount: Int = 0,
    spent: SpentEntries = SpentEntries(), idleMilliseconds: Int64, isSnapshotted: Bool = false,
    eventSequence: Int = FeedRecord.nothing, missed: [FeedRecord] = [], step: SharedStep? = nil
  ) {
    self.fold = fold
    self.entryCount = entryCount
    self.snapshotEntryCount = snapshotEntryCount
    self.spent = spent
    self.idleMilliseconds = idleMilliseconds
    self.isSnapshotted = isSnapshotted
    self.eventSequence = eventSequence
    self.missed = missed
    self.step = step
  }
}
