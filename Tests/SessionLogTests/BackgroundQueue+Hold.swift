import BackgroundWork
import Dispatch

extension BackgroundQueue {
  /// Keeps the queue from later work until the semaphore that it returns is signalled.
  func hold() -> DispatchSemaphore {
    let semaphore = DispatchSemaphore(value: 0)
    async { semaphore.wait() }
    return semaphore
  }
}
