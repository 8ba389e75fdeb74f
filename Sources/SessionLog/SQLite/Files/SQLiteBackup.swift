import Foundation
import GRDB

/// Copies a store, also while a server uses it.
package struct SQLiteBackup {
  private let path: String
  private let store: DatabaseQueue

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
      let copied = try copy(into: part)
      try target.publish(part, isForced: isForced)
      return copied
    } catch {
      target.drop(part)
      if let problem = error as? StoreProblem { throw problem }
      throw StoreProblem("cannot write \(target.path): \(error.storeText)")
    }
  }

  private func copy(into part: String) throws -> Copy {
    var configuration = Configuration()
    configuration.label = "pickerd.backup"
    let copy = try DatabaseQueue(path: part, configuration: configuration)
    defer { try? copy.close() }
    try store.backup(to: copy)
    return try copy.inDatabase { database in
      // Without WAL mode, because its journal is a second file.
      let mode = try String.fetchOne(database, sql: "PRAGMA journal_mode = DELETE")
      guard mode == "delete" else { throw StoreProblem("SQLite cannot remove its journal") }
      try database.execute(sql: "PRAGMA synchronous = EXTRA")
      try database.inTransaction {
        try database.execute(sql: "UPDATE store SET isBackup = 1")
        return .commit
      }
      let problem = try String.fetchOne(database, sql: "PRAGMA quick_check(1)")
      guard problem == "ok" else {
        throw StoreProblem("the store is damaged (\(problem ?? "?")), and so is its copy")
      }
      let pages = try Int.fetchOne(database, sql: "PRAGMA page_count") ?? 0
      let pageBytes = try Int.fetchOne(database, sql: "PRAGMA page_size") ?? 0
      return Copy(
        sessionCount: try Int.fetchOne(
          database, sql: "SELECT count(*) FROM session WHERE isEnded = 0") ?? 0,
        byteCount: pages * pageBytes)
    }
  }
}
