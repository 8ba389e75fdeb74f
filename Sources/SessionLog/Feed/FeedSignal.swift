import Dispatch
import Synchronization

/// The newest position of a feed, and the readers that wait for the next one. Used by all threads.
package final class FeedSignal: Sendable {
  private let state = Mutex(State())
  private let clock = DispatchQueue(label: "pickerd.feed.waiting")

  private struct State {
    var position = 0
    var isClosed = false
    var count = 0
    var waiters: [Int: Waiter] = [:]
  }

  private final class Waiter: Sendable {
    let resume: @Sendable () -> Void

    init(_ resume: @escaping @Sendable () -> Void) { self.resume = resume }
  }

  package init() {}

  /// The position of the newest event; 0 if there was none.
  package var position: Int { state.withLock { $0.position } }

  /// The number of waiting readers.
  package var waiterCount: Int { state.withLock { $0.waiters.count } }

  /// Whether nobody waits any more, because the server shuts down.
  package var isClosed: Bool { state.withLock { $0.isClosed } }

  /// Resumes all waiting readers, and all that would wait from now on.
  package func close() {
    let waiters = state.withLock { state -> [Waiter] in
      state.isClosed = true
      defer { state.waiters = [:] }
      return Array(state.waiters.values)
    }
    for waiter in waiters { waiter.resume() }
  }

  /// Resumes all waiting readers if the position is a new one.
  func advance(to position: Int) {
    let waiters = state.withLock { state -> [Waiter] in
      guard position > state.position else { return [] }
      state.position = position
      defer { state.waiters = [:] }
      return Array(state.waiters.values)
    }
    for waiter in waiters { waiter.resume() }
  }

  /// The positions begin again.
  func restart() { state.withLock { $0.position = 0 } }

  /// Calls `resume` once, on any thread: when there is an event after `position`, or after
  /// `milliseconds`.
  package func wait(
    after position: Int, milliseconds: Int, _ resume: @escaping @Sendable () -> Void
  ) {
    let number = state.withLock { state -> Int? in
      guard state.position <= position, !state.isClosed else { return nil }
      state.count += 1
      state.waiters[state.count] = Waiter(resume)
      return state.count
    }
    guard let number else { return resume() }
    clock.asyncAfter(deadline: .now() + .milliseconds(milliseconds)) {
      self.state.withLock { $0.waiters.removeValue(forKey: number) }?.resume()
    }
  }
}
