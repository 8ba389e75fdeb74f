package import PickerModel
import PickerSession

/// The memory of the sessions in all hubs of a server, of their definitions and of their logs in
/// memory, in bytes, an estimate, and its maximum.
package protocol SessionMemory: MemoryAccount {
  var byteCount: Int { get }
  var byteCountMax: Int { get set }
  /// The memory that the last refused session would have taken; 0 if none was refused.
  var refusedByteCount: Int { get set }
}

extension SessionMemory {
  package func hasRoom(for added: Int) -> Bool { byteCount + added <= byteCountMax }

  /// Whether there is room for an empty session, and for one like the last, if that was refused.
  package var hasRoomForRefused: Bool {
    // One that could never be created must not count.
    hasRoom(for: max(min(refusedByteCount, byteCountMax / 2), Session.byteCountMin))
  }
}

/// The memory of the sessions of a single hub. Must be used from one thread, so also the threads
/// that make definitions must be the same.
final class OwnMemory: SessionMemory, @unchecked Sendable {
  private(set) var byteCount = 0
  var byteCountMax = Int.max
  var refusedByteCount = 0

  func add(_ byteCount: Int) { self.byteCount += byteCount }
}
