/// Who reads what a connection tells.
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

  func tell(_ state: PickerState) {
    for reader in states.values { reader.yield(state) }
    tell(.state(state))
  }

  func tell(_ event: PickerEvent) { for reader in events.values { reader.yield(event) } }

  func finish() {
    for reader in states.values { reader.finish() }
    for reader in events.values { reader.finish() }
  }
}

/// Tasks that wait for the answer to a command.
struct AwaitedAnswers: Sendable {
  typealias Waiter = CheckedContinuation<Result<Int, PickerFailure>, Never>

  private var waiters: [Int: (ticket: Int, waiter: Waiter)] = [:]
  /// Tickets of tasks that do not wait yet, or were cancelled before they did.
  private var early: [Int: Bool] = [:]
  private var count = 0

  mutating func ticket() -> Int {
    count += 1
    early[count] = false
    return count
  }

  /// - Returns: `false` if the task was cancelled before; it is told so.
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

  mutating func settle(_ ref: Int, _ result: Result<Int, PickerFailure>) {
    waiters.removeValue(forKey: ref)?.waiter.resume(returning: result)
  }
}
