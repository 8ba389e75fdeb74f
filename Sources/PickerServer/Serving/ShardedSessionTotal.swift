import PickerHub
import Synchronization

/// A lock-free counter of the sessions of all loops.
final class ShardedSessionTotal: SessionTotal, Sendable {
  private let total = Atomic(0)

  var count: Int { total.load(ordering: .relaxed) }

  func add(_ count: Int) { total.add(count, ordering: .relaxed) }

  func take(max: Int) -> Bool {
    var known = total.load(ordering: .relaxed)
    while known < max {
      let (isTaken, current) = total.weakCompareExchange(
        expected: known, desired: known + 1, ordering: .relaxed)
      if isTaken { return true }
      known = current
    }
    return false
  }
}
