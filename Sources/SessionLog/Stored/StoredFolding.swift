import CivilTime
import DequeModule
import Foundation
import JSONText
import PickerHub
import PickerModel
import PickerSession

/// Applies the stored entries of a session to load it.
struct StoredFolding<Rows: SessionRows> {
  private(set) var fold: SessionFold
  /// The sequence number of the last entry that is applied, or covered by a snapshot.
  private(set) var sequence = 0
  /// Whether the newest snapshot is an idle one; see ``LogSnapshot/isIdle``.
  private var startsIdle = false
  private let rows: Rows
  private let origin: SessionOrigin
  private let limits: SessionLimits
  private let versions: FoldVersions
  /// Finds or makes a definition, other than the origin's, from its document.
  private let make: (JSONTree) -> Definition?

  init(
    _ rows: Rows, _ origin: SessionOrigin, _ limits: SessionLimits, _ versions: FoldVersions,
    make: @escaping (JSONTree) -> Definition?
  ) throws {
    self.rows = rows
    self.make = make
    self.origin = origin
    self.limits = limits
    self.versions = versions
    fold = try SessionFold(origin, limits: limits)
  }

  /// Sets the fold to the newest snapshot, with the deltas before it. An idle snapshot is loaded
  /// without deltas: the hub reads them when a client resumes.
  ///
  /// A session that was stored with other versions must give the same state with the current ones,
  /// and no entries may follow its last snapshot, because they cannot be compared.
  /// - Returns: The divergence if the state is not what members have seen.
  mutating func start(_ spacing: SnapshotSpacing) throws -> StoredDivergence? {
    let (number, epoch) = (rows.session.number, rows.session.epoch)
    guard let newest = try rows.newestSnapshot() else {
      let stored = rows.session.versions
      guard isChanged(stored) else { return nil }
      return StoredDivergence(
        number: number, epoch: epoch, sequence: nil, checksum: nil, versions: stored)
    }
    let state = try newest.state(of: origin, make: make)
    let stored = SessionFold(origin, limits: limits, state: state)
    let isChanged =
      isChanged(newest.versions)
      || versions.matter(for: stored.definition, against: newest.versions)
    let hasTail = rows.session.entryCount > newest.sequence
    startsIdle = newest.isIdle
    var isEqual = !isChanged || (!hasTail && newest.isEqual(to: stored))
    var history: Deque<Delta> = []
    if !newest.isIdle && limits.history > 0 {
      try foldHistory(before: newest, spacing)
      history = fold.history
      isEqual = isEqual && fold.revision == newest.revision
      if isEqual && isChanged {
        isEqual = newest.isEqual(to: fold.brought(to: state.picker.asOf))
      }
    }
    fold = SessionFold(origin, limits: limits, state: state, history: history)
    sequence = newest.sequence
    if isEqual { return nil }
    return StoredDivergence(
      number: number, epoch: epoch, sequence: sequence, checksum: StateChecksum(of: stored).value,
      versions: newest.versions)
  }

  /// Whether the current versions may give another state.
  private func isChanged(_ stored: FoldVersions) -> Bool {
    versions.matter(for: origin.definition, against: stored)
  }

  /// Applies the entries before `newest` that made its recent deltas.
  private mutating func foldHistory(
    before newest: StoredSnapshot, _ spacing: SnapshotSpacing
  ) throws {
    let base = try rows.baseSequence(
      revision: spacing.revision(before: newest.revision),
      rowCount: spacing.rowCount(before: newest.rowCount))
    let oldest = newest.rowCount > spacing.rowCountMax ? try rows.oldestSnapshotSequence() : nil
    if let base = base ?? oldest {
      let snapshots = try rows.snapshots(after: base - 1, through: base)
      guard let start = snapshots.first else { return }
      fold = SessionFold(origin, limits: limits, state: try start.state(of: origin, make: make))
      sequence = base
    }
    try foldEntries(through: newest.sequence) { _, _, _, _ in }
  }

  /// Applies the entries after the newest snapshot. None of them is compacted.
  ///
  /// - Returns: The sequence number of the snapshot, the entries that the next one makes
  ///   superfluous, whether the snapshot is idle and no entries follow it, and the events that are
  ///   not in the feed.
  mutating func foldTail() throws -> (
    start: Int, spent: SpentEntries, isIdle: Bool, missed: [FeedRecord]
  ) {
    let (entryCount, eventSequence) = (rows.session.entryCount, rows.session.eventSequence)
    let start = sequence
    var spent = SpentEntries()
    var count = 0
    var missed = FeedRecord.Missed(after: eventSequence)
    if eventSequence == FeedRecord.nothing {
      missed.add([try creationEvent], sequence: 0, status: .open)
    }
    try foldEntries(through: .max) { fold, effects, sequence, now in
      spent.note(fold.remnant, sequence: sequence)
      count += 1
      guard sequence > eventSequence else { return }
      var events: [FeedEvent] = []
      for effect in effects {
        if let event = fold.event(of: effect, at: now) { events.append(event) }
      }
      missed.add(events, sequence: sequence, status: fold.status)
    }
    guard sequence == entryCount, sequence == start + count else {
      throw StoredProblem(
        "session \(origin.id.shortened) has \(start + count) of \(entryCount) entries")
    }
    return (start, spent, startsIdle && count == 0, missed.records)
  }

  private var creationEvent: FeedEvent {
    get throws { try SessionFold(origin, limits: limits).creationEvent }
  }

  private mutating func foldEntries(
    through last: Int,
    _ each: (borrowing SessionFold, [Effect], _ sequence: Int, _ at: Instant) -> Void
  ) throws {
    let (rows, make) = (rows, make)
    try rows.entries(after: sequence, through: last) { sequence, body in
      let entry = try rows.entry(body, after: fold.definition, make: make)
      let now = fold.time(of: entry)
      let effects = fold.apply(entry)
      self.sequence = sequence
      each(fold, effects, sequence, now)
      return true
    }
  }
}

extension StoredSnapshot {
  /// Whether `fold` has the same visible state.
  func isEqual(to fold: SessionFold) -> Bool { checksum == StateChecksum(of: fold).value }
}
