import Foundation

/// The lock of a store, which excludes a second server, and a record of the last batch.
///
/// The file `.lock` is locked as long as the process lives. It contains two little-endian integers
/// of 8 bytes: the number of the last committed batch, and of the last batch that is in the store's
/// file itself, so that the journal (`-wal`) is not needed for it. A store with fewer batches has
/// lost committed history, or is an older copy.
final class StoreLock {
  /// The store's file, by a name that is no symbolic link: the journal is beside it, as the lock.
  let path: String
  private let descriptor: Int32
  private let file: FileIdentity
  /// The last batch that this or an earlier process committed; 0 for a new store. After a power
  /// failure it may be too low, because it is not flushed.
  private(set) var batch: Int
  /// The last batch that is in the store's file itself.
  private(set) var settledBatch: Int

  /// - Throws: ``StoreProblem`` if another process has the lock, the file cannot be created, or
  ///   the store cannot be locked by its name.
  init(path: String) throws(StoreProblem) {
    let path = try SQLiteStoreFile.onlyName(of: path)
    self.path = path
    let file = path + ".lock"
    let descriptor = open(file, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      throw StoreProblem(
        "cannot open \(file): \(String(cString: strerror(errno))). Give a folder that this user "
          + "can write to, as in --store sqlite:/var/lib/pickerd/pickerd.sqlite")
    }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0, let identity = FileIdentity(file) else {
      close(descriptor)
      throw StoreProblem(
        "another pickerd serves \(path). Stop it, or give this one another --store",
        isLocked: true)
    }
    self.descriptor = descriptor
    self.file = identity
    var bytes = [UInt8](repeating: 0, count: 16)
    _ = pread(descriptor, &bytes, 16, 0)
    batch = StoreLock.number(bytes[..<8])
    settledBatch = StoreLock.number(bytes[8...])
  }

  deinit { close(descriptor) }

  /// Whether the lock still excludes other servers: its file still has its name.
  var isInPlace: Bool { file.isInPlace }

  /// Records a committed batch.
  func note(_ batch: Int) {
    self.batch = batch
    write()
  }

  /// Records that everything up to `batch` is in the store's file itself, flushed.
  func settle(_ batch: Int) {
    self.batch = batch
    settledBatch = batch
    write()
    fsync(descriptor)
  }

  private func write() {
    let bytes = [batch, settledBatch].flatMap { number in
      (0..<8).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
    }
    _ = pwrite(descriptor, bytes, 16, 0)
  }

  private static func number(_ bytes: ArraySlice<UInt8>) -> Int {
    bytes.reversed().reduce(0) { $0 << 8 | Int($1) }
  }
}

/// The identity of a file: shows whether its path still names the same file.
struct FileIdentity {
  let path: String
  private let device: dev_t
  private let number: ino_t

  /// - Returns: `nil` if there is no such file.
  init?(_ path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    self.path = path
    device = status.st_dev
    number = status.st_ino
  }

  var isInPlace: Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_dev == device && status.st_ino == number
  }
}
