import CWebSocketLoop
import Synchronization

/// The memory of responses and messages that clients have not read, in all loops that share it.
package final class UnsentBytes: Sendable {
  let byteCountMax: Int
  private let total = Atomic(0)

  package init(byteCountMax: Int) { self.byteCountMax = byteCountMax }

  package var byteCount: Int { total.load(ordering: .relaxed) }

  /// Reserves the memory of a response; `nil` if it is in use.
  func reserve(_ byteCount: Int) -> UnsentReservation? {
    let counted = max(0, byteCount - Int(WSL_UNCOUNTED_BYTES))
    return grow(by: counted, reserved: 0) ? UnsentReservation(counted, of: self) : nil
  }

  /// Reserves more memory for a connection. One connection may exceed the limit: otherwise a long
  /// response could never be sent.
  func grow(by byteCount: Int, reserved: Int) -> Bool {
    guard byteCount > 0 else { return true }
    let (before, after) = total.add(byteCount, ordering: .relaxed)
    if before <= reserved || after <= byteCountMax { return true }
    release(byteCount)
    return false
  }

  func release(_ byteCount: Int) { total.subtract(byteCount, ordering: .relaxed) }
}

/// Memory of ``UnsentBytes`` that is released with this object. Used by one thread at a time.
final class UnsentReservation: @unchecked Sendable {
  private var reserved: Int
  private let total: UnsentBytes

  fileprivate init(_ reserved: Int, of total: UnsentBytes) {
    self.reserved = reserved
    self.total = total
  }

  /// Whether the response is long enough to be counted.
  var isCounted: Bool { reserved > 0 }

  /// Releases what a response needs no longer, because it is shorter now.
  func shrink(to byteCount: Int) {
    let needed = max(0, byteCount - Int(WSL_UNCOUNTED_BYTES))
    guard needed < reserved else { return }
    total.release(reserved - needed)
    reserved = needed
  }

  /// Passes the ownership of the reserved memory to the caller.
  func take() -> Int {
    defer { reserved = 0 }
    return reserved
  }

  deinit { total.release(reserved) }
}
