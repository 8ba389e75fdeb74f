import Dispatch
import Synchronization

/// The newest position of a feed, and the readers that wait for the next one. Used by all threads.
package final class FeedSignal: Sendable {
  private let state = Mutex(State())
  /// Armed for the earliest deadline. One for all readers: a reader that finds only events which it
  /// has not requested waits again after every event. Only used with the lock.
  private nonisolated(unsafe) let timer = DispatchSource.makeTimerSource(
    queue: DispatchQueue(label: "pickerd.feed.waiting"))

  private struct State {
    var position = 0
    var isClosed = false
    var waiters: [Waiter] = []
    /// When the timer fires; `nil` if it is not armed.
    var dueAt: DispatchTime?
  }

  private struct Waiter {
    let deadline: DispatchTime
    let request: FeedRequest
    let resume: @Sendable () -> Void
  }

  package init() {
    timer.setEventHandler { [weak self] in self?.resumeDue() }
    timer.activate()
  }

  deinit { timer.cancel() }

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
      defer { state.waiters = [] }
      return state.waiters
    }
    for waiter in waiters { waiter.resume() }
  }

  /// Resumes the readers that wait for one of the new events, if the position is a new one. Each
  /// reads the feed again, so that others are left waiting.
  func advance(_ news: FeedNews) {
    let waiters = state.withLock { state -> [Waiter] in
      guard news.position > state.position else { return [] }
      state.position = news.position
      let end = state.waiters.partition { $0.request.isWaiting(for: news) }
      defer { state.waiters.removeSubrange(end...) }
      return Array(state.waiters[end...])
    }
    for waiter in waiters { waiter.resume() }
  }

  /// The positions begin again.
  func restart() { state.withLock { $0.position = 0 } }

  /// Calls `resume` once, on any thread: when there is a requested event, or after `milliseconds`.
  package func wait(
    for request: FeedRequest, milliseconds: Int, _ resume: @escaping @Sendable () -> Void
  ) {
    let deadline = DispatchTime.now() + .milliseconds(milliseconds)
    let isWaiting = state.withLock { state -> Bool in
      guard state.position <= request.after, !state.isClosed else { return false }
      state.waiters.append(Waiter(deadline: deadline, request: request, resume: resume))
      arm(for: deadline, &state)
      return true
    }
    if !isWaiting { resume() }
  }

  /// Arms the timer, unless it fires earlier.
  private func arm(for deadline: DispatchTime, _ state: inout State) {
    guard deadline < state.dueAt ?? .distantFuture else { return }
    state.dueAt = deadline
    timer.schedule(deadline: deadline)
  }

  /// Resumes the readers whose time is over.
  private func resumeDue() {
    let due = state.withLock { state -> [Waiter] in
      let now = DispatchTime.now()
      let due = state.waiters.filter { $0.deadline <= now }
      state.waiters.removeAll { $0.deadline <= now }
      state.dueAt = nil
      if let next = state.waiters.map(\.deadline).min() { arm(for: next, &state) }
      return due
    }
    for waiter in due { waiter.resume() }
  }
}
