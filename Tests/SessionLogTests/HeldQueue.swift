import Dispatch
import Foundation

@testable import SessionLog

extension WorkQueue {
  /// Blocks the queue until the returned semaphore is signalled.
  func hold() -> DispatchSemaphore {
    let semaphore = DispatchSemaphore(value: 0)
    async { semaphore.wait() }
    return semaphore
  }

  /// Those of the system that are not patient.
  private var dispatched: DispatchQueue { self as! DispatchQueue }

  func sync<Value>(_ work: () throws -> Value) rethrows -> Value {
    try dispatched.sync(execute: work)
  }
  func suspend() { dispatched.suspend() }
  func resume() { dispatched.resume() }
}

extension SQLSessionLog {
  /// Milliseconds since 1970.
  static var now: Int64 { SystemScheduler().now }
}
