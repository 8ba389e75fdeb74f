package import CivilTime
package import PickerSession

/// Replays a database's session from its creation and checks its snapshots.
package enum PostgresReplay {
  /// Replays a session. Only reads the database, which a server may be using.
  ///
  /// - Parameters: As in ``SQLiteReplay``.
  /// - Throws: ``ReplayProblem`` if there is no such session or revision, or an entry cannot be
  ///   read.
  package static func replay(
    _ address: PostgresAddress, session: SessionID, at revision: Int?, limits: SessionLimits,
    versions: FoldVersions, zone: @escaping (String) -> ZoneRules?,
    each: @escaping (ReplayedEntry) -> Void
  ) throws(ReplayProblem) -> ReplayReport {
    do {
      return try PostgresReader(address.forReading, name: "pickerd replay", endsIdle: false).read {
        connection in
        if let problem = try PostgresSchema.problem(of: address, connection) {
          throw ReplayProblem(.noInput, "\(problem)")
        }
        guard let rows = try PostgresSessionRows(session, connection) else {
          throw ReplayProblem(
            .noInput, "\(address) has no session \(session); ended sessions are deleted")
        }
        return try StoredReplay.replay(
          rows, at: revision, limits: limits, versions: versions, zone: zone, each: each)
      }
    } catch let problem as ReplayProblem {
      throw problem
    } catch let problem as StoredProblem {
      throw ReplayProblem(.badData, "\(address): \(problem)")
    } catch let error as PostgresError {
      throw ReplayProblem(.noInput, "cannot read \(address): \(error)")
    } catch {
      throw ReplayProblem(.badData, "cannot read \(address): \(error)")
    }
  }
}
