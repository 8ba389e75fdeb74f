import CSQLite
import Foundation

/// Copies a store to a file, also while a server uses the store.
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

  /// Copies the store as it is at one moment: `VACUUM INTO` a temporary file beside `target`, which
  /// is checked, flushed and renamed.
  ///
  /// The copy is marked as a backup: the server that first opens it gives every session a new
  /// epoch, so that no client resumes from revisions that the copy does not have.
  /// - Parameter isForced: Whether an existing file may be replaced.
  /// - Throws: ``StoreProblem``; `target` is unchanged.
  /// - Source: sqlite.org/lang_vacuum.html#vacuuminto
  package func copy(to target: String, isForced: Bool) throws(StoreProblem) -> Copy {
    try check(target, isForced: isForced)
    let part = target + ".part"
    // Locked while this process writes it.
    let descriptor = try makePart(part)
    defer { close(descriptor) }
    do {
      let copied = try copy(into: part)
      try flush(part, O_RDWR)
      if isForced {
        guard rename(part, target) == 0 else { throw problem("rename \(part) to", target) }
      } else {
        guard link(part, target) == 0 else { throw problem("make", target) }
        unlink(part)
      }
      let folder = (target as NSString).deletingLastPathComponent
      try flush(folder.isEmpty ? "." : folder, O_RDONLY | O_DIRECTORY)
      return copied
    } catch {
      for name in [part, part + "-journal"] { unlink(name) }
      throw error as? StoreProblem ?? StoreProblem("cannot write \(target): \(error)")
    }
  }

  /// Refuses the store itself, a store in use, a file that may not be replaced, and one with a
  /// journal: SQLite would apply that to the backup.
  private func check(_ target: String, isForced: Bool) throws(StoreProblem) {
    var (there, source) = (stat(), stat())
    let isThere = stat(target, &there) == 0
    if isThere, stat(path, &source) == 0, there.st_dev == source.st_dev,
      there.st_ino == source.st_ino
    {
      throw StoreProblem("\(target) is the store itself; give another file")
    }
    guard !isThere || there.st_mode & S_IFMT == S_IFREG else {
      throw StoreProblem("\(target) is not a regular file; give the name of a new file")
    }
    guard !isThere || isForced else {
      throw StoreProblem("\(target) exists already; give another name, or --force to replace it")
    }
    for journal in ["-wal", "-journal"] where access(target + journal, F_OK) == 0 {
      throw StoreProblem(
        isThere
          ? "\(target) has a journal (\(target)\(journal)), so it is a store in use; give another "
            + "name"
          : "\(target)\(journal) is the journal of a store that is not there; remove it, or give "
            + "another name")
    }
  }

  /// Creates the temporary file with the mode of the store, or takes over that of a backup that was
  /// interrupted.
  ///
  /// - Returns: A descriptor, to be closed after the file has got its name or was removed.
  private func makePart(_ part: String) throws(StoreProblem) -> Int32 {
    var source = stat()
    let mode = stat(path, &source) == 0 ? source.st_mode & 0o666 : 0o600
    let descriptor = open(part, O_RDWR | O_CREAT | O_CLOEXEC, mode)
    guard descriptor >= 0 else { throw problem("make", part) }
    var (mine, there) = (stat(), stat())
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0, fstat(descriptor, &mine) == 0,
      stat(part, &there) == 0, mine.st_ino == there.st_ino
    else {
      close(descriptor)
      throw StoreProblem(
        "another pickerd backup is writing \(part); wait for its end, or give another name")
    }
    unlink(part + "-journal")
    guard fchmod(descriptor, mode) == 0, ftruncate(descriptor, 0) == 0 else {
      defer { close(descriptor) }
      throw problem("empty", part)
    }
    return descriptor
  }

  private func copy(into part: String) throws -> Copy {
    do {
      try store.run("VACUUM INTO $1", [part])
    } catch let error as SQLiteError where error.code == SQLITE_CORRUPT {
      throw StoreProblem("the store is damaged (\(error)), and cannot be copied")
    }
    let copy = try SQLiteConnection(part)
    // A reader of the copy must not be able to sign tickets.
    try copy.run("UPDATE store SET is_backup = true, ticket_key = $1", [SQLSchema.newKey])
    let problem = try copy.value("PRAGMA quick_check(1)", as: String.self)
    guard problem == "ok" else {
      throw StoreProblem("the store is damaged (\(problem ?? "?")), and so is its copy")
    }
    return Copy(
      sessionCount: try copy.value("SELECT count(*) FROM session WHERE NOT ended") ?? 0,
      byteCount: try copy.usedByteCount)
  }

  private func flush(_ path: String, _ mode: Int32) throws(StoreProblem) {
    let descriptor = open(path, mode | O_CLOEXEC)
    guard descriptor >= 0 else { throw problem("open", path) }
    defer { close(descriptor) }
    guard fsync(descriptor) == 0 else { throw problem("flush", path) }
  }

  private func problem(_ verb: String, _ path: String) -> StoreProblem {
    StoreProblem("cannot \(verb) \(path): \(String(cString: strerror(errno)))")
  }
}
