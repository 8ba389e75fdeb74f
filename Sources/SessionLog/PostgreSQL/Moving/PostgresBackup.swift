import PickerSession

/// Copies a database's sessions, or one of them, to an SQLite store. Servers can use the database
/// meanwhile.
package enum PostgresBackup {
  /// Copies what is committed at one moment.
  ///
  /// The copy is one file and marked as a backup, like that of ``SQLiteBackup``.
  /// - Parameters:
  ///   - session: The only session to copy, without the feed and its cursors; `nil`: everything.
  ///   - isForced: Whether an existing file may be replaced.
  /// - Throws: ``Failure``; `target` is unchanged.
  package static func copy(
    of address: PostgresAddress, session: String?, to target: String, isForced: Bool
  ) throws(Failure) -> SQLiteBackup.Copy {
    do {
      try BackupTarget.check(target, against: "", isForced: isForced)
      let session = session.map { SessionID($0) }
      let target = BackupTarget(target, mode: 0o600)
      let part = try target.makePart()
      do {
        let reader = PostgresReader(
          address.forReading, name: "pickerd backup", endsIdle: false)
        let copied = try reader.read { connection in
          try copy(connection, address, session: session, into: part.path)
        }
        try target.publish(part, isForced: isForced)
        return copied
      } catch {
        target.drop(part)
        throw error
      }
    } catch let failure as Failure {
      throw failure
    } catch let problem as StoreProblem {
      throw .target(problem)
    } catch let error as PostgresError {
      throw .source(StoreProblem("cannot read \(address): \(error)"))
    } catch {
      throw .target(StoreProblem("cannot write \(target): \(error)"))
    }
  }

  /// Whether the database or the file is the problem.
  package enum Failure: Error {
    case source(StoreProblem)
    case target(StoreProblem)
  }

  private static func copy(
    _ connection: PostgresConnection, _ address: PostgresAddress, session: SessionID?,
    into part: String
  ) throws -> SQLiteBackup.Copy {
    if let problem = try PostgresSchema.problem(of: address, connection) {
      throw Failure.source(problem)
    }
    let database = try SQLiteConnection(part)
    try SQLiteSchema.migrate(database, part)
    try database.run("PRAGMA synchronous = EXTRA")
    let count = try database.transaction {
      let rows = PostgresBackupRows(connection: connection, database: database)
      let count = try rows.copySessions(session)
      if let session { try rows.copyCreation(of: session) } else { try rows.copyShared() }
      try database.run("UPDATE store SET isBackup = 1, batch = 1")
      return count
    }
    if let session, count == 0 {
      throw Failure.source(
        StoreProblem("\(address) has no session \(session); ended sessions are deleted"))
    }
    let pages = try database.value("PRAGMA page_count", as: Int.self) ?? 0
    let pageBytes = try database.value("PRAGMA page_size", as: Int.self) ?? 0
    return SQLiteBackup.Copy(sessionCount: count, byteCount: pages * pageBytes)
  }
}
