import Foundation

/// Keeps a second server from the same store, and remembers how far the store has come.
///
/// The file beside the store is locked as long as the process lives. Its first 8 octets are the
/// number of the last batch committed: a store that has fewer has lost accepted history, or is an
/// older copy.
final class StoreLock {
  private let descriptor: Int32
  /// The last batch that this or an earlier process committed; 0 in a new file.
  let batchBefore: Int

  /// - Throws: ``StoreProblem`` if another process has it, or it cannot be made.
  init(path: String) throws(StoreProblem) {
    let file = path + ".lock"
    let descriptor = open(file, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      throw StoreProblem(
        "cannot open \(file): \(String(cString: strerror(errno))). Give a folder that this user "
          + "can write to, as in --store sqlite:/var/lib/pickerd/pickerd.sqlite")
    }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      close(descriptor)
      throw StoreProblem(
        "another pickerd serves \(path). Stop that one, or give this one a store of its own")
    }
    self.descriptor = descriptor
    var octets = [UInt8](repeating: 0, count: 8)
    let count = pread(descriptor, &octets, 8, 0)
    batchBefore = count == 8 ? octets.reversed().reduce(0) { $0 << 8 | Int($1) } : 0
  }

  deinit { close(descriptor) }

  /// Notes a batch. Not flushed: what is remembered is a lower bound.
  func note(_ batch: Int) {
    let octets = (0..<8).map { UInt8(truncatingIfNeeded: batch >> ($0 * 8)) }
    _ = pwrite(descriptor, octets, 8, 0)
  }
}
