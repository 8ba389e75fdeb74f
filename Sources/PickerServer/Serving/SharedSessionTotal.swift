import PickerHub
import Synchronization

/// A lock-free counter of the sessions of all loops.
final class SharedSessionTotal: SessionTotal, Sendable {
  private let count = Atomic(0)

  func add(_ count: Int) { self.count.add(count, ordering: .relaxed) }

  func take(max: Int) -> Bool {
    var known = count.load(ordering: .relaxed)
    while known < max {
      let (isTaken, current) = count.weakCompareExchange(
        expected: known, desired: known + 1, ordering: .relaxed)
      if isTaken { return true }
      known = current
    }
    return false
  }
}
