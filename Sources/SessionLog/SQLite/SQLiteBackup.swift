import Foundation

/// Copies a store, also while a server uses it.
package struct SQLiteBackup {
  private let path: String
  private let store: SQLiteConnection

  /// The contents of a copy.
  package struct Copy: Hashable, Sendable {
    package let sessionCount: Int
    package let byteCount: Int
  }

  /// - Throws: ``StoreProblem`` for a file that is missing, not a store, damaged, or of a newer
  ///   version.
  package init(of path: String) throws(StoreProblem) {
    self.path = path
    store = try SQLiteStoreFile.openForReading(path)
  }

  /// Copies the store by SQLite's online backup: a consistent copy of one moment.
  ///
  /// The copy is one file and marked as a backup: the server that first opens it gives every
  /// session a new epoch, so that no client resumes from revisions that the copy does not have. The
  /// copy is written to a temporary file, checked and flushed, and then renamed to `target`.
  /// - Parameter isForced: Whether an existing file may be replaced.
  /// - Throws: ``StoreProblem``; `target` is unchanged.
  /// - Source: sqlite.org/backup.html.
  package func copy(to target: String, isForced: Bool) throws(StoreProblem) -> Copy {
    try BackupTarget.check(target, against: path, isForced: isForced)
    let target = BackupTarget(target, mode: BackupTarget.mode(of: path))
    let part = try target.makePart()
    do {
      let copied = try copy(into: part.path)
      try target.publish(part, isForced: isForced)
      return copied
    } catch {
      target.drop(part)
      if let problem = error as? StoreProblem { throw problem }
      throw StoreProblem("cannot write \(target.path): \(error)")
    }
  }

  private func copy(into part: String) throws -> Copy {
    let database = try SQLiteConnection(part)
    try store.copy(to: database)
    // Without WAL mode, because its journal is a second file.
    let mode = try database.value("PRAGMA journal_mode = DELETE", as: String.self)
    guard mode == "delete" else { throw StoreProblem("SQLite cannot remove its journal") }
    try database.run("PRAGMA synchronous = EXTRA")
    // A reader of the copy must not be able to sign tickets.
    try database.run(
      "UPDATE store SET is_backup = true, ticket_key = $1", [SQLSchema.newKey])
    let problem = try database.value("PRAGMA quick_check(1)", as: String.self)
    guard problem == "ok" else {
      throw StoreProblem("the store is damaged (\(problem ?? "?")), and so is its copy")
    }
    let count = try database.value("SELECT count(*) FROM session WHERE NOT ended", as: Int.self)
    return try Copy(sessionCount: count ?? 0, of: database)
  }
}

extension SQLiteBackup.Copy {
  init(sessionCount: Int, of database: SQLiteConnection) throws {
    let pages = try database.value("PRAGMA page_count", as: Int.self) ?? 0
    let pageBytes = try database.value("PRAGMA page_size", as: Int.self) ?? 0
    self.init(sessionCount: sessionCount, byteCount: pages * pageBytes)
  }
}
