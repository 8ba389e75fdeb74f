package import CivilTime
import Foundation
import GRDB
import JSONText
import PickerModel
package import PickerSession

/// Replays a session of a store from its creation, and compares its snapshots.
package enum SQLiteReplay {
  /// Replays a session. Only reads the store, which a server may be using.
  ///
  /// - Parameters:
  ///   - revision: The revision whose state is reported; `nil`: the last.
  ///   - limits: The limits of the server: `undo` and `refs` influence the outcome of commands.
  ///   - versions: The versions of this process.
  ///   - zone: Zone rules by IANA name.
  ///   - each: Called with each entry, in order.
  /// - Throws: ``ReplayProblem`` if there is no such session or revision, or an entry cannot be
  ///   read.
  package static func replay(
    _ path: String, session: SessionID, at revision: Int?, limits: SessionLimits,
    versions: FoldVersions, zone: @escaping (String) -> ZoneRules?,
    each: @escaping (ReplayedEntry) -> Void
  ) throws(ReplayProblem) -> ReplayReport {
    let store: DatabaseQueue
    do throws(StoreProblem) {
      store = try SQLiteStoreFile.openForReading(path)
    } catch {
      throw ReplayProblem(.noInput, error.description)
    }
    do {
      return try store.read { database in
        try replay(
          database, path, session, at: revision, limits: limits, versions: versions, zone: zone,
          each: each)
      }
    } catch let problem as ReplayProblem {
      throw problem
    } catch let problem as StoredProblem {
      throw ReplayProblem(.badData, "\(path): \(problem)")
    } catch {
      throw ReplayProblem(.badData, "cannot read \(path): \(error.storeText)")
    }
  }

  private static func replay(
    _ database: Database, _ path: String, _ session: SessionID, at revision: Int?,
    limits: SessionLimits, versions: FoldVersions, zone: @escaping (String) -> ZoneRules?,
    each: @escaping (ReplayedEntry) -> Void
  ) throws -> ReplayReport {
    guard let row = try SQLiteReading.session(session, database) else {
      throw ReplayProblem(
        .noInput, "\(path) has no session \(session); ended sessions are deleted")
    }
    var (origin, limits) = try SQLiteReading.created(session, row, limits) { origin in
      try origin.makeDefinition(zone: zone)
    }
    let number: Int64 = row["number"]
    var snapshots = try ReplayedSnapshots(of: number, versions, database) {
      Definition.stored($0, zone: zone)
    }
    limits.history = 0
    var replayer = Replayer(try SessionFold(origin, limits: limits), at: revision, each: each)
    let entries = try Row.fetchCursor(
      database, sql: "SELECT place, body FROM entry WHERE session = ? ORDER BY place",
      arguments: [number])
    var sequence = 0
    while let row = try entries.next() {
      try snapshots.pass(before: row["place"], &replayer)
      sequence = max(sequence, snapshots.sequence)
      // Compacted entries are missing, but only before a snapshot, which has the number of rows.
      guard row["place"] == sequence + 1 || !snapshots.isEmpty else {
        throw StoredProblem("entry \(sequence + 1) of session \(session) is missing")
      }
      sequence = row["place"]
      let entry = try SQLiteReading.entry(
        row["body"], of: session, after: replayer.fold.definition, database
      ) { Definition.stored($0, zone: zone) }
      _ = replayer.apply(entry)
    }
    try snapshots.pass(before: .max, &replayer)
    guard row["entryCount"] == max(sequence, snapshots.sequence) else {
      throw StoredProblem(
        "the log of session \(session) ends at entry \(sequence) of \(row["entryCount"] as Int)")
    }
    return ReplayReport(
      fold: try replayer.requestedFold(of: "session \(session)"),
      lastRevision: replayer.fold.revision, entryCount: replayer.entryCount,
      comparedCount: snapshots.count, comparedNoun: "snapshot", knowsMembers: true,
      difference: snapshots.difference, remarks: snapshots.remarks, isWhole: true)
  }
}
