import CivilTime
import Foundation
import JSONText
import PickerHub
import PickerModel
import PickerSession
import PickerWire

/// Loading a session: from its newest snapshot and the entries after it, and with its recent deltas
/// from an older snapshot.
struct StoredReading {
  /// The outcome of reading a session.
  enum Outcome {
    /// - Parameter byteCount: The size of its log.
    case loaded(LoadedSession, byteCount: Int)
    /// Applying its entries with the current rules and zone database gives another state than its
    /// members have seen.
    case diverged(StoredDivergence)
  }

  /// The maximum nesting of an entry or a snapshot: that of the deepest body that is accepted, and
  /// what is stored around it.
  static let depthMax = bodyDepthMax + 8

  private let rows: SQLRows
  private let origin: SessionOrigin
  private let limits: SessionLimits
  private let versions: FoldVersions
  private let newest: StoredSnapshot?
  /// The state of ``newest``.
  private let state: SessionFold.StoredState?

  /// Loads a session.
  ///
  /// - Parameters:
  ///   - now: Milliseconds since 1970 by the store's clock.
  ///   - definition: Finds or makes the definition of its creation.
  /// - Throws: ``StoredProblem`` or the store's error.
  static func load(
    _ rows: SQLRows, limits: SessionLimits, _ versions: FoldVersions, now: Int64,
    definition: (StoredOrigin) throws -> Definition
  ) throws -> Outcome {
    do {
      let reading = try StoredReading(rows, limits, versions, definition: definition)
      return .loaded(try reading.loaded(at: now), byteCount: rows.session.byteCount)
    } catch let divergence as StoredDivergence {
      return .diverged(divergence)
    }
  }

  private init(
    _ rows: SQLRows, _ limits: SessionLimits, _ versions: FoldVersions,
    definition: (StoredOrigin) throws -> Definition
  ) throws {
    self.rows = rows
    self.versions = versions
    let created = try rows.created(limits, definition: definition)
    (origin, self.limits) = created
    newest = try rows.newestSnapshot().map(rows.snapshot(at:))
    state = try newest.map { try $0.state(of: created.origin, make: rows.make) }
  }

  private func loaded(at now: Int64) throws -> LoadedSession {
    let session = rows.session
    var cursor = try start()
    let start = newest?.sequence ?? 0
    var spent = SpentEntries()
    var missed = FeedRecord.Missed(after: session.eventSequence)
    if session.eventSequence == FeedRecord.nothing {
      missed.add(
        [try SessionFold(origin, limits: limits).creationEvent], sequence: 0, status: .open)
    }
    while let next = try cursor.next(crossing: check) {
      let at = cursor.fold.time(of: next.entry)
      let effects = cursor.apply(next)
      if next.sequence <= start { continue }
      spent.note(cursor.fold.remnant, sequence: next.sequence)
      if next.sequence <= session.eventSequence { continue }
      let events = effects.flatMap { cursor.fold.events(of: $0, at: at) }
      missed.add(events, sequence: next.sequence, status: cursor.fold.status)
    }
    guard cursor.sequence == session.entryCount else {
      throw StoredProblem(
        "session \(session.id.shortened) has \(cursor.sequence) of \(session.entryCount) entries")
    }
    return LoadedSession(
      fold: cursor.fold, entryCount: cursor.sequence, snapshotEntryCount: start, spent: spent,
      idleMilliseconds: max(0, now - session.activeAt),
      isSnapshotted: newest?.isIdle == true && cursor.sequence == start,
      eventSequence: session.eventSequence, missed: missed.records)
  }

  /// Where applying entries begins: at the snapshot from which the recent deltas are read, or at
  /// the creation. An idle snapshot is loaded without deltas: the hub reads them when a client
  /// resumes.
  private func start() throws -> EntryCursor<SQLRows> {
    let new = try SessionFold(origin, limits: limits)
    guard let newest, let state else {
      if isChanged(rows.session.versions) {
        throw divergence(sequence: nil, checksum: nil, rows.session.versions)
      }
      return EntryCursor(new, of: rows)
    }
    guard !newest.isIdle, limits.history > 0 else {
      if isChanged(since: newest), hasTail || !newest.isEqual(to: stored(state)) {
        throw divergence(from: newest, state)
      }
      return EntryCursor(stored(state), after: newest.sequence, of: rows)
    }
    let spacing = SnapshotSpacing(limits)
    var base = try rows.snapshot(
      upTo: spacing.revision(before: newest.revision),
      rowCount: spacing.rowCount(before: newest.rowCount))
    if base == nil, newest.rowCount > spacing.rowCountMax { base = try rows.oldestSnapshot() }
    return EntryCursor(
      try base.map { stored(try rows.state(at: $0, of: origin)) } ?? new, after: base ?? 0,
      of: rows, snapshots: [newest.sequence])
  }

  /// Checks at the newest snapshot that the entries before it give what members have seen.
  ///
  /// A session that was stored with other versions must give the same state with the current ones,
  /// and no entries may follow its last snapshot, because they cannot be compared.
  /// - Returns: The state of the snapshot.
  private func check(
    _ snapshot: Int, _ fold: borrowing SessionFold
  ) throws -> SessionFold.StoredState? {
    guard let newest, let state else { return nil }
    let isEqual =
      !isChanged(since: newest)
      || !hasTail && newest.isEqual(to: stored(state))
        && newest.isEqual(to: fold.brought(to: state.picker.asOf))
    guard isEqual, fold.revision == newest.revision else {
      throw divergence(from: newest, state)
    }
    return state
  }

  private var hasTail: Bool { rows.session.entryCount > newest?.sequence ?? 0 }

  private func stored(_ state: SessionFold.StoredState) -> SessionFold {
    SessionFold(origin, limits: limits, state: state)
  }

  /// Whether the current versions may give another state.
  private func isChanged(_ stored: FoldVersions) -> Bool {
    versions.matter(for: origin.definition, against: stored)
  }

  private func isChanged(since newest: StoredSnapshot) -> Bool {
    let definition = state?.definition?.definition ?? origin.definition
    return isChanged(newest.versions) || versions.matter(for: definition, against: newest.versions)
  }

  private func divergence(
    from newest: StoredSnapshot, _ state: SessionFold.StoredState
  ) -> StoredDivergence {
    divergence(
      sequence: newest.sequence, checksum: StateChecksum(of: stored(state)).value,
      newest.versions)
  }

  private func divergence(
    sequence: Int?, checksum: Int64?, _ stored: FoldVersions
  ) -> StoredDivergence {
    StoredDivergence(
      number: rows.session.number, epoch: rows.session.epoch, sequence: sequence,
      checksum: checksum, versions: stored)
  }
}

extension StoredSnapshot {
  /// Whether `fold` has the same visible state.
  fileprivate func isEqual(to fold: SessionFold) -> Bool {
    checksum == StateChecksum(of: fold).value
  }
}
