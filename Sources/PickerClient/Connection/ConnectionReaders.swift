/// The open streams of a connection: readers of ``PickerConnection/states`` and
/// ``PickerConnection/events``.
struct ConnectionReaders: Sendable {
  private var states: [Int: AsyncStream<PickerState>.Continuation] = [:]
  private var events: [Int: AsyncStream<PickerEvent>.Continuation] = [:]
  private var count = 0

  mutating func add(_ continuation: AsyncStream<PickerState>.Continuation) -> Int {
    count += 1
    states[count] = continuation
    return count
  }

  mutating func add(_ continuation: AsyncStream<PickerEvent>.Continuation) -> Int {
    count += 1
    events[count] = continuation
    return count
  }

  mutating func remove(_ number: Int) {
    states[number] = nil
    events[number] = nil
  }

  /// Yields a state to both kinds of readers.
  func publish(_ state: PickerState) {
    for reader in states.values { reader.yield(state) }
    publish(.state(state))
  }

  func publish(_ event: PickerEvent) { for reader in events.values { reader.yield(event) } }

  func finish() {
    for reader in states.values { reader.finish() }
    for reader in events.values { reader.finish() }
  }
}

/// The tasks that are suspended in ``PickerConnection/perform(_:)``, or in
/// ``PickerConnection/find(_:in:limit:)``.
///
/// A task gets a ticket before it suspends, because it can be cancelled before its command has a
/// ref.
struct AwaitedAnswers<Answer: Sendable>: Sendable {
  typealias Waiter = CheckedContinuation<Result<Answer, PickerFailure>, Never>

  private var waiters: [Int: (ticket: Int, waiter: Waiter)] = [:]
  /// The tickets of tasks that are not suspended yet; `true` if the task has been cancelled.
  private var early: [Int: Bool] = [:]
  private var count = 0

  mutating func ticket() -> Int {
    count += 1
    early[count] = false
    return count
  }

  /// Stores the continuation of a task until the answer to `ref` arrives.
  ///
  /// - Returns: `false` if the task was cancelled before. It is resumed, and its command must not
  ///   be sent.
  mutating func wait(_ ticket: Int, for ref: Int, _ waiter: Waiter) -> Bool {
    guard early.removeValue(forKey: ticket) == false else {
      waiter.resume(returning: .failure(.cancelled))
      return false
    }
    waiters[ref] = (ticket, waiter)
    return true
  }

  mutating func cancel(_ ticket: Int) {
    if early[ticket] != nil {
      early[ticket] = true
    } else if let ref = waiters.first(where: { $0.value.ticket == ticket })?.key {
      settle(ref, .failure(.cancelled))
    }
  }

  mutating func settle(_ ref: Int, _ result: Result<Answer, PickerFailure>) {
    waiters.removeValue(forKey: ref)?.waiter.resume(returning: result)
  }
}
