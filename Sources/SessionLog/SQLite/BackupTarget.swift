import Foundation

/// The file that a backup is written to.
struct BackupTarget {
  let path: String
  private let mode: mode_t

  init(_ path: String, mode: mode_t) {
    self.path = path
    self.mode = mode
  }

  static func mode(of path: String) -> mode_t {
    var status = stat()
    return stat(path, &status) == 0 ? status.st_mode & 0o666 : 0o600
  }

  /// - Throws: ``StoreProblem`` if `target` is the store itself, a store in use, a file that may
  ///   not be replaced, or has a journal: SQLite would apply that to the backup.
  static func check(
    _ target: String, against store: String, isForced: Bool
  ) throws(StoreProblem) {
    var there = stat()
    let isThere = stat(target, &there) == 0
    var source = stat()
    if isThere, stat(store, &source) == 0, there.st_dev == source.st_dev,
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

  /// The temporary file that becomes the backup, in the same folder. Its lock shows that a process
  /// writes it.
  struct Part {
    let path: String
    fileprivate let descriptor: Int32
  }

  /// Creates the temporary file, or takes over that of a backup that was interrupted.
  func makePart() throws(StoreProblem) -> Part {
    let part = "\(path).part"
    let descriptor = open(part, O_RDWR | O_CREAT | O_CLOEXEC, mode)
    guard descriptor >= 0 else { throw problem("make", part) }
    var (mine, there) = (stat(), stat())
    let isLocked = flock(descriptor, LOCK_EX | LOCK_NB) == 0
    guard isLocked, fstat(descriptor, &mine) == 0, stat(part, &there) == 0,
      mine.st_ino == there.st_ino
    else {
      close(descriptor)
      throw StoreProblem(
        "another pickerd backup is writing \(part); wait for its end, or give another name")
    }
    for journal in BackupTarget.journals { unlink(part + journal) }
    guard fchmod(descriptor, mode) == 0, ftruncate(descriptor, 0) == 0 else {
      defer { close(descriptor) }
      throw problem("empty", part)
    }
    return Part(path: part, descriptor: descriptor)
  }

  private static let journals = ["-journal", "-wal", "-shm"]

  /// Flushes the temporary file, and renames it to the target.
  func publish(_ part: Part, isForced: Bool) throws(StoreProblem) {
    try flush(part.path, O_RDWR)
    if isForced {
      guard rename(part.path, path) == 0 else { throw problem("rename \(part.path) to", path) }
    } else {
      guard link(part.path, path) == 0 else { throw problem("make", path) }
      unlink(part.path)
    }
    let folder = (path as NSString).deletingLastPathComponent
    try flush(folder.isEmpty ? "." : folder, O_RDONLY | O_DIRECTORY)
    close(part.descriptor)
  }

  /// Removes the temporary file and its journals.
  func drop(_ part: Part) {
    for suffix in [""] + BackupTarget.journals { unlink(part.path + suffix) }
    close(part.descriptor)
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
