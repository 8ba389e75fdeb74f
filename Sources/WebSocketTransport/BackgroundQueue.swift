import CWebSocketLoop
import Dispatch
import Foundation
import Synchronization

/// Does work that takes long, one piece after the other, on a thread with a lower priority than the
/// loops' threads.
///
/// A dispatch queue cannot do that: it shares threads with other queues, and a thread's priority
/// cannot be raised again.
final class BackgroundQueue: Sendable {
  private let works = Mutex<[Work]>([])
  private let signal = DispatchSemaphore(value: 0)

  /// A closure in a box, as in `StoreMailbox`.
  private final class Work: Sendable {
    let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }

  /// Starts the thread, which runs as long as the process.
  init(name: String) {
    let thread = Thread { [self] in
      wsl_lower_priority()
      while true {
        signal.wait()
        works.withLock { $0.removeFirst() }.body()
      }
    }
    thread.name = name
    thread.start()
  }

  func async(_ body: @escaping @Sendable () -> Void) {
    let work = Work(body)
    works.withLock { $0.append(work) }
    signal.signal()
  }
}
