import PickerHub
import Synchronization

/// The sessions of all loops, counted without a lock.
final class SharedSessionTotal: SessionTotal, Sendable {
  private let count = Atomic(0)

  func add(_ count: Int) { self.count.add(count, ordering: .relaxed) }

  func take(max: Int) -> Bool {
    let before = count.add(1, ordering: .relaxed).oldValue
    if before < max { return true }
    count.subtract(1, ordering: .relaxed)
    return false
  }
}
