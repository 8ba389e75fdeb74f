import Foundation
import Synchronization

/// Wakes a thread that waits in `poll`.
final class WakeSignal: Sendable {
  /// Readable while the signal is set.
  let descriptor: Int32
  private let writeEnd: Int32
  private let isSet = Mutex(false)

  init() {
    var ends: [Int32] = [0, 0]
    precondition(pipe(&ends) == 0, "a process has descriptors for a pipe")
    (descriptor, writeEnd) = (ends[0], ends[1])
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
  }

  deinit {
    close(descriptor)
    close(writeEnd)
  }

  func set() {
    isSet.withLock { isSet in
      guard !isSet else { return }
      var byte: UInt8 = 0
      isSet = write(writeEnd, &byte, 1) == 1
    }
  }

  func reset() {
    isSet.withLock { isSet in
      guard isSet else { return }
      var byte: UInt8 = 0
      isSet = read(descriptor, &byte, 1) != 1
    }
  }
}
