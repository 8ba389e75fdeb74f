import CivilTime
import JSONText
import PickerModel
import PickerSession

/// Replays a session from its stored rows, and compares its snapshots.
enum StoredReplay {
  /// - Parameters: As of ``SQLReplay/Settings``.
  static func replay(
    _ rows: some SessionRows, at revision: Int?, limits: SessionLimits, versions: FoldVersions,
    zone: @escaping (String) -> ZoneRules?, each: @escaping (ReplayedEntry) -> Void
  ) throws -> ReplayReport {
    var (origin, limits) = try StoredReading.created(rows.session, limits) { origin in
      try origin.makeDefinition(zone: zone)
    }
    let session = rows.session.id
    var snapshots = try ReplayedSnapshots(rows, versions) {
      Definition.stored($0, zone: zone)
    }
    limits.history = 0
    var replayer = Replayer(try SessionFold(origin, limits: limits), at: revision, each: each)
    var sequence = 0
    try rows.entries(after: 0, through: .max) { next, body in
      try snapshots.pass(before: next, &replayer)
      sequence = max(sequence, snapshots.sequence)
      // Compacted entries are missing, but only before a snapshot, which has the number of rows.
      guard next == sequence + 1 || !snapshots.isEmpty else {
        throw StoredProblem("entry \(sequence + 1) of session \(session) is missing")
      }
      sequence = next
      let entry = try rows.entry(body, after: replayer.fold.definition) {
        Definition.stored($0, zone: zone)
      }
      _ = replayer.apply(entry)
      return true
    }
    try snapshots.pass(before: .max, &replayer)
    guard rows.session.entryCount == max(sequence, snapshots.sequence) else {
      throw StoredProblem(
        "the log of session \(session) ends at entry \(sequence) of \(rows.session.entryCount)")
    }
    return ReplayReport(
      fold: try replayer.requestedFold(of: "session \(session)"),
      lastRevision: replayer.fold.revision, entryCount: replayer.entryCount,
      comparedCount: snapshots.count, comparedNoun: "snapshot", knowsMembers: true,
      difference: snapshots.difference, remarks: snapshots.remarks, isWhole: true)
  }
}
