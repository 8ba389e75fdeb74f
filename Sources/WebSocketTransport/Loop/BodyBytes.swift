import Synchronization

/// The total length of all large request bodies being received or used, in all loops that share it.
package final class BodyBytes: Sendable {
  /// Longer bodies may use only three quarters of the memory.
  private static let largeByteCount = 65_536

  private let total = Atomic(0)

  package init() {}

  package var byteCount: Int { total.load(ordering: .relaxed) }

  /// Reserves memory for a part of a body of `whole` bytes; false if it is in use.
  func reserve(_ byteCount: Int, whole: Int, most: Int) -> Bool {
    let limit = whole > BodyBytes.largeByteCount ? most - most / 4 : most
    if total.add(byteCount, ordering: .relaxed).newValue <= limit { return true }
    release(byteCount)
    return false
  }

  /// Counts bytes whatever the total is.
  func add(_ byteCount: Int) { total.add(byteCount, ordering: .relaxed) }

  func release(_ byteCount: Int) { total.subtract(byteCount, ordering: .relaxed) }
}
