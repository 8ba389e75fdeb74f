import Foundation
import PickerHub

/// The index of the sessions of all loops. It is locked for creations, ends and changes of the
/// status, never for a tap.
///
/// `@unchecked Sendable`: the lock protects the index.
final class ShardedSessionIndex: ShardIndex, @unchecked Sendable {
  private let lock = NSLock()
  private var index: SessionIndex

  /// - Parameters: As of ``SessionIndex``.
  init(keyCountMax: Int, removesOldestKey: Bool) {
    index = SessionIndex(keyCountMax: keyCountMax, removesOldestKey: removesOldestKey)
  }

  func use<Answer: Sendable>(_ body: (inout SessionIndex) -> Answer) -> Answer {
    lock.lock()
    defer { lock.unlock() }
    return body(&index)
  }
}
