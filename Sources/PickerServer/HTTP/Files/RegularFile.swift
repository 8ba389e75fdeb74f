import Glibc

/// The content of a regular file, with a stamp to detect later changes.
package struct RegularFile: Sendable {
  /// Metadata from `stat`. Files with equal stamps are assumed to have the same content.
  package struct Stamp: Hashable, Sendable {
    let device: UInt64
    let inode: UInt64
    let byteCount: Int
    let modifiedSeconds: Int
    let modifiedNanoseconds: Int
    /// Of the last change of the content, the owner or the mode.
    let changedSeconds: Int
    let changedNanoseconds: Int
  }

  package let bytes: [UInt8]
  package let stamp: Stamp

  /// Reads a whole file.
  ///
  /// - Returns: `nil` if there is no regular file at `path`, it cannot be read, it is larger than
  ///   `byteCountMax`, or its size changes during the call.
  static func read(_ path: String, byteCountMax: Int) -> RegularFile? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }

    var status = Glibc.stat()
    guard fstat(descriptor, &status) == 0, let stamp = Stamp(status),
      stamp.byteCount <= byteCountMax
    else { return nil }

    // One byte more than the file's size, to detect a file that has grown since fstat().
    let bytes = [UInt8](unsafeUninitializedCapacity: stamp.byteCount + 1) { buffer, count in
      while count < buffer.count {
        let readCount = Glibc.read(descriptor, buffer.baseAddress! + count, buffer.count - count)
        if readCount < 0 && errno == EINTR { continue }
        guard readCount > 0 else { return }
        count += readCount
      }
    }
    guard bytes.count == stamp.byteCount else { return nil }
    return RegularFile(bytes: bytes, stamp: stamp)
  }

  /// Why a file cannot be read, as the system says it; `nil` if it can.
  static func readingProblem(_ path: String) -> String? {
    access(path, R_OK) == 0 ? nil : String(cString: strerror(errno))
  }

  /// The stamp of the regular file at `path`, without opening it.
  static func stamp(of path: String) -> Stamp? {
    var status = Glibc.stat()
    guard stat(path, &status) == 0 else { return nil }
    return Stamp(status)
  }

  /// `path` with all symbolic links resolved, or `nil` if it does not exist.
  package static func resolved(_ path: String) -> String? {
    guard let resolved = realpath(path, nil) else { return nil }
    defer { free(resolved) }
    return String(cString: resolved)
  }
}

extension RegularFile.Stamp {
  fileprivate init?(_ status: Glibc.stat) {
    guard status.st_mode & S_IFMT == S_IFREG else { return nil }
    device = UInt64(status.st_dev)
    inode = UInt64(status.st_ino)
    byteCount = Int(status.st_size)
    modifiedSeconds = Int(status.st_mtim.tv_sec)
    modifiedNanoseconds = Int(status.st_mtim.tv_nsec)
    changedSeconds = Int(status.st_ctim.tv_sec)
    changedNanoseconds = Int(status.st_ctim.tv_nsec)
  }
}
