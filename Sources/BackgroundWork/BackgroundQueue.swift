import DequeModule
import Dispatch
import Foundation
import Synchronization

/// Does work that takes long, one piece after the other, on a thread with a lower priority than the
/// loops' threads.
///
/// A dispatch queue cannot do that: it shares threads with other queues, and Linux does not let a
/// thread without privileges raise its priority again. The thread ends, after the work that is
/// queued, when the queue is released.
package final class BackgroundQueue: Sendable {
  /// What the thread and the queue share.
  private final class Backlog: Sendable {
    let works = Mutex<Deque<Work>>([])
    let signal = DispatchSemaphore(value: 0)

    func add(_ work: Work) {
      works.withLock { $0.append(work) }
      signal.signal()
    }
  }

  /// A closure in a box, as in `StoreMailbox`.
  private final class Work: Sendable {
    let body: @Sendable () -> Void
    let isLast: Bool

    init(isLast: Bool = false, _ body: @escaping @Sendable () -> Void) {
      self.body = body
      self.isLast = isLast
    }
  }

  /// The `nice` value of the thread; the loops' threads have 0.
  private static let niceness: Int32 = 10

  private let backlog = Backlog()

  /// Starts the thread.
  ///
  /// - Parameter name: The thread's name; Linux shows its first 15 bytes.
  package init(name: String) {
    let thread = Thread { [backlog] in
      setpriority(Int32(PRIO_PROCESS.rawValue), 0, BackgroundQueue.niceness)
      while true {
        backlog.signal.wait()
        let work = backlog.works.withLock { $0.removeFirst() }
        work.body()
        if work.isLast { return }
      }
    }
    thread.name = name
    thread.start()
  }

  deinit {
    backlog.add(Work(isLast: true) {})
  }

  package func async(_ body: @escaping @Sendable () -> Void) {
    backlog.add(Work(body))
  }

  /// Waits until all work that was added before has been done.
  package func drain() {
    let done = DispatchSemaphore(value: 0)
    async { done.signal() }
    done.wait()
  }
}
