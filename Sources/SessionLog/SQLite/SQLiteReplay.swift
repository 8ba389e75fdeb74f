package import CivilTime
import Foundation
import GRDB
import JSONText
import PickerModel
package import PickerSession

/// Folds a session of a store again, from its creation, and compares its snapshots.
package enum SQLiteReplay {
  /// Reads a store, also while a server has it; nothing is written.
  ///
  /// - Parameters:
  ///   - revision: Whose state is wanted; `nil` for the last.
  ///   - limits: Those of the server: `undo` and `refs` are part of what commands do.
  ///   - versions: What this process folds with.
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
        .noInput, "\(path) has no session \(session); one that has ended is not kept")
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
    var place = 0
    while let row = try entries.next() {
      try snapshots.pass(before: row["place"], &replayer)
      place = max(place, snapshots.place)
      // Entries are missing on purpose only before a snapshot that says how many are left.
      guard row["place"] == place + 1 || !snapshots.isEmpty else {
        throw StoredProblem("entry \(place + 1) of session \(session) is missing")
      }
      place = row["place"]
      let entry = try SQLiteReading.entry(
        row["body"], of: session, after: replayer.fold.definition, database
      ) { Definition.stored($0, zone: zone) }
      _ = replayer.apply(entry)
    }
    try snapshots.pass(before: .max, &replayer)
    guard row["entryCount"] == max(place, snapshots.place) else {
      throw StoredProblem(
        "session \(session) ends at entry \(place) of \(row["entryCount"] as Int)")
    }
    return ReplayReport(
      standing: try replayer.standing(of: "session \(session)"),
      lastRevision: replayer.fold.revision, entryCount: replayer.entryCount,
      comparedCount: snapshots.count, comparedNoun: "snapshot", knowsMembers: true,
      difference: snapshots.difference, remarks: snapshots.remarks, isWhole: true)
  }
}
