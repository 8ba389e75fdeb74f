package import CivilTime
import Foundation
import PickerModel
package import PickerSession

/// Replays a stored session from its creation, and compares its snapshots. Only reads the store,
/// which a server may be using.
package enum SQLReplay {
  /// How a session is replayed.
  package struct Settings {
    /// The revision whose state is reported; `nil`: the last.
    package var revision: Int?
    /// The limits of the server: `undo` and `refs` influence the outcome of commands.
    package var limits: SessionLimits
    /// The versions of this process.
    package var versions: FoldVersions
    /// Zone rules by IANA name.
    package var zone: (String) -> ZoneRules?
    /// Called with each entry, in order.
    package var each: (ReplayedEntry) -> Void

    package init(
      revision: Int?, limits: SessionLimits, versions: FoldVersions,
      zone: @escaping (String) -> ZoneRules?, each: @escaping (ReplayedEntry) -> Void
    ) {
      (self.revision, self.limits, self.versions) = (revision, limits, versions)
      (self.zone, self.each) = (zone, each)
    }
  }

  /// Replays a session of a file.
  ///
  /// - Throws: ``ReplayProblem`` if there is no such session or revision, or an entry cannot be
  ///   read.
  package static func replay(
    file path: String, _ session: SessionID, _ settings: Settings
  ) throws(ReplayProblem) -> ReplayReport {
    try replay(path, session, settings) { try SQLiteStoreFile.openForReading(path) }
  }

  /// Replays a session of a database; as ``replay(file:_:_:)``.
  package static func replay(
    database address: PostgresAddress, _ session: SessionID, _ settings: Settings
  ) throws(ReplayProblem) -> ReplayReport {
    try replay(address.description, session, settings) {
      let connection = try PostgresConnection(address.forReading, name: "pickerd replay")
      try SQLSchema.check(connection, of: address.description)
      return connection
    }
  }

  /// Replays a session of the store to which a connection is opened; as ``replay(file:_:_:)``.
  package static func replay(
    _ location: String, _ session: SessionID, _ settings: Settings,
    open: () throws -> any SQLConnection
  ) throws(ReplayProblem) -> ReplayReport {
    do {
      let connection = try open()
      return try connection.transaction(connection.dialect.beginReading) {
        let make = { Definition.stored($0, zone: settings.zone) }
        guard let rows = try SQLRows(session, connection, make: make) else {
          throw ReplayProblem(
            .noInput, "\(location) has no session \(session); ended sessions are deleted")
        }
        return try SnapshotComparison.replay(rows, settings)
      }
    } catch let problem as ReplayProblem {
      throw problem
    } catch let problem as StoredProblem {
      throw ReplayProblem(.badData, "\(location): \(problem)")
    } catch let problem as StoreProblem {
      throw ReplayProblem(.noInput, problem.description)
    } catch let error as PostgresError {
      throw ReplayProblem(.noInput, "cannot read \(location): \(error)")
    } catch {
      throw ReplayProblem(.badData, "cannot read \(location): \(error)")
    }
  }
}
