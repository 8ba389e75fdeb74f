import BackgroundWork
import Foundation

/// The queues, clocks and random numbers of a store. The simulator has its own.
package protocol StoreScheduler: Sendable {
  /// Milliseconds since 1970.
  var now: Int64 { get }
  /// The time by a clock that is never set.
  var instant: ContinuousClock.Instant { get }
  /// - Parameter isPatient: Whether its work may take long: it gets a thread with a low priority.
  func queue(_ name: String, isPatient: Bool) -> any WorkQueue
  /// Adds work to a queue after some time.
  func after(_ time: Duration, on queue: any WorkQueue, _ work: @escaping @Sendable () -> Void)
  /// Blocks the queue whose work calls it.
  func sleep(_ time: Duration)
  /// A number from 0 on.
  func random(below bound: Int64) -> Int64
}

/// Does work, one piece after the other, in the order in which it was added.
package protocol WorkQueue: Sendable {
  func async(_ work: @escaping @Sendable () -> Void)
  /// Waits until all work that was added before has been done.
  func drain()
}

/// The queues, clocks and random numbers of the system.
package struct SystemScheduler: StoreScheduler {
  package init() {}

  package var now: Int64 { Int64(Date.now.timeIntervalSince1970 * 1000) }
  package var instant: ContinuousClock.Instant { .now }

  package func queue(_ name: String, isPatient: Bool) -> any WorkQueue {
    isPatient ? BackgroundQueue(name: name) : DispatchQueue(label: "pickerd.\(name)")
  }

  package func after(
    _ time: Duration, on queue: any WorkQueue, _ work: @escaping @Sendable () -> Void
  ) {
    let deadline = DispatchTime.now() + time / .seconds(1)
    DispatchQueue.global().asyncAfter(deadline: deadline) { queue.async(work) }
  }

  package func sleep(_ time: Duration) { Thread.sleep(forTimeInterval: time / .seconds(1)) }
  package func random(below bound: Int64) -> Int64 { .random(in: 0..<bound) }
}

extension DispatchQueue: WorkQueue {
  package func async(_ work: @escaping @Sendable () -> Void) { async(execute: work) }
  package func drain() { sync {} }
}

extension BackgroundQueue: WorkQueue {}
