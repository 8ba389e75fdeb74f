package import CivilTime
import Foundation
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
    let store: SQLiteConnection
    do throws(StoreProblem) {
      store = try SQLiteStoreFile.openForReading(path)
    } catch {
      throw ReplayProblem(.noInput, error.description)
    }
    do {
      return try store.transaction(.deferred) {
        try replay(
          store, path, session, at: revision, limits: limits, versions: versions, zone: zone,
          each: each)
      }
    } catch let problem as ReplayProblem {
      throw problem
    } catch let problem as StoredProblem {
      throw ReplayProblem(.badData, "\(path): \(problem)")
    } catch {
      throw ReplayProblem(.badData, "cannot read \(path): \(error)")
    }
  }

  private static func replay(
    _ database: SQLiteConnection, _ path: String, _ session: SessionID, at revision: Int?,
    limits: SessionLimits, versions: FoldVersions, zone: @escaping (String) -> ZoneRules?,
    each: @escaping (ReplayedEntry) -> Void
  ) throws -> ReplayReport {
    guard let rows = try SQLiteRows(session, database) else {
      throw ReplayProblem(
        .noInput, "\(path) has no session \(session); ended sessions are deleted")
    }
    return try StoredReplay.replay(
      rows, at: revision, limits: limits, versions: versions, zone: zone, each: each)
  }
}
