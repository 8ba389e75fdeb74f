import CivilTime
import DequeModule
import Foundation
import GRDB
import JSONText
import PickerModel
import PickerSession

/// Folds a stored session, for one that is loaded.
struct StoredFolding {
  private(set) var fold: SessionFold
  /// The sequence number of the last entry that has been folded, or covered by a snapshot.
  private(set) var place = 0
  /// Whether the newest snapshot is an idle one.
  private var startsIdle = false
  private let number: Int64
  private let origin: SessionOrigin
  private let limits: SessionLimits
  private let versions: FoldVersions
  private let database: Database
  /// Makes a later definition than the origin's from its document, or finds it.
  private let make: (JSONTree) -> Definition?

  init(
    number: Int64, _ origin: SessionOrigin, _ limits: SessionLimits, _ versions: FoldVersions,
    _ database: Database, make: @escaping (JSONTree) -> Definition?
  ) throws {
    self.make = make
    self.number = number
    self.origin = origin
    self.limits = limits
    self.versions = versions
    self.database = database
    fold = try SessionFold(origin, limits: limits)
  }

  /// Brings the fold to the newest snapshot, with the deltas before it. If everybody had left then,
  /// the session is loaded without them: the hub reads them when somebody resumes.
  ///
  /// What was folded with other versions has to be equal when it is folded with those of now, and
  /// nothing may follow that cannot be compared.
  /// - Parameter row: The session's.
  /// - Returns: Why that is not what members have seen; `nil` if it is.
  mutating func start(_ spacing: SnapshotSpacing, _ row: Row) throws -> StoredDivergence? {
    guard let newest = try StoredSnapshot.newest(of: number, database) else {
      guard let stored = FoldVersions(row), isChanged(stored) else { return nil }
      return StoredDivergence(number: number, place: nil, checksum: nil, versions: stored)
    }
    let kept = try newest.kept(of: origin, make: make)
    let standing = SessionFold(origin, limits: limits, kept: kept)
    let isChanged =
      newest.versions.map {
        self.isChanged($0) || versions.matter(for: standing.definition, against: $0)
      } ?? false
    let hasTail = row["entryCount"] > newest.place
    startsIdle = newest.isIdle
    var isEqual = !isChanged || (!hasTail && newest.isEqual(to: standing))
    var history: Deque<Delta> = []
    if !newest.isIdle && limits.history > 0 {
      try foldHistory(before: newest, spacing)
      history = fold.history
      isEqual = isEqual && fold.revision == newest.revision
      if isEqual && isChanged {
        isEqual = newest.isEqual(to: fold.brought(to: kept.picker.asOf))
      }
    }
    fold = SessionFold(origin, limits: limits, kept: kept, history: history)
    place = newest.place
    if isEqual { return nil }
    return StoredDivergence(
      number: number, place: place, checksum: StateChecksum(of: standing).value,
      versions: newest.versions ?? versions)
  }

  /// Whether folding with the versions of now may give something else.
  private func isChanged(_ stored: FoldVersions) -> Bool {
    versions.matter(for: origin.definition, against: stored)
  }

  /// Folds the entries before `newest` from which its last deltas come.
  private mutating func foldHistory(
    before newest: StoredSnapshot, _ spacing: SnapshotSpacing
  ) throws {
    let base = try Int.fetchOne(
      database, sql: SnapshotSpacing.baseSQL,
      arguments: [
        number, spacing.revision(before: newest.revision),
        spacing.rowCount(before: newest.rowCount),
      ])
    let oldest = newest.rowCount > spacing.rowCountMax ? try oldestPlace : nil
    if let base = base ?? oldest {
      let snapshots = try StoredSnapshot.all(of: number, after: base - 1, through: base, database)
      guard let start = snapshots.first else { return }
      fold = SessionFold(origin, limits: limits, kept: try start.kept(of: origin, make: make))
      place = base
    }
    try foldEntries(through: newest.place) { _, _ in }
  }

  /// The place of the first snapshot that is stored.
  private var oldestPlace: Int? {
    get throws {
      try Int.fetchOne(
        database, sql: "SELECT min(place) FROM snapshot WHERE session = ?", arguments: [number])
    }
  }

  /// Folds what came after the newest snapshot. Nothing of it has been compacted.
  ///
  /// - Returns: Where it starts, which entries the next snapshot makes superfluous, and whether
  ///   there are none after an idle snapshot.
  mutating func foldTail(
    entryCount: Int
  ) throws -> (start: Int, spent: SpentEntries, isIdle: Bool) {
    let start = place
    var spent = SpentEntries()
    var count = 0
    try foldEntries(through: .max) { remnant, place in
      spent.note(remnant, sequence: place)
      count += 1
    }
    guard place == entryCount, place == start + count else {
      throw StoredProblem("session \(origin.id) has \(start + count) entries of \(entryCount)")
    }
    return (start, spent, startsIdle && count == 0)
  }

  private mutating func foldEntries(
    through last: Int, _ each: (LogRemnant, _ place: Int) -> Void
  ) throws {
    let rows = try Row.fetchCursor(
      database,
      sql: """
        SELECT place, body FROM entry WHERE session = ? AND place > ? AND place <= ? ORDER BY place
        """, arguments: [number, place, last])
    while let row = try rows.next() {
      let entry = try SQLiteReading.entry(
        row[1], of: origin.id, after: fold.definition, database, make: make)
      _ = fold.apply(entry)
      place = row[0]
      each(fold.remnant, place)
    }
  }
}

extension StoredSnapshot {
  /// Whether members see the same in `fold`; true for a snapshot without a checksum.
  func isEqual(to fold: SessionFold) -> Bool {
    checksum == nil || checksum == StateChecksum(of: fold).value
  }
}

extension SessionFold {
  /// The state when time has come to `now`: compacted entries that only passed time are missing.
  func brought(to now: Instant) -> SessionFold {
    var fold = self
    _ = fold.apply(LogEntry(at: now, body: .tick))
    return fold
  }
}
