import Foundation

/// Keeps a second server from the same store, and remembers how far the store has come.
///
/// The file beside the store is locked as long as the process lives. It has two numbers of 8
/// bytes: the last batch that was committed, and the last one that stands in the store's file
/// itself, so that the journal beside it (`-wal`) is not needed for it. A store that has fewer
/// batches has lost accepted history, or is an older copy.
final class StoreLock {
  private let descriptor: Int32
  private let file: FileIdentity
  /// The last batch that this or an earlier process committed; 0 for a new store. What is
  /// remembered is a lower bound: it is not flushed.
  private(set) var batch: Int
  /// The last batch for which the journal is not needed.
  private(set) var settledBatch: Int

  /// - Throws: ``StoreProblem`` if another process has it, or it cannot be made.
  init(path: String) throws(StoreProblem) {
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
        "another pickerd serves \(path). Stop that one, or give this one a store of its own")
    }
    self.descriptor = descriptor
    self.file = identity
    var bytes = [UInt8](repeating: 0, count: 16)
    _ = pread(descriptor, &bytes, 16, 0)
    batch = StoreLock.number(bytes[..<8])
    settledBatch = StoreLock.number(bytes[8...])
  }

  deinit { close(descriptor) }

  /// Whether the lock still keeps others out: its file is where it was.
  var isInPlace: Bool { file.isInPlace }

  /// Notes a batch that has been committed.
  func note(_ batch: Int) {
    self.batch = batch
    write()
  }

  /// Notes that everything up to `batch` stands in the store's file, flushed.
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

/// A file under its name: whether the name still means the same file.
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
