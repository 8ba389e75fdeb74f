import PickerHub
import Synchronization

/// A lock-free count of the memory of the sessions of all loops.
final class SharedSessionMemory: SessionMemory, Sendable {
  private let count = Atomic(0)
  private let countMax = Atomic(Int.max)

  var byteCount: Int { count.load(ordering: .relaxed) }
  var byteCountMax: Int {
    get { countMax.load(ordering: .relaxed) }
    set { countMax.store(newValue, ordering: .relaxed) }
  }

  func add(_ byteCount: Int) { count.add(byteCount, ordering: .relaxed) }
}
