import BackgroundWork
import Dispatch

extension BackgroundQueue {
  /// Blocks the queue until the returned semaphore is signalled.
  func hold() -> DispatchSemaphore {
    let semaphore = DispatchSemaphore(value: 0)
    async { semaphore.wait() }
    return semaphore
  }
}
