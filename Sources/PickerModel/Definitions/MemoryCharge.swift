/// A count of memory in bytes. Called on any thread that may release what was counted.
package protocol MemoryAccount: AnyObject, Sendable {
  /// - Parameter byteCount: Negative if memory was released.
  func add(_ byteCount: Int)
}

/// Memory that is counted while a value retains this object: what sessions, deltas, logs and caches
/// share counts once, and as long as one of them has it.
package final class MemoryCharge: Sendable {
  private let byteCount: Int
  private let account: any MemoryAccount

  package init(_ byteCount: Int, in account: any MemoryAccount) {
    (self.byteCount, self.account) = (byteCount, account)
    account.add(byteCount)
  }

  deinit { account.add(-byteCount) }
}
