import Glibc
import PickerServer

/// Changing a key file on disk.
extension KeyFile {
  /// Reads a file, changes its keys, and replaces it as a whole, with the same mode and, if the
  /// process may do that, the same owner: a server reads it again. A file that does not exist is
  /// created if `creates`, with mode 0600.
  ///
  /// The new content is first written to `PATH.new`, which also prevents two changes at a time. It
  /// is JSON, which is also YAML.
  ///
  /// - Throws: ``KeyFileProblem``, also for a YAML file with comments, which would be lost.
  static func change<Value>(
    _ path: String, creates: Bool,
    _ body: (inout KeyFile) throws(KeyFileProblem) -> Value
  ) throws(KeyFileProblem) -> Value {
    let path = RegularFile.resolved(path) ?? path
    let scratch = path + ".new"
    let descriptor = open(scratch, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      throw KeyFileProblem(
        errno == EEXIST
          ? "\(scratch) exists: another change is running, or one was interrupted; then remove it"
          : "\(scratch) cannot be created: \(String(cString: strerror(errno)))")
    }
    var isDone = false
    defer {
      close(descriptor)
      if !isDone { unlink(scratch) }
    }
    var status = Glibc.stat()
    let exists = stat(path, &status) == 0
    if exists { _ = fchown(descriptor, status.st_uid, status.st_gid) }
    let old = exists || !creates ? try SecretFile.read(path, byteCountMax: byteCountMax).bytes : nil
    let (value, content) = try SecretFile.naming(path) { () throws(KeyFileProblem) in
      try changed(old ?? KeyFile().json, body)
    }
    let mode = exists ? status.st_mode & 0o777 : 0o600
    guard fchmod(descriptor, mode) == 0, write(content, to: descriptor),
      fsync(descriptor) == 0, rename(scratch, path) == 0
    else {
      throw KeyFileProblem("\(path) cannot be written: \(String(cString: strerror(errno)))")
    }
    isDone = true
    flushFolder(of: path)
    return value
  }

  private static func changed<Value>(
    _ content: [UInt8], _ body: (inout KeyFile) throws(KeyFileProblem) -> Value
  ) throws(KeyFileProblem) -> (Value, [UInt8]) {
    var file = try KeyFile(content: content)
    // No field of a key can have this character.
    guard !content.contains(UInt8(ascii: "#")) else {
      throw KeyFileProblem(
        "it has comments, which would be lost: change it with an editor; the line of a key that is "
          + "added to a new file can be copied as an entry, \"  - {…}\"")
    }
    let value = try body(&file)
    return (value, file.json)
  }

  private static func write(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
    var written = 0
    while written < bytes.count {
      let count = bytes.withUnsafeBytes {
        Glibc.write(descriptor, $0.baseAddress! + written, bytes.count - written)
      }
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { return false }
      written += count
    }
    return true
  }

  /// Makes the rename durable.
  private static func flushFolder(of path: String) {
    let slash = path.lastIndex(of: "/")
    let folder = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
    let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    fsync(descriptor)
    close(descriptor)
  }
}
