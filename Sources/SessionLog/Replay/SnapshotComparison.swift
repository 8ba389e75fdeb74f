import CivilTime
import JSONText
import PickerModel
import PickerSession

/// Replays a session from its stored rows, and compares its snapshots one by one.
struct SnapshotComparison {
  private let rows: SQLRows
  private let origin: SessionOrigin
  private let versions: FoldVersions
  private var difference: ReplayDifference?
  /// Further remarks, as sentences.
  private var remarks: [String] = []

  /// Replays the session; see ``SQLReplay/Settings``.
  static func replay(_ rows: SQLRows, _ settings: SQLReplay.Settings) throws -> ReplayReport {
    var (origin, limits) = try rows.created(settings.limits) { origin in
      try origin.makeDefinition(zone: settings.zone)
    }
    limits.history = 0
    let snapshots = try rows.snapshots()
    var comparison = SnapshotComparison(rows: rows, origin: origin, versions: settings.versions)
    try comparison.remarkCompaction(snapshots.last)
    var replayer = Replayer(
      EntryCursor(try SessionFold(origin, limits: limits), of: rows, snapshots: snapshots),
      at: settings.revision, each: settings.each)
    var count = 0
    while let next = try replayer.next(crossing: { snapshot, fold in
      try comparison.pass(snapshot, fold, after: count)
    }) {
      _ = replayer.apply(next)
      count += 1
    }
    let last = replayer.cursor.sequence
    guard rows.session.entryCount == last else {
      throw StoredProblem(
        "the log of session \(origin.id) ends at entry \(last) of \(rows.session.entryCount)")
    }
    return ReplayReport(
      fold: try replayer.requestedFold(of: "session \(origin.id)"),
      lastRevision: replayer.fold.revision, entryCount: count, comparedCount: snapshots.count,
      comparedNoun: "snapshot", knowsMembers: true, difference: comparison.difference,
      remarks: comparison.remarks, isWhole: true)
  }

  private init(rows: SQLRows, origin: SessionOrigin, versions: FoldVersions) {
    (self.rows, self.origin, self.versions) = (rows, origin, versions)
  }

  private mutating func remarkCompaction(_ last: Int?) throws {
    guard let last = try last.map(rows.snapshot(at:)), last.isCompacted else { return }
    remarks.append(
      "\(last.sequence - last.rowCount) of the first \(last.sequence) entries changed "
        + "nothing and were deleted; the refs of those commands come from the snapshot")
  }

  /// Compares a snapshot with the fold.
  ///
  /// - Returns: The state after a compacted snapshot, because the log does not contain all refs.
  private mutating func pass(
    _ sequence: Int, _ fold: borrowing SessionFold, after entryCount: Int
  ) throws -> SessionFold.StoredState? {
    let snapshot = try rows.snapshot(at: sequence)
    guard snapshot.rowCount == entryCount else {
      throw StoredProblem(
        "\(entryCount) instead of \(snapshot.rowCount) entries are stored up to entry "
          + "\(sequence) of session \(origin.id)")
    }
    let state = try snapshot.state(of: origin, make: rows.make)
    compare(snapshot, state, with: fold)
    return snapshot.isCompacted || snapshot.replaces != nil ? state : nil
  }

  private mutating func compare(
    _ snapshot: StoredSnapshot, _ state: SessionFold.StoredState, with fold: borrowing SessionFold
  ) {
    let what = "the snapshot after entry \(snapshot.sequence)"
    if let replaced = snapshot.replaces {
      remarks.append(
        "up to revision \(snapshot.revision) the session was served with \(replaced); it replays "
          + "differently with later versions, so it continued from \(what) under a new epoch")
      return
    }
    if difference != nil { return }
    var (stored, folded) = (state, fold.state)
    if snapshot.isCompacted {
      folded = fold.brought(to: state.picker.asOf).state
      (stored, folded) = (stored.withoutRefsAndNames, folded.withoutRefsAndNames)
    }
    (stored, folded) = (stored.withoutRefusalTexts, folded.withoutRefusalTexts)
    if stored == folded { return }
    difference =
      ReplayDifference(
        revision: fold.revision, what, stored: stored.tree, folded: folded.tree)
      ?? ReplayDifference(
        revision: fold.revision, detail: "\(what) differs from the replay")
    let other = snapshot.versions
    if versions.matter(for: origin.definition, against: other) {
      remarks.append("\(what) was stored with \(other.text); this pickerd has \(versions.text)")
    }
  }
}

extension SessionFold.StoredState {
  /// The state without the refs and names of members, those that have left included.
  var withoutRefsAndNames: SessionFold.StoredState {
    withMembers { $0.with(name: "", RefBook()) }
  }

  /// The state without the details and params of refusals, which differ between versions.
  fileprivate var withoutRefusalTexts: SessionFold.StoredState {
    withMembers { $0.with(name: $0.name, $0.refs.withoutRefusalTexts) }
  }

  private func withMembers(_ changed: (Member) -> Member) -> SessionFold.StoredState {
    var state = self
    state.facts.members = facts.members.mapValues(changed)
    state.facts.remembered = RememberedMembers(facts.remembered.members.map(changed))
    return state
  }
}

extension Member {
  fileprivate func with(name: String, _ refs: RefBook) -> Member {
    Member(
      id: id, number: number, secret: secret, name: name, color: color, role: role, refs: refs)
  }
}

extension RefBook {
  fileprivate var withoutRefusalTexts: RefBook {
    let entries = entries.map { entry in
      guard case .refused(let refusal) = entry.outcome else { return entry }
      return Entry(ref: entry.ref, outcome: .refused(Refusal(refusal.code, "")))
    }
    return RefBook(entries: entries, greatest: greatest)
  }
}
