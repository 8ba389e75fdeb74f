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

  /// - Throws: ``StoreProblem`` if `target` is the store itself, a store in use, or a file that may
  ///   not be replaced.
  static func check(
    _ target: String, against store: String, isForced: Bool
  ) throws(StoreProblem) {
    var there = stat()
    guard stat(target, &there) == 0 else { return }
    var source = stat()
    if stat(store, &source) == 0, there.st_dev == source.st_dev, there.st_ino == source.st_ino {
      throw StoreProblem("\(target) is the store itself; give another file")
    }
    guard there.st_mode & S_IFMT == S_IFREG else {
      throw StoreProblem("\(target) is not a regular file; give the name of a new file")
    }
    guard isForced else {
      throw StoreProblem("\(target) exists already; give another name, or --force to replace it")
    }
    for journal in ["-wal", "-journal"] where access(target + journal, F_OK) == 0 {
      throw StoreProblem(
        "\(target) has a journal (\(target)\(journal)), so it is a store in use; give another name")
    }
  }

  /// Creates the temporary file that becomes the backup, in the same folder.
  func makePart() throws(StoreProblem) -> String {
    let part = "\(path).part-\(getpid())"
    let descriptor = open(part, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode)
    guard descriptor >= 0 else { throw problem("make", part) }
    close(descriptor)
    return part
  }

  /// Flushes the temporary file, and renames it to the target.
  func publish(_ part: String, isForced: Bool) throws(StoreProblem) {
    try flush(part, O_RDWR)
    if isForced {
      guard rename(part, path) == 0 else { throw problem("rename \(part) to", path) }
    } else {
      guard link(part, path) == 0 else { throw problem("make", path) }
      unlink(part)
    }
    let folder = (path as NSString).deletingLastPathComponent
    try flush(folder.isEmpty ? "." : folder, O_RDONLY | O_DIRECTORY)
  }

  /// Removes the temporary file and its journals.
  func drop(_ part: String) {
    for suffix in ["", "-journal", "-wal", "-shm"] { unlink(part + suffix) }
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
